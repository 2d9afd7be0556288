/// A word of a running text, for the search for names of areas.
///
/// A full stop after a single letter belongs to the word, as in `U.S.` and `W.Va.`; a possessive `'s` does not.
struct DocumentWord {
    /// The signs between a word and the next.
    struct Gap {
        var hasComma = false
        var hasStop = false
        /// An empty line or a sign that separates names: semicolon, dash, bracket, quotation mark.
        var hasOther = false
        /// Whether the full stop is the first sign.
        var beginsWithStop = false

        /// Whether a name may continue after it.
        var isOpen: Bool { !hasComma && !hasStop && !hasOther }
    }

    /// Position of the word, without a possessive.
    let range: Range<String.Index>
    /// Index of its last token.
    let last: Int
    /// The folded word.
    let folded: String
    /// Whether its first letter is a capital.
    let beginsUpper: Bool
    /// Whether it has a lower-case letter.
    let hasLowercase: Bool
    /// Whether full stops are part of it.
    let hasStops: Bool
    /// The signs after the word.
    var gap = Gap()

    /// The words of a text, in its order.
    static func words(of tokens: [TextToken]) -> [DocumentWord] {
        var words: [DocumentWord] = []
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            if token.gap == .paragraph, !words.isEmpty { words[words.count - 1].gap.hasOther = true }
            if let sign = token.sign {
                if !words.isEmpty { words[words.count - 1].gap.add(sign) }
                index += 1
                continue
            }
            let last = end(of: index, in: tokens)
            let parts = tokens[index...last]
            words.append(
                DocumentWord(
                    range: tokens.extent(of: index...last), last: last, folded: parts.map { $0.folded }.joined(),
                    beginsUpper: token.isCapitalised, hasLowercase: parts.contains { $0.hasLowercase },
                    hasStops: last > index))
            index = last + 1
        }
        return words
    }

    /// The last token of the word that begins at an index: the full stop of `U.S.`
    private static func end(of first: Int, in tokens: [TextToken]) -> Int {
        var last = first
        while tokens[last].length == 1, isStop(last + 1, tokens), last + 2 < tokens.count,
            tokens[last + 2].gap == .none,
            tokens[last + 2].folded.first?.isLetter == true
        {
            last += 2
        }
        return last > first && isStop(last + 1, tokens) ? last + 1 : last
    }

    private static func isStop(_ index: Int, _ tokens: [TextToken]) -> Bool {
        tokens.sign(at: index) == "." && tokens[index].gap == .none && !tokens[index - 1].isPossessive
    }
}

extension [DocumentWord] {
    /// The beginnings of the words in lists of districts, with the word for one of these: `Anderson and Cherokee
    /// counties`.
    var districtLists: [String.Index: String] {
        var found: [String.Index: String] = [:]
        for end in indices {
            guard let kind = Self.districtPlurals[self[end].folded] else { continue }
            var starts: [String.Index] = []
            var isList = false
            for word in self[..<end].suffix(Self.longestList).reversed() {
                // `St. Louis and Lake counties`
                guard !word.gap.hasOther, !word.gap.hasStop || word.folded.utf8.count < 4 else { break }
                if word.folded == "and" {
                    isList = true
                } else if word.beginsUpper {
                    starts.append(word.range.lowerBound)
                } else {
                    break
                }
            }
            if isList { for start in starts { found[start] = kind } }
        }
        return found
    }

    /// Words for several districts, with that for one.
    static let districtPlurals = ["counties": "county", "parishes": "parish"]
    private static let longestList = 20
}

extension DocumentWord.Gap {
    fileprivate mutating func add(_ scalar: Unicode.Scalar) {
        switch scalar {
        case ",": hasComma = true
        case ".":
            if isOpen { beginsWithStop = true }
            hasStop = true
        case ";", ":", "!", "?", "(", ")", "[", "]", "\"", "“", "”", "—", "–", "/", "|": hasOther = true
        default: break
        }
    }
}
