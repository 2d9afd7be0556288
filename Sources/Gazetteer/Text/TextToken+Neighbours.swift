import Foundation

extension TextToken {
    /// Whether it is a hyphen.
    var isHyphen: Bool { sign == "-" || sign == "\u{2010}" || sign == "\u{2011}" }

    /// Whether it is a title, a given name or an initial.
    var isPersonal: Bool {
        isCapitalised
            && (length == 1 || PlaceWords.titles.contains(folded) || PlaceWords.givenNames.contains(folded))
    }
}

/// Relations between the tokens of a text.
extension [TextToken] {
    /// The sign at an index; nil for a word and for an index out of range.
    func sign(at index: Int) -> Unicode.Scalar? { indices.contains(index) ? self[index].sign : nil }

    /// The part of the text from the first to the last of these tokens.
    func extent(of span: ClosedRange<Int>) -> Range<String.Index> {
        self[span.lowerBound].range.lowerBound..<self[span.upperBound].range.upperBound
    }

    /// The word before a token, across the full stop of an initial or abbreviation; nil across any other sign.
    func word(before index: Int) -> Int? {
        guard index > 0, self[index].gap == .space else { return nil }
        let before = self[index - 1]
        if before.isWord { return before.isPossessive ? nil : index - 1 }
        guard before.sign == ".", before.gap == .none, index > 1 else { return nil }
        let word = self[index - 2]
        return word.isWord && (word.length == 1 || PlaceWords.abbreviations.contains(word.folded)) ? index - 2 : nil
    }

    /// The word after a token; nil if a sign or a possessive separates them.
    func word(after index: Int) -> Int? {
        guard index + 1 < count, !self[index].isPossessive else { return nil }
        let next = self[index + 1]
        return next.isWord && next.gap == .space ? index + 1 : nil
    }

    /// Words of persons' names: those after a title, a given name or an initial, and the given names themselves.
    var persons: Set<String> {
        var found: Set<String> = []
        for index in indices where self[index].isWord && self[index].isCapitalised {
            guard let before = word(before: index), self[before].isCapitalised else { continue }
            let head = self[before]
            let isGiven = PlaceWords.givenNames.contains(head.folded)
            let isInitial = head.length == 1 && before == index - 2
            guard isGiven || isInitial || PlaceWords.titles.contains(head.folded) else { continue }
            let own = self[index].folded
            if isGiven, !PlaceWords.publicBodies.contains(own), !PlaceWords.organisationTails.contains(own),
                !PlaceWords.features.contains(own), !PlaceWords.titles.contains(own),
                !PlaceWords.functionWords.contains(own)
            {
                found.insert(head.folded)
            }
            found.insert(own)
            var last = index
            while let next = word(after: last), self[next].isCapitalised, next < index + 3 {
                found.insert(self[next].folded)
                last = next
            }
        }
        return found
    }

    /// Tokens of paragraphs in which at least 70 % of the longer words are capitalised.
    var headlines: IndexSet {
        var found = IndexSet()
        let starts = indices.filter { self[$0].gap == .paragraph } + [count]
        for (start, end) in zip(starts, starts.dropFirst()) {
            let words = self[start..<end].filter { $0.length > 3 }
            let isHeadline = words.count > 4 && words.count(where: { $0.isCapitalised }) * 10 >= words.count * 7
            if isHeadline { found.insert(integersIn: start..<end) }
        }
        return found
    }
}
