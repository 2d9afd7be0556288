import Foundation
import Model

/// The look-up key of a place's name: the 64-bit FNV-1a hash of its folded bytes.
///
/// The probability that two different names of a table share a key is 10⁻¹⁹ for each pair. An index of numbers is half
/// as large as one of texts and is built twice as fast.
public struct NameKey: RawRepresentable, Sendable, Hashable {
    /// The 64 bits of the hash as SQLite stores them, as a signed number.
    public let rawValue: Int64

    /// Wraps a stored key; every number is valid.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The key of a name that is already folded (`NameFolding`), in UTF-8. Unchecked: an unfolded name gets a key that
    /// the table does not have.
    public init(folded: some Sequence<UInt8>) {
        rawValue = Int64(bitPattern: FNV64.hash(folded))
    }
}

/// Folds names, so that spellings that differ in case, accents, punctuation or a common abbreviation become equal.
///
/// Letters become lower case without accents (`São` is `sao`, `Łódź` is `lodz`, `ß` is `ss`). Apostrophes are dropped,
/// and so is a full stop after a single letter (`U.S.` is `us`); every other sign is a space. `saint` and `sankt`
/// become `st`, `sainte` `ste`, `mount` `mt`, `fort` `ft`. A leading `the` is dropped. Letters other than Latin, Greek
/// and Cyrillic stay unchanged. Words are joined by single spaces.
///
/// An instance is meant for reuse; its buffer is its only state.
public struct NameFolding: Sendable {
    /// The folded bytes of the last name, UTF-8; empty before the first one and for a name without a letter or digit.
    public private(set) var bytes: [UInt8] = []
    private var wordStart = 0
    /// Letters since the last sign: distinguishes `U.S.` from `St.Louis`.
    private var run = 0

    /// Creates a folding with an empty buffer.
    public init() {}

    /// The folded name: `são paulo` and `São-Paulo` give `sao paulo`. Empty if it has no letter or digit.
    public static func folded(_ name: String) -> String {
        var folding = NameFolding()
        folding.fold(name)
        return String(decoding: folding.bytes, as: UTF8.self)
    }

    /// The key of a name, which also becomes `bytes`; nil if it has no letter or digit.
    public mutating func key(_ name: String) -> NameKey? {
        fold(name)
        return bytes.isEmpty ? nil : NameKey(folded: bytes)
    }

    /// The key of a name in ISO-8859-1 or else UTF-8, which also becomes `bytes`; nil if it has no letter or digit.
    /// Ill-formed bytes separate words.
    public mutating func key(_ name: UnsafeBufferPointer<UInt8>, isLatin1: Bool) -> NameKey? {
        begin()
        var index = 0
        while index < name.count {
            let byte = name[index]
            if byte < 0x80 {
                ascii(byte)
                index += 1
            } else if isLatin1 {
                scalar(Unicode.Scalar(byte))
                index += 1
            } else {
                let (value, length) = Self.decode(name, at: index)
                if let value { scalar(value) } else { endWord() }
                index += length
            }
        }
        finish()
        return bytes.isEmpty ? nil : NameKey(folded: bytes)
    }

    /// Replaces `bytes` by the folded name; they are empty if it has no letter or digit.
    public mutating func fold(_ name: String) {
        begin()
        for value in name.unicodeScalars {
            if value.isASCII { ascii(UInt8(truncatingIfNeeded: value.value)) } else { scalar(value) }
        }
        finish()
    }

    // MARK: - Folding

    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        wordStart = 0
        run = 0
    }

    private mutating func ascii(_ byte: UInt8) {
        switch byte {
        case 0x61...0x7A, 0x30...0x39: append(byte)
        case 0x41...0x5A: append(byte | 0x20)
        case 0x27, 0x60: break
        case 0x2E where run == 1: run = 0
        default: endWord()
        }
    }

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        run += 1
    }

    private mutating func scalar(_ value: Unicode.Scalar) {
        switch value.value {
        case 0xB4, 0x2018, 0x2019, 0x201B, 0x2BB...0x2BF: return  // apostrophes and okinas
        case 0x300...0x36F, 0x64B...0x65F, 0xAD, 0x200B...0x200F, 0xFE00...0xFE0F: return  // accents, invisible signs
        default: break
        }
        var plain = Self.plainLetter(value.value)
        if plain != 0 {
            while plain != 0 {
                bytes.append(UInt8(truncatingIfNeeded: plain))
                plain >>= 8
            }
            run += 1
        } else if value.isWordCharacter {
            for byte in value.properties.lowercaseMapping.utf8 { bytes.append(byte) }
            run += 1
        } else {
            endWord()
        }
    }

    private mutating func endWord() {
        run = 0
        guard bytes.count > wordStart else { return }
        abbreviate()
        bytes.append(0x20)
        wordStart = bytes.count
    }

    private mutating func finish() {
        if bytes.count > wordStart { abbreviate() }
        if bytes.last == 0x20 { bytes.removeLast() }
        if bytes.count > 4, bytes[0] == 0x74, bytes[1] == 0x68, bytes[2] == 0x65, bytes[3] == 0x20 {
            bytes.removeFirst(4)
        }
    }

    /// Shortens the last word if it is one of the few with a common abbreviation.
    private mutating func abbreviate() {
        let length = bytes.count - wordStart
        guard (4...6).contains(length) else { return }
        let first = bytes[wordStart]
        guard first == 0x73 || first == 0x6D || first == 0x66 else { return }
        let word = bytes[wordStart...]
        let short: StaticString
        if word.elementsEqual("saint".utf8) || word.elementsEqual("sankt".utf8) {
            short = "st"
        } else if word.elementsEqual("sainte".utf8) {
            short = "ste"
        } else if word.elementsEqual("mount".utf8) {
            short = "mt"
        } else if word.elementsEqual("fort".utf8) {
            short = "ft"
        } else {
            return
        }
        bytes.removeLast(length)
        short.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// One scalar of UTF-8 and its length; nil for ill-formed bytes.
    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (Unicode.Scalar?, Int) {
        let first = bytes[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
        guard length > 1, index + length <= bytes.count else { return (nil, 1) }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let next = bytes[index + offset]
            guard next & 0xC0 == 0x80 else { return (nil, 1) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        return (Unicode.Scalar(value), length)
    }

    // MARK: - Letters

    /// Latin, Greek and Cyrillic letters with accents, and letters that Unicode does not decompose.
    private static let accented: [ClosedRange<UInt32>] = [0xC0...0x259, 0x370...0x52F, 0x1E00...0x1FFF]

    /// The folded letter, up to four bytes of UTF-8, the first one lowest; 0 for other characters.
    private static func plainLetter(_ value: UInt32) -> UInt32 {
        var start = 0
        for range in accented {
            if range.contains(value) { return plainLetters[start + Int(value - range.lowerBound)] }
            start += range.count
        }
        return 0
    }

    /// Indexed by position in the ranges of `accented`, one after the other.
    private static let plainLetters: [UInt32] = {
        accented.flatMap { $0 }.map { value in
            guard let letter = Unicode.Scalar(value), letter.properties.isAlphabetic else { return 0 }
            let parts = String(letter).decomposedStringWithCanonicalMapping.unicodeScalars
            let plain = String(String.UnicodeScalarView(parts.filter { !(0x300...0x36F).contains($0.value) }))
            let lower = letter.properties.lowercaseMapping.unicodeScalars.first
            let bytes = lower?.plainLetters.map { Array($0.description.utf8) } ?? Array(plain.lowercased().utf8)
            return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }()
}
