import Model

/// Finds the volcanoes of the seeded list that an event's texts name.
///
/// Names such as `Michael`, `Baker` or `San Miguel` mostly mean something else, so a text that is no report on volcanoes
/// counts only with a word of volcanism, and the name, which must be no person's, needs one of these:
///
/// | support | example |
/// |---|---|
/// | a word that makes it a volcano | `Mount Etna`, `Volcán de Fuego`, `Kilauea volcano` |
/// | its country behind it, in a paragraph with a word of volcanism other than `eruption` | `Fuego (Guatemala)` |
/// | `erupts` behind it, unless people do | `Etna erupts again` |
/// | a sentence about volcanism, with `of`, `at` or the like before it or such a word beside it | `lava from Kilauea` |
///
/// With the last two alone, names of towns and areas and common words do not count. Of several volcanoes of a name the
/// country behind it decides.
struct VolcanoFinder {
    /// A volcano named in a text.
    struct Found {
        let point: PointOfInterest
        /// Codes of its countries.
        let countries: [String]
        /// Position of the name.
        let range: Range<String.Index>
        var confidence: Double
        /// The distance that the text measures from it.
        let distance: MeasuredDistance?
    }

    private let resolver: Resolver
    private var byName: [String: [(point: PointOfInterest, countries: [String])]] = [:]

    private static let longestName = 5

    /// - Parameter points: The list, in which a volcano may stand once for each of its names.
    init(_ points: [PointOfInterest], resolver: Resolver) {
        self.resolver = resolver
        for point in points where point.kind == .volcano {
            let parts = (point.country ?? "").split { "-()".contains($0) }
            let whole = [Substring(point.country ?? "")] + parts
            let countries = Set(whole.flatMap { areas(named: NameFolding.folded(String($0))) }.map { $0.country })
            for name in Self.names(of: point.name)
            where !(byName[name]?.contains { $0.point.key == point.key } ?? false) {
                byName[name, default: []].append((point, countries.sorted()))
            }
        }
    }

    private func areas(named folded: String) -> [Place] {
        resolver.names.entries(NameKey(folded: folded.utf8)).filter { $0.form != .demonym }.map { $0.area }
    }

    /// The folded names for a name as lists write it: `Ruiz, Nevado del`, `Tomariyama [Golovnin]`.
    private static func names(of name: String) -> Set<String> {
        var names: Set<String> = []
        for part in name.split(whereSeparator: { "[]".contains($0) }) {
            let halves = part.split(separator: ",", maxSplits: 1).map { String($0) }
            guard let first = halves.first else { continue }
            guard halves.count == 2 else {
                names.insert(bare(NameFolding.folded(first)))
                continue
            }
            names.insert(bare(NameFolding.folded(halves[1] + " " + first)))
        }
        return names.filter { $0.count > 2 && $0 != "unnamed" }
    }

    /// A folded name without the word that makes it a volcano.
    private static func bare(_ folded: String) -> String {
        var words = folded.split(separator: " ")
        if words.count > 1, let head = words.first, heads.contains(String(head)) {
            words.removeFirst()
            while words.count > 1, let next = words.first, particles.contains(String(next)) { words.removeFirst() }
        }
        if words.count > 1, let tail = words.last, tails.contains(String(tail)) { words.removeLast() }
        return words.joined(separator: " ")
    }

    // MARK: - Texts

    /// The volcanoes that a text names, in its order; the words of volcanism may stand anywhere in it.
    /// - Parameter isReport: Whether the text is a report on volcanoes, so that it needs no word of volcanism.
    func volcanoes(in text: String, isReport: Bool) throws(GazetteerError) -> [Found] {
        guard !byName.isEmpty else { return [] }
        let document = DocumentText(text)
        let tokens = document.tokens
        let isVolcanic =
            isReport || tokens.contains { Self.volcanism.contains($0.folded) }
            || tokens.indices.contains { Self.isAsh($0, tokens) }
        guard isVolcanic || tokens.contains(where: { Self.eruptive.contains($0.folded) }) || Self.areEjecta(tokens)
        else {
            return []
        }
        let areas = try DocumentAreas(in: document, resolver: resolver)
        let persons = tokens.persons
        let lowercase = Set(tokens.lazy.filter { $0.isWord && !$0.isCapitalised }.map { $0.folded })
        let distances = MeasuredDistance.phrases(in: tokens, of: text)
        var found: [Found] = []
        var unsure: [Found] = []
        var first = 0
        while first < tokens.count {
            guard tokens[first].isWord, tokens[first].isCapitalised, let span = span(from: first, in: tokens, text)
            else {
                first += 1
                continue
            }
            let name = NameFolding.folded(String(text[tokens.extent(of: span)]))
            first = span.upperBound + 1
            // A code may be a word: `Etna (It is erupting)`.
            let behind = areas.area(behind: tokens.extent(of: span)).flatMap { $0.form == .name ? $0.areas : nil }
            let country = behind?.first { $0.kind == .country }?.country
            var candidates = byName[name] ?? []
            if let country { candidates = candidates.filter { $0.countries.contains(country) } }
            guard candidates.count == 1, let volcano = candidates.first else { continue }
            let isFormed = isFormed(span, tokens)
            let erupts =
                isFormed
                && tokens.word(after: span.upperBound).map {
                    Self.eruptive.contains(tokens[$0].folded)
                } ?? false
            let begin = begin(of: span, tokens)
            var mention = Found(
                point: volcano.point, countries: volcano.countries, range: tokens.extent(of: span),
                confidence: Confidence.supported, distance: distances.first { $0.name == begin }?.distance)
            var confidence = country != nil ? Confidence.qualified : Confidence.certainName
            // `Cheryl Baker`
            if let before = tokens.word(before: span.lowerBound), tokens[before].isPersonal { continue }
            let isSure =
                isFormed && (isVolcanic || erupts)
                || country != nil && (isReport || isAmidGeology(span, tokens))
            if !isSure {
                guard !persons.contains(name), !lowercase.contains(name), try isNothingElse(name),
                    isAmidVolcanism(span, tokens, isReport: isReport) || isErupting(span, tokens)
                else {
                    if !persons.contains(name) { unsure.append(mention) }
                    continue
                }
                confidence = Confidence.supported
            }
            mention.confidence = confidence
            found.append(mention)
        }
        // A volcano that is sure once is meant by its name elsewhere in the text, too.
        found += unsure.filter { mention in found.contains { $0.point.key == mention.point.key } }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The tokens of the longest name of the list that begins at a token.
    private func span(from first: Int, in tokens: [TextToken], _ text: String) -> ClosedRange<Int>? {
        var best: ClosedRange<Int>?
        var last = first
        var words = 1
        while true {
            if tokens[last].isWord, tokens[last].isCapitalised,
                byName[NameFolding.folded(String(text[tokens.extent(of: first...last)]))] != nil
            {
                best = first...last
            }
            guard words < Self.longestName, last + 1 < tokens.count, !tokens[last].isPossessive else { break }
            // `St. Helens`, `Kusatsu-Shiranesan`
            let isJoined = tokens[last + 1].isHyphen || tokens[last + 1].sign == "." && tokens[last].length < 3
            let next = isJoined && tokens[last + 1].gap == .none ? last + 2 : last + 1
            guard next < tokens.count, tokens[next].isWord, tokens[next].gap != .paragraph else { break }
            last = next
            words += 1
        }
        return best
    }

    /// Whether a word beside the name makes it a volcano: `Mount`, `Volcán de`, `volcano`; not in `from the volcano
    /// Michael Palin waved`.
    private func isFormed(_ span: ClosedRange<Int>, _ tokens: [TextToken]) -> Bool {
        let next = tokens.word(after: span.upperBound)
        if let next, Self.tails.contains(tokens[next].folded) { return true }
        let head = begin(of: span, tokens)
        return head < span.lowerBound && (tokens[head].isCapitalised || next.map { !tokens[$0].isCapitalised } ?? true)
    }

    /// The first token of a name with the words that make it a volcano: `Mount`, `Volcán de`.
    private func begin(of span: ClosedRange<Int>, _ tokens: [TextToken]) -> Int {
        var index = span.lowerBound
        while let before = tokens.word(before: index) {
            if Self.heads.contains(tokens[before].folded) { return before }
            guard Self.particles.contains(tokens[before].folded) else { break }
            index = before
        }
        return span.lowerBound
    }

    /// Whether the bare name is neither that of a town or area nor a person's nor a common word.
    private func isNothingElse(_ name: String) throws(GazetteerError) -> Bool {
        let key = NameKey(folded: name.utf8)
        guard !PlaceWords.givenNames.contains(name), !PlaceWords.surnames.contains(name),
            !PlaceWords.common.contains(name), !PlaceWords.never.contains(name), resolver.names.entries(key).isEmpty
        else { return false }
        return try resolver.table.cities(named: key, limit: 1).isEmpty
    }

    /// Whether the sentence around the bare name is about volcanism, and the name stands in it as a place.
    private func isAmidVolcanism(_ span: ClosedRange<Int>, _ tokens: [TextToken], isReport: Bool) -> Bool {
        let before = tokens.word(before: span.lowerBound).map { tokens[$0] }
        let after = tokens.word(after: span.upperBound).map { tokens[$0] }
        func isVolcanic(_ token: TextToken?) -> Bool {
            token.map { Self.volcanism.contains($0.folded) || Self.ejecta.contains($0.folded) } ?? false
        }
        if let before, before.isCapitalised, !before.startsSentence, !isVolcanic(before) { return false }
        if let after, after.isCapitalised, !isVolcanic(after) { return false }
        let isPlace = before.map { PlaceWords.cues.contains($0.folded) || ["of", "on"].contains($0.folded) } ?? false
        guard isPlace || isVolcanic(before) || isVolcanic(after) || tokens[span.upperBound].isPossessive else {
            return false
        }
        if isReport { return true }
        let sentence = surroundings(of: span, tokens)
        return sentence.contains { Self.volcanism.contains($0.folded) } || Self.areEjecta(sentence)
            || sentence.indices.contains { Self.isAsh($0, tokens) }
    }

    /// Whether the paragraph around a name has a word of volcanism that is not used of violence, too.
    private func isAmidGeology(_ span: ClosedRange<Int>, _ tokens: [TextToken]) -> Bool {
        let paragraph = surroundings(of: span, tokens, isWide: true)
        return paragraph.indices.contains { Self.geology.contains(tokens[$0].folded) || Self.isAsh($0, tokens) }
    }

    /// Whether a bare name erupts, and not in anger: `Etna erupts`, `Etna erupts again`.
    private func isErupting(_ span: ClosedRange<Int>, _ tokens: [TextToken]) -> Bool {
        guard let verb = tokens.word(after: span.upperBound), Self.eruptive.contains(tokens[verb].folded) else {
            return false
        }
        let before = tokens.word(before: span.lowerBound).map { tokens[$0] }
        if let before, before.isCapitalised, !before.startsSentence { return false }
        return tokens.word(after: verb).map { !Self.figurative.contains(tokens[$0].folded) } ?? true
    }

    /// Whether words tell of volcanic ash: `ash plume`, `ash from`.
    private static func isAsh(_ index: Int, _ tokens: [TextToken]) -> Bool {
        guard tokens[index].folded == "ash", let next = tokens.word(after: index) else { return false }
        return ashTails.contains(tokens[next].folded)
    }

    /// The tokens around a name, up to the ends of its sentence or, with `isWide`, of its paragraph.
    private func surroundings(
        of span: ClosedRange<Int>, _ tokens: [TextToken], isWide: Bool = false
    ) -> ArraySlice<TextToken> {
        func begins(_ index: Int) -> Bool {
            tokens[index].gap == .paragraph || !isWide && tokens[index].startsSentence
        }
        var start = span.lowerBound
        while start > 0, !begins(start) { start -= 1 }
        var end = span.upperBound + 1
        while end < tokens.count, !begins(end) { end += 1 }
        return tokens[start..<end]
    }

    /// Whether several words that may mean something else tell of volcanism together.
    private static func areEjecta(_ tokens: some Sequence<TextToken>) -> Bool {
        Set(tokens.lazy.map { $0.folded }.filter { ejecta.contains($0) }).count > 1
    }

    // MARK: - Words

    private static let file = WordFile("volcanoes")

    /// Words of volcanism, also of neighbouring languages.
    private static let volcanism = file.folded("volcanism")

    /// Words of volcanism without those that people use of violence and illness, too.
    private static let geology = volcanism.subtracting(file.folded("violence"))

    /// Words that tell of volcanism together.
    private static let ejecta = file.folded("ejecta")

    private static let ashTails = file.folded("ash tails")

    /// Words behind `erupts` with which people and streets erupt, too.
    private static let figurative = file.folded("figurative")

    private static let eruptive = file.folded("eruptive")

    /// Words before a name that make it a volcano, and after it.
    private static let heads = file.folded("volcano heads")
    private static let tails = file.folded("volcano tails")
    private static let particles: Set<String> = ["de", "del", "la", "el"]
}
