/// A word or a sign of a running text.
struct TextToken {
    /// What separates a token from the one before it.
    enum Gap {
        /// No separator.
        case none
        /// White space with at most one line break.
        case space
        /// An empty line, or the beginning of the text.
        case paragraph
    }

    /// Position of the token, without a possessive `'s`.
    let range: Range<String.Index>
    /// The folded word; empty for a sign.
    let folded: String
    /// The sign; nil for a word.
    let sign: Unicode.Scalar?
    /// Number of letters and digits.
    let length: Int
    /// Whether its first letter is a capital.
    let isCapitalised: Bool
    /// Whether it has at least two letters, none of them in lower case.
    let isAllCaps: Bool
    /// Whether it has a letter in lower case.
    let hasLowercase: Bool
    /// Whether its position alone may explain a capital.
    let startsSentence: Bool
    /// Whether a possessive `'s` follows.
    let isPossessive: Bool
    /// The separator before it.
    let gap: Gap

    var isWord: Bool { sign == nil }

    /// The tokens of a text, in its order.
    static func tokens(of text: String) -> [TextToken] {
        let scalars = text.unicodeScalars
        let end = scalars.endIndex
        var tokens: [TextToken] = []
        var folding = NameFolding()
        var index = scalars.startIndex
        var gap = Gap.paragraph
        var lineBreaks = 0
        var startsSentence = true
        while index < end {
            let scalar = scalars[index]
            if scalar.isSpace {
                if scalar == "\n" { lineBreaks += 1 }
                if lineBreaks > 1 {
                    gap = .paragraph
                    startsSentence = true
                } else if gap == .none {
                    gap = .space
                }
                index = scalars.index(after: index)
                continue
            }
            let start = index
            if scalar.isWordCharacter {
                let word = Word(scalars, from: start, before: end)
                index = word.next
                folding.fold(String(scalars[start..<word.end]))
                let folded = String(decoding: folding.bytes, as: UTF8.self)
                guard !folded.isEmpty else { continue }
                tokens.append(
                    TextToken(
                        range: start..<word.end, folded: folded, sign: nil, length: word.length,
                        isCapitalised: scalar.isUppercase, isAllCaps: word.isAllCaps,
                        hasLowercase: word.hasLowercase, startsSentence: startsSentence,
                        isPossessive: word.isPossessive, gap: gap))
                startsSentence = false
            } else {
                index = scalars.index(after: start)
                if endsSentence(scalar, after: tokens.last, gap: gap) { startsSentence = true }
                tokens.append(
                    TextToken(
                        range: start..<index, folded: "", sign: scalar, length: 0, isCapitalised: false,
                        isAllCaps: false, hasLowercase: false, startsSentence: false, isPossessive: false, gap: gap))
            }
            gap = .none
            lineBreaks = 0
        }
        return tokens
    }

    /// One word: letters, digits and the apostrophes between them.
    private struct Word {
        /// The end without a possessive `'s`, and the position after the whole word.
        private(set) var end: String.Index
        private(set) var next: String.Index
        private(set) var length = 0
        private(set) var isPossessive = false
        private var letters = 0
        private(set) var hasLowercase = false

        var isAllCaps: Bool { !hasLowercase && letters > 1 }

        init(_ scalars: String.UnicodeScalarView, from start: String.Index, before limit: String.Index) {
            end = start
            next = start
            var apostrophe: (index: String.Index, length: Int)?
            while next < limit {
                let scalar = scalars[next]
                let following = scalars.index(after: next)
                if scalar.isWordCharacter {
                    length += 1
                } else if TextToken.isApostrophe(scalar), following < limit,
                    scalars[following].isWordCharacter
                {
                    apostrophe = (next, length)
                } else {
                    break
                }
                next = following
            }
            end = next
            if let apostrophe, length == apostrophe.length + 1 {
                let last = scalars[scalars.index(after: apostrophe.index)]
                if last == "s" || last == "S" {
                    end = apostrophe.index
                    length -= 1
                    isPossessive = true
                }
            }
            var index = start
            while index < end {
                if scalars[index].isAlphabetic { letters += 1 }
                if scalars[index].isLowercase { hasLowercase = true }
                index = scalars.index(after: index)
            }
        }
    }

    private static func endsSentence(_ sign: Unicode.Scalar, after token: TextToken?, gap: Gap) -> Bool {
        switch sign {
        case ".":
            // The full stop of an abbreviation.
            guard let token, token.isWord, gap == .none else { return true }
            return token.length > 1 && !PlaceWords.abbreviations.contains(token.folded)
        case "!", "?", ":", ";", "\"", "“", "”", "„", "«", "»", "•", "|", "(", ")", "[", "]", "–", "—", "…":
            return true
        default: return false
        }
    }

    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "’" || scalar == "ʼ"
    }
}
