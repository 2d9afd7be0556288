/// Texts and the words of a search, as the full-text index has them.
///
/// SQLite's tokenizer takes a run of a script without spaces between words as one word, and emoji as none. Such a run
/// becomes pairs of its characters and, at its end, the last one alone: `地震だ` gives `地震`, `震だ` and `だ`. Several
/// characters are found as a phrase of pairs, one as the beginning of a pair. `KeywordFilter` finds the same. All other
/// text stays as it is.
public enum SearchText {
    /// Whether something in the text can be looked for: a letter, a digit or an emoji.
    public static func hasWord(_ text: some StringProtocol) -> Bool {
        text.contains { $0.isLetter || $0.isNumber } || text.unicodeScalars.contains { $0.wordRole == .unspacedPart }
    }

    /// A text as the index takes it. FTS5 needs the same again to remove the words, so this must not change without a
    /// migration.
    public static func indexed(_ text: String) -> String {
        // UTF-8 has these scripts in three bytes and more. Of those, most texts have only dashes and quotation marks,
        // which begin with E2 below E2 BA.
        let isCandidate = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.indices.contains { bytes[$0] >= 0xE0 && (bytes[$0] != 0xE2 || bytes[$0 + 1] >= 0xBA) }
        }
        guard isCandidate ?? true, text.unicodeScalars.contains(where: { $0.isUnspaced }) else { return text }
        return split(text.unicodeScalars, isOpen: false).text
    }

    /// A word of a search as the index has it.
    /// - Parameter isPrefix: Whether any ending may follow the word.
    /// - Returns: The word, and whether any ending may follow its last part.
    public static func sought(_ word: String, isPrefix: Bool) -> (word: String, isPrefix: Bool) {
        let scalars = word.unicodeScalars
        guard scalars.contains(where: { $0.isUnspaced }),
            let last = scalars.lastIndex(where: { $0.wordRole == .part || $0.wordRole == .unspacedPart })
        else { return (word, isPrefix) }
        let isOpen = scalars[last].wordRole == .unspacedPart
        let found = split(scalars[...last], isOpen: isOpen)
        return (found.text, isOpen ? found.lastLength == 1 : isPrefix)
    }

    /// The scalars with pairs in place of the runs.
    /// - Parameter isOpen: Whether the last run may go on, so that its last character does not end it.
    /// - Returns: The text, and the number of characters of a run at the end of the text.
    private static func split(
        _ scalars: some Sequence<Unicode.Scalar>, isOpen: Bool
    ) -> (text: String, lastLength: Int) {
        // A string that grows by its scalars would be copied for each.
        var (text, run): ([UInt8], [UInt8]) = ([], [])
        for scalar in scalars {
            if scalar.isUnspaced, scalar.wordRole == .unspacedPart {
                run += String(scalar).utf8
            } else if run.isEmpty || scalar.wordRole != .ignored {
                append(run, to: &text, isOpen: false)
                run = []
                text += String(scalar).utf8
            }
        }
        let length = append(run, to: &text, isOpen: isOpen)
        return (String(decoding: text, as: UTF8.self), length)
    }

    /// Appends the pairs of a run between spaces; returns the number of its characters.
    @discardableResult
    private static func append(_ run: [UInt8], to text: inout [UInt8], isOpen: Bool) -> Int {
        guard !run.isEmpty else { return 0 }
        let plain = String(decoding: run, as: UTF8.self)
        let decomposed = plain.unicodeScalars.contains { $0.mayDecompose } ? plain.decomposed : plain
        var characters: [UInt8] = []
        /// Where each character begins, and the end.
        var starts: [Int] = []
        var mayTakeMark = false
        for scalar in decomposed.unicodeScalars {
            // A sound mark stands before its kana, so that か does not begin が.
            if scalar.isSoundMark, mayTakeMark, let start = starts.last {
                characters.insert(contentsOf: String(code(of: scalar)).utf8, at: start)
                mayTakeMark = false
            } else {
                starts.append(characters.count)
                characters += String(code(of: scalar)).utf8
                mayTakeMark = true
            }
        }
        let length = starts.count
        starts.append(characters.count)
        text.append(UInt8(ascii: " "))
        for first in 0..<length where first < length - 1 || length == 1 || !isOpen {
            text += characters[starts[first]..<starts[min(first + 2, length)]]
            text.append(UInt8(ascii: " "))
        }
        return length
    }

    /// The code point that stands for a scalar of a run. It is for private use: such code points are letters to any
    /// version of SQLite, while marks and emoji are separators.
    private static func code(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.value < 0x20000 ? Unicode.Scalar(0xF0000 + scalar.value) ?? scalar : scalar
    }
}
