/// Words of which a text must contain one.
///
/// Whole words match, in any case and with or without accents: `malaga` finds `Málaga`, `assad` does not find
/// `ambassador`. A `*` at the end makes a prefix (`volcan*`). A word may be a phrase (`new zealand`). Every character
/// that is neither letter nor digit separates words. In scripts without spaces between words (Han, Hiragana, Katakana,
/// Thai, Lao, Khmer, Myanmar), and for emoji, words match anywhere. The name of a `WordSet` stands for its words, and
/// `@@name` for the word `@name`.
public struct KeywordFilter: Sendable, Hashable {
    /// The words as configured, including unusable ones, with sets by their names.
    public let words: [String]
    /// The patterns, indexed by their first byte.
    private let patterns: [[Pattern]]

    /// Prepares the words; a word without a letter or digit is ignored.
    public init(_ words: [String]) {
        self.words = words
        var patterns = [[Pattern]](repeating: [], count: 256)
        for word in words.flatMap({ WordSet.words(of: $0) ?? [WordSet.word($0)] }) {
            guard let pattern = Pattern(word) else { continue }
            let first = Int(pattern.bytes[0])
            if !patterns[first].contains(pattern) { patterns[first].append(pattern) }
        }
        self.patterns = patterns
    }

    /// The words that a server may be asked for; empty if a set is among them, since no search takes so many.
    public var searchWords: [String] {
        words.contains { WordSet.words(of: $0) != nil } ? [] : words.map { WordSet.word($0) }
    }

    /// Whether no usable word is left; then `matches` is false for every text.
    public var isEmpty: Bool { patterns.allSatisfy { $0.isEmpty } }

    /// Whether the text contains one of the words.
    public func matches(_ text: String) -> Bool {
        FoldedText(text).bytes.withUnsafeBufferPointer { folded in
            for position in 1..<folded.count {
                for pattern in patterns[Int(folded[position])] where pattern.matches(folded, at: position) {
                    return true
                }
            }
            return false
        }
    }

    /// Whether the words are the same, as configured and in the same order.
    public static func == (left: KeywordFilter, right: KeywordFilter) -> Bool { left.words == right.words }

    /// Hashes the words as configured.
    public func hash(into hasher: inout Hasher) { hasher.combine(words) }
}

/// One word or phrase, folded like the texts.
private struct Pattern: Sendable, Equatable {
    /// Never empty; ends with a space where a word must end.
    let bytes: [UInt8]
    /// Whether the match must begin at the beginning of a word.
    let beginsWord: Bool

    /// Fails when the word has no letter or digit.
    init?(_ word: String) {
        var word = word[...]
        while let last = word.last, last.isWhitespace { word.removeLast() }
        let folded = FoldedText(String(word))
        guard folded.bytes.count > 2 else { return nil }
        var bytes = folded.bytes.dropFirst()
        if folded.endsUnspaced || word.last == "*" { bytes = bytes.dropLast() }
        self.bytes = Array(bytes)
        beginsWord = !folded.beginsUnspaced
    }

    func matches(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        guard position + bytes.count <= text.count, !beginsWord || text[position - 1] == FoldedText.space else {
            return false
        }
        // The index guarantees that the first byte is equal.
        for index in 1..<bytes.count where bytes[index] != text[position + index] { return false }
        // A kana with a sound mark, which decomposition splits off, is another kana.
        let end = position + bytes.count
        return
            !(end + 2 < text.count && text[end] == 0xE3 && text[end + 1] == 0x82
            && (text[end + 2] == 0x99 || text[end + 2] == 0x9A))
    }
}

/// A text in lower case without accents, as UTF-8: one space before, between and after its words.
private struct FoldedText {
    static let space: UInt8 = 0x20

    private(set) var bytes: [UInt8] = [FoldedText.space]
    /// Whether the first word's script has no spaces between words.
    private(set) var beginsUnspaced = false
    /// Whether the last word's script has no spaces between words.
    private(set) var endsUnspaced = false

    init(_ text: String) {
        bytes.reserveCapacity(text.utf8.count + 2)
        let isASCII = text.utf8.withContiguousStorageIfAvailable { appendASCII($0) } ?? false
        if !isASCII {
            bytes.removeLast(bytes.count - 1)
            appendScalars(of: text)
        }
        endWord()
    }

    /// Returns false at the first byte that is not ASCII.
    private mutating func appendASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in text {
            switch byte {
            case 0x61...0x7A, 0x30...0x39: bytes.append(byte)
            case 0x41...0x5A: bytes.append(byte | 0x20)
            case 0x80...: return false
            default: endWord()
            }
        }
        return true
    }

    private mutating func appendScalars(of text: String) {
        let text = text.unicodeScalars.contains { $0.mayDecompose } ? text.decomposed : text
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x61...0x7A, 0x30...0x39: append(UInt8(truncatingIfNeeded: scalar.value))
            case 0x41...0x5A: append(UInt8(truncatingIfNeeded: scalar.value) | 0x20)
            case 0..<0x80: endWord()
            default: append(scalar)
            }
        }
    }

    private mutating func append(_ letter: UInt8) {
        begin(unspaced: false)
        bytes.append(letter)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.wordRole {
        case .part:
            begin(unspaced: false)
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                if let plain = lower.plainLetters {
                    plain.withUTF8Buffer { bytes.append(contentsOf: $0) }
                } else {
                    bytes.append(contentsOf: String(lower == "ς" ? "σ" : lower).utf8)
                }
            }
        case .unspacedPart:
            begin(unspaced: true)
            bytes.append(contentsOf: String(scalar).utf8)
        case .ignored: break
        case .separator: endWord()
        }
    }

    /// Separates words where the script changes: `Twitterで` is two words.
    private mutating func begin(unspaced: Bool) {
        if bytes.count == 1 { beginsUnspaced = unspaced } else if unspaced != endsUnspaced { endWord() }
        endsUnspaced = unspaced
    }

    private mutating func endWord() {
        if bytes[bytes.count - 1] != FoldedText.space { bytes.append(FoldedText.space) }
    }
}
