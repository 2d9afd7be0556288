public import Foundation
import Glibc
import Model

/// Converts bytes in any encoding to UTF-8.
///
/// Declared encodings are often wrong: GVP's weekly CAP file declares ISO-8859-1 and its KML file UTF-8, and both
/// contain Windows-1252 bytes. So ISO-8859-1 is read as its superset Windows-1252 (WHATWG Encoding §4.2). Text with
/// characters beyond ASCII that is well-formed UTF-8 is UTF-8, since text in another encoding hardly ever is. Bytes that
/// are not UTF-8 are read one by one as Windows-1252. The control characters U+0080…U+009F of any source are replaced
/// by the Windows-1252 characters of these codes.
public enum TextEncoding {
    /// The text in well-formed UTF-8, without a byte order mark; it never fails. Well-formed UTF-8 without
    /// U+0080…U+009F is returned without a copy.
    ///
    /// - Parameters:
    ///   - data: The bytes. A byte order mark overrides `declared`, as does a first `<` in UTF-16 or UTF-32.
    ///   - declared: The encoding's name in the document, in any case. Nil and unknown names mean UTF-8.
    public static func utf8(_ data: Data, declared: String?) -> Data {
        decode(data, declared: declared).text
    }

    /// UTF-8 text and the way it was decoded.
    struct Decoded {
        /// Well-formed UTF-8.
        var text: Data
        /// The encoding that was used, in lower case.
        var name: String
        /// Whether bytes outside that encoding were read as Windows-1252.
        var hasStrayBytes = false
    }

    /// As `utf8(_:declared:)`, with the encoding that was used.
    /// - Parameter charset: The name in Content-Type, which comes before `declared` (RFC 7303 §3); nil without one.
    static func decode(_ data: Data, charset: String? = nil, declared: String?) -> Decoded {
        let head = Array(data.prefix(4))
        switch Sniffed(head) {
        case .utf8Mark: return mended(data.dropFirst(3), name: "utf-8")
        case .utf16(let isBigEndian, let mark):
            let text = utf16(data.dropFirst(mark), isBigEndian: isBigEndian)
            return mended(text, name: isBigEndian ? "utf-16be" : "utf-16le")
        case .utf32(let isBigEndian, let mark):
            let text = utf32(data.dropFirst(mark), isBigEndian: isBigEndian)
            return mended(text, name: isBigEndian ? "utf-32be" : "utf-32le")
        case .unknown: break
        }
        let names = [charset, declared].compactMap { $0?.lowercased().filter { !$0.isWhitespace } }
        let others = names.filter { !utf8Names.contains($0) }
        guard !others.isEmpty, !isMultibyteUTF8(data) else { return mended(data, name: "utf-8") }
        for name in others {
            if windows1252Names.contains(name) {
                // Beside the name UTF-8 this is often a server's default, or means a few stray bytes.
                guard others.count == names.count else { break }
                return mended(fromWindows1252(data), name: "windows-1252")
            }
            if let text = converted(data, from: name) { return mended(text, name: name) }
        }
        return mended(data, name: "utf-8")
    }

    /// Names of UTF-8, in lower case. Non-ASCII bytes in US-ASCII are wrong, and most often UTF-8.
    private static let utf8Names: Set<String> = ["", "utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii", "ascii"]

    /// Names that mean Windows-1252, in lower case.
    private static let windows1252Names: Set<String> = [
        "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "x-cp1252",
    ]

    // MARK: UTF-8

    /// The length of the well-formed UTF-8 sequence at `index` (Unicode 15 table 3-7); 0 when there is none.
    static func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 { return 1 }
        let length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
        guard length > 0, index + length <= bytes.count else { return 0 }
        let second = bytes[index + 1]
        let lowest: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
        guard second >= lowest, second <= highest else { return 0 }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// The first byte from `start` on that is not well-formed UTF-8 or begins one of U+0080…U+009F; the count if there
    /// is none.
    private static func firstFault(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let raw = UnsafeRawPointer(base)
        var index = start
        while index < bytes.count {
            // Plain ASCII, the bulk of most texts.
            while index + 32 <= bytes.count {
                let words = raw.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
                guard words & 0x8080_8080_8080_8080 == .zero else { break }
                index += 32
            }
            guard index < bytes.count else { break }
            if index + 8 <= bytes.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
                let high = word & 0x8080_8080_8080_8080
                if high == 0 {
                    index += 8
                    continue
                }
                index += high.trailingZeroBitCount / 8
            } else if bytes[index] < 0x80 {
                index += 1
                continue
            }
            let length = sequenceLength(bytes, at: index)
            if length == 0 || (bytes[index] == 0xC2 && bytes[index + 1] < 0xA0) { return index }
            index += length
        }
        return bytes.count
    }

    /// Whether a text has characters beyond ASCII and is well-formed UTF-8 without U+0080…U+009F.
    private static func isMultibyteUTF8(_ data: Data) -> Bool {
        data.withUnsafeBytes { raw in
            let bytes = raw.assumingMemoryBound(to: UInt8.self)
            return firstFault(in: bytes, from: 0) == bytes.count && bytes.contains { $0 >= 0x80 }
        }
    }

    /// Replaces stray bytes and U+0080…U+009F by the characters of Windows-1252.
    private static func mended(_ data: Data, name: String) -> Decoded {
        data.withUnsafeBytes { raw in
            let bytes = raw.assumingMemoryBound(to: UInt8.self)
            var fault = firstFault(in: bytes, from: 0)
            guard fault < bytes.count else { return Decoded(text: data, name: name) }
            var decoded = Decoded(text: Data(), name: name)
            var out: [UInt8] = []
            out.reserveCapacity(bytes.count + bytes.count / 16)
            var done = 0
            while fault < bytes.count {
                out.append(contentsOf: bytes[done..<fault])
                if bytes[fault] == 0xC2, sequenceLength(bytes, at: fault) == 2 {
                    out.append(scalar: windows1252(bytes[fault + 1]))
                    done = fault + 2
                } else {
                    out.append(scalar: windows1252(bytes[fault]))
                    decoded.hasStrayBytes = true
                    done = fault + 1
                }
                fault = firstFault(in: bytes, from: done)
            }
            out.append(contentsOf: bytes[done...])
            decoded.text = Data(out)
            return decoded
        }
    }

    // MARK: Windows-1252

    /// The character of a Windows-1252 byte; U+FFFD for the five unassigned bytes.
    static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        (0x80...0x9F).contains(byte)
            ? Unicode.Scalar(upperHalf[Int(byte) - 0x80]) ?? "\u{FFFD}" : Unicode.Scalar(byte)
    }

    /// Bytes 0x80…0x9F of Windows-1252.
    private static let upperHalf: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD,
        0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0xFFFD, 0x017E, 0x0178,
    ]

    private static func fromWindows1252(_ data: Data) -> Data {
        data.withUnsafeBytes { bytes in
            var out: [UInt8] = []
            out.reserveCapacity(bytes.count + bytes.count / 8)
            var index = 0
            while index < bytes.count {
                let start = index
                while index < bytes.count, bytes[index] < 0x80 { index += 1 }
                out.append(contentsOf: bytes[start..<index])
                guard index < bytes.count else { break }
                out.append(scalar: windows1252(bytes[index]))
                index += 1
            }
            return index == 0 ? data : Data(out)
        }
    }

    // MARK: UTF-16 and UTF-32

    /// The encoding that the first bytes prove (XML 1.0 appendix F).
    private enum Sniffed {
        case unknown
        case utf8Mark
        case utf16(isBigEndian: Bool, mark: Int)
        case utf32(isBigEndian: Bool, mark: Int)

        init(_ head: [UInt8]) {
            let less: UInt8 = 0x3C
            if head.starts(with: [0xEF, 0xBB, 0xBF]) {
                self = .utf8Mark
            } else if head.starts(with: [0xFF, 0xFE, 0, 0]) {
                self = .utf32(isBigEndian: false, mark: 4)
            } else if head.starts(with: [0, 0, 0xFE, 0xFF]) {
                self = .utf32(isBigEndian: true, mark: 4)
            } else if head == [less, 0, 0, 0] {
                self = .utf32(isBigEndian: false, mark: 0)
            } else if head == [0, 0, 0, less] {
                self = .utf32(isBigEndian: true, mark: 0)
            } else if head.starts(with: [0xFF, 0xFE]) {
                self = .utf16(isBigEndian: false, mark: 2)
            } else if head.starts(with: [0xFE, 0xFF]) {
                self = .utf16(isBigEndian: true, mark: 2)
            } else if head.count == 4, head[0] == less, head[1] == 0, head[3] == 0 {
                self = .utf16(isBigEndian: false, mark: 0)
            } else if head.count == 4, head[0] == 0, head[1] == less, head[2] == 0 {
                self = .utf16(isBigEndian: true, mark: 0)
            } else {
                self = .unknown
            }
        }
    }

    /// Decodes UTF-16. Unpaired surrogates become U+FFFD; an odd last byte is dropped.
    private static func utf16(_ data: Data, isBigEndian: Bool) -> Data {
        data.withUnsafeBytes { bytes in
            var out: [UInt8] = []
            out.reserveCapacity(bytes.count)
            func unit(_ index: Int) -> UInt32 {
                let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
            var index = 0
            while index + 1 < bytes.count {
                var value = unit(index)
                index += 2
                if (0xD800..<0xDC00).contains(value), index + 1 < bytes.count {
                    let low = unit(index)
                    if (0xDC00..<0xE000).contains(low) {
                        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                        index += 2
                    }
                }
                out.append(scalar: Unicode.Scalar(value) ?? "\u{FFFD}")
            }
            return Data(out)
        }
    }

    /// Decodes UTF-32. Invalid characters become U+FFFD; up to three last bytes are dropped.
    private static func utf32(_ data: Data, isBigEndian: Bool) -> Data {
        data.withUnsafeBytes { bytes in
            var out: [UInt8] = []
            out.reserveCapacity(bytes.count / 2)
            for index in stride(from: 0, to: bytes.count - 3, by: 4) {
                let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                out.append(scalar: Unicode.Scalar(isBigEndian ? value.bigEndian : value.littleEndian) ?? "\u{FFFD}")
            }
            return Data(out)
        }
    }

    // MARK: Others

    /// Encodings that in practice mean a larger one (WHATWG Encoding §4.2), by their glibc names.
    private static let supersets = [
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "windows-31j": "CP932",
        "gb2312": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
        "iso-8859-9": "CP1254", "iso-8859-11": "CP874", "tis-620": "CP874", "big5": "BIG5-HKSCS",
    ]

    /// The text converted by glibc's iconv. Nil for an unknown encoding, and for one that does not contain ASCII: its
    /// declaration could not have been read.
    private static func converted(_ data: Data, from label: String) -> Data? {
        let isPlainName = label.utf8.allSatisfy { $0.isASCIIAlphanumeric || [0x2D, 0x2E, 0x3A, 0x5F].contains($0) }
        guard isPlainName, label.utf8.count <= 40, !label.hasPrefix("utf"), !label.hasPrefix("ucs"),
            let converter = iconv_open("UTF-8", supersets[label] ?? label),
            converter != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        defer { iconv_close(converter) }
        let text = data.withUnsafeBytes { bytes in
            var out: [UInt8] = []
            out.reserveCapacity(bytes.count + bytes.count / 4)
            var chunk = [CChar](repeating: 0, count: 1 << 16)
            var input = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var left = bytes.count
            while left > 0 {
                var trouble: Int32 = 0
                chunk.withUnsafeMutableBufferPointer { chunk in
                    var output = chunk.baseAddress
                    var room = chunk.count
                    if iconv(converter, &input, &left, &output, &room) == -1 { trouble = errno }
                    out.append(contentsOf: UnsafeRawBufferPointer(start: chunk.baseAddress, count: chunk.count - room))
                }
                guard trouble != 0 && trouble != E2BIG else { continue }
                out.append(scalar: "\u{FFFD}")
                // EINVAL: the text ends inside a character.
                guard trouble == EILSEQ else { break }
                input = input.map { $0 + 1 }
                left -= 1
            }
            return out
        }
        if let first = data.first, first < 0x80, text.first != first { return nil }
        return Data(text)
    }
}
