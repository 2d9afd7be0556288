import Model

/// Finds a sea, strait, range or group of islands that an event's texts name, by the regions of Flinn and Engdahl.
///
/// A name counts behind a word such as `in` or `shakes`, or before one such as `earthquake`; not in a longer name
/// (`Black Sea Fleet`).
enum RegionFinder {
    /// An area: a circle around its middle.
    private struct Area {
        let number: Int
        let name: String
        let middle: Coordinate
        let radius: Double
    }

    /// The area that the title names, else the one that the lead of the text names; nil: none, or several.
    static func location(in words: EventText) -> Location? {
        let named = areas(in: words.opening)
        let ofTitle = named.filter { $0.range.lowerBound < words.titleEnd }
        let meant = ofTitle.isEmpty ? named : ofTitle
        guard let first = meant.first, meant.allSatisfy({ $0.area.number == first.area.number }) else { return nil }
        let evidence: PlaceEvidence = ofTitle.isEmpty ? .summary : .title
        return Location(
            first.area.middle, method: .gazetteer, precision: .region,
            confidence: Confidence.supported * evidence.trust, matchedText: String(words.text[first.range]),
            name: first.area.name, evidence: evidence, placeID: "flinn-engdahl:\(first.area.number)",
            radius: first.area.radius)
    }

    private static func areas(in text: String) -> [(area: Area, range: Range<String.Index>)] {
        let tokens = TextToken.tokens(of: text)
        var found: [(area: Area, range: Range<String.Index>)] = []
        var first = 0
        while first < tokens.count {
            guard tokens[first].isCapitalised, firstWords.contains(tokens[first].folded),
                let (area, last) = area(from: first, in: tokens, text)
            else {
                first += 1
                continue
            }
            if isPlace(first...last, tokens) { found.append((area, tokens.extent(of: first...last))) }
            first = last + 1
        }
        return found
    }

    /// The area of the longest name that begins at a token, and its last token.
    private static func area(from first: Int, in tokens: [TextToken], _ text: String) -> (area: Area, last: Int)? {
        for last in (first..<min(first + longestName, tokens.count)).reversed() where tokens[last].isCapitalised {
            if let area = byName[NameFolding.folded(String(text[tokens.extent(of: first...last)]))] {
                return (area, last)
            }
        }
        return nil
    }

    private static func isPlace(_ span: ClosedRange<Int>, _ tokens: [TextToken]) -> Bool {
        let next = tokens.word(after: span.upperBound).map { tokens[$0] }
        if let next, MeasuredDistance.quakes.contains(next.folded) { return true }
        if let next, next.isCapitalised, !PlaceWords.functionWords.contains(next.folded),
            !PlaceWords.cues.contains(next.folded), next.folded != "region"
        {
            return false
        }
        var before = tokens.word(before: span.lowerBound)
        if let article = before, tokens[article].folded == "the" { before = tokens.word(before: article) }
        guard let before else { return false }
        let word = tokens[before].folded
        return PlaceWords.cues.contains(word) && !PlaceWords.motion.contains(word)
            || MeasuredDistance.about.contains(word) || shakes.contains(word)
    }

    // MARK: - Words

    private static let shakes = MeasuredDistance.file.folded("shakes")

    /// Tokens of the longest name.
    private static let longestName = 8

    private static let byName: [String: Area] = {
        var areas: [String: Area] = [:]
        for (name, values) in WordFile("flinn-engdahl").namesByCode("areas") {
            let numbers = values.compactMap { Double($0) }
            guard numbers.count == 4, let middle = Coordinate(latitude: numbers[1], longitude: numbers[2]) else {
                continue
            }
            areas[NameFolding.folded(name)] = Area(
                number: Int(clamping: numbers[0]), name: name, middle: middle, radius: numbers[3])
        }
        return areas
    }()

    private static let firstWords = Set(byName.keys.compactMap { $0.split(separator: " ").first.map { String($0) } })
}
