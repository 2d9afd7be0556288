/// A word of a running text, for the search for names of areas.
///
/// A full stop after a single letter belongs to the word, as in `U.S.` and `W.Va.`; a possessive `'s` does not.
struct DocumentWord {
    /// The signs between a word and the next.
    struct Gap {
        var hasComma = false
        var hasStop = false
        /// A line break or a sign that separates names: semicolon, dash, bracket, quotation mark.
        var hasOther = false
        /// Whether the full stop is the first sign.
        var beginsWithStop = false

        /// Whether a name may continue after it.
        var isOpen: Bool { !hasComma && !hasStop && !hasOther }
    }

    /// Position of the word, without a possessive.
    let range: Range<String.Index>
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

    /// All words of a text, in its order.
    static func words(of text: String) -> [DocumentWord] {
        let scalars = text.unicodeScalars
        var words: [DocumentWord] = []
        var folding = NameFolding()
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            guard scalar.isWordCharacter else {
                if !words.isEmpty { words[words.count - 1].gap.add(scalar) }
                index = scalars.index(after: index)
                continue
            }
            let (next, hasStops) = wordEnd(scalars, from: index)
            let end = withoutPossessive(scalars, index..<next)
            let written = scalars[index..<end]
            folding.fold(String(written))
            if !folding.bytes.isEmpty {
                words.append(
                    DocumentWord(
                        range: index..<end, folded: String(decoding: folding.bytes, as: UTF8.self),
                        beginsUpper: scalar.isUppercase,
                        hasLowercase: written.contains { $0.isLowercase }, hasStops: hasStops))
            }
            index = next
        }
        return words
    }

    private static func wordEnd(
        _ scalars: String.UnicodeScalarView, from start: String.Index
    ) -> (end: String.Index, hasStops: Bool) {
        var index = start
        var hasStops = false
        var run = 0
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if scalar.isWordCharacter {
                run += 1
            } else if isApostrophe(scalar), next < scalars.endIndex, scalars[next].isWordCharacter {
                run += 1
            } else if scalar == ".", run == 1, next < scalars.endIndex, scalars[next].isAlphabetic {
                hasStops = true
                run = 0
            } else {
                break
            }
            index = next
        }
        if hasStops, index < scalars.endIndex, scalars[index] == "." { index = scalars.index(after: index) }
        return (index, hasStops)
    }

    private static func withoutPossessive(
        _ scalars: String.UnicodeScalarView, _ range: Range<String.Index>
    ) -> String.Index {
        var last = range.upperBound
        guard last > range.lowerBound else { return range.upperBound }
        last = scalars.index(before: last)
        guard last > range.lowerBound, scalars[last] == "s" || scalars[last] == "S" else { return range.upperBound }
        let apostrophe = scalars.index(before: last)
        return apostrophe > range.lowerBound && isApostrophe(scalars[apostrophe]) ? apostrophe : range.upperBound
    }

    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "’" || scalar == "‘" || scalar == "`" || scalar == "ʻ"
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
        case ";", ":", "!", "?", "(", ")", "[", "]", "\"", "“", "”", "—", "–", "/", "|", "\n": hasOther = true
        default: break
        }
    }
}
