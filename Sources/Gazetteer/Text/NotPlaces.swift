/// Takes the words that name no places for a source (`SourceSettings.notPlaces`) out of its texts.
///
/// Words and texts are compared folded (`NameFolding`); several words are a phrase. A longer name that only contains them
/// stays a name, and so does an area behind a name: `York` leaves New York, `Georgia` leaves Athens, Georgia.
struct NotPlaces {
    private let names: Set<String>
    private let firstWords: Set<Substring>

    /// The most tokens of a phrase, signs between its words included, and the most bytes.
    private static let (mostTokens, mostBytes) = (20, 400)

    init(_ words: [String]) {
        let names = Set(words.map { NameFolding.folded($0) })
        self.names = names
        firstWords = Set(names.compactMap { $0.split(separator: " ").first })
    }

    /// The running text with a slash, which separates names, in place of the words.
    func removed(from text: String, resolver: Resolver) throws(GazetteerError) -> String {
        let tokens = TextToken.tokens(of: text)
        return Self.replacing(try found(in: text, tokens, text, resolver), in: text, by: "/")
    }

    /// The place text without the parts, between commas and the like, that have the words: no part of `Lower Manhattan`
    /// is a place without Manhattan.
    func removed(fromPlace text: String, resolver: Resolver) throws(GazetteerError) -> String {
        let tokens = TextToken.tokens(of: text)
        // A person may write `new york`; names are looked for among capitalised words.
        let ranges = try found(in: text, tokens, text.uppercased(), resolver).map { word in
            let start = text[..<word.lowerBound].lastIndex(where: Self.separates).map { text.index(after: $0) }
            let end = text[word.upperBound...].firstIndex(where: Self.separates)
            return (start ?? text.startIndex)..<(end ?? text.endIndex)
        }
        return Self.replacing(ranges, in: text, by: "")
    }

    private static func separates(_ character: Character) -> Bool {
        ",;/|•·()".contains(character) || character.isNewline
    }

    /// Replaces ranges in their order; one that begins inside another is left out.
    private static func replacing(_ ranges: [Range<String.Index>], in text: String, by words: String) -> String {
        var (rest, end) = ("", text.startIndex)
        for range in ranges where range.lowerBound >= end {
            rest += text[end..<range.lowerBound]
            rest += words
            end = range.upperBound
        }
        rest += text[end...]
        return rest
    }

    // MARK: - Words

    /// The words in a text, in its order, that are no part of a longer name and do not qualify one.
    /// - Parameter written: The text with names in capitals, of the same tokens.
    private func found(
        in text: String, _ tokens: [TextToken], _ written: String, _ resolver: Resolver
    ) throws(GazetteerError) -> [Range<String.Index>] {
        var found: [(tokens: ClosedRange<Int>, range: Range<String.Index>)] = []
        var first = 0
        while first < tokens.count {
            let phrase = phrase(from: first, tokens, of: text)
            if let phrase { found.append(phrase) }
            first = (phrase?.tokens.upperBound ?? first) + 1
        }
        guard !found.isEmpty else { return [] }
        let areas = try DocumentAreas(in: DocumentText(written), resolver: resolver)
        var finder = NameFinder(areas, resolver)
        var longer: [ClosedRange<Int>] = []
        for name in try finder.names(most: PlaceFinder.nameLimit) {
            longer.append(name.tokens)
            // In `Athens, Georgia` the state says which Athens.
            guard !found.contains(where: { $0.tokens == name.tokens }), try finder.area(behind: name) != nil,
                let end = areas.largeArea(behind: name.range)?.last
            else { continue }
            longer.append(name.tokens.lowerBound...end)
        }
        return found.filter { phrase in
            // A full stop, as of `U.S.`, makes a name no longer.
            !longer.contains { name in
                name.lowerBound <= phrase.tokens.lowerBound && phrase.tokens.upperBound <= name.upperBound
                    && name.contains { tokens[$0].isWord && !phrase.tokens.contains($0) }
            }
        }.map { $0.range }
    }

    /// The longest phrase that begins at a token; nil: none does.
    private func phrase(
        from first: Int, _ tokens: [TextToken], of text: String
    ) -> (tokens: ClosedRange<Int>, range: Range<String.Index>)? {
        // The letters of `U.S.` are words of their own.
        guard tokens[first].isWord, tokens[first].length == 1 || firstWords.contains(tokens[first].folded[...]) else {
            return nil
        }
        for last in (first..<min(first + Self.mostTokens, tokens.count)).reversed() where tokens[last].isWord {
            let range = tokens.extent(of: first...last)
            guard text[range].utf8.count <= Self.mostBytes else { continue }
            if names.contains(NameFolding.folded(String(text[range]))) { return (first...last, range) }
            // `St. John's`
            guard tokens[last].isPossessive,
                let end = text.index(range.upperBound, offsetBy: 2, limitedBy: text.endIndex)
            else { continue }
            let whole = range.lowerBound..<end
            if names.contains(NameFolding.folded(String(text[whole]))) { return (first...last, whole) }
        }
        return nil
    }
}
