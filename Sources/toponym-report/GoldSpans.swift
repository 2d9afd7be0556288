import Gazetteer
import Model

/// Measures resolving with the marked spans given: for each class of toponyms recall, precision, and what an oracle and
/// a baseline (the most populous city) would reach with the same table.
struct GoldSpans: ReportSection {
    /// Most kilometres between a city and its gold place: 100 miles, as in the literature on geoparsing.
    static let tolerance = 161.0

    private let resolver: Resolver

    init(_ resolver: Resolver) { self.resolver = resolver }

    var title: String { "Gold spans" }

    private enum Class: String, CaseIterable {
        case populatedPlace = "populated place"
        case area = "country or region"
        case demonym = "demonym"
        case other = "other"
    }

    private struct Counts {
        var gold = 0
        var right = 0
        var answered = 0
        var ceiling = 0
        var floorRight = 0
        var floorAnswered = 0

        mutating func add(_ other: Counts) {
            gold += other.gold
            right += other.right
            answered += other.answered
            ceiling += other.ceiling
            floorRight += other.floorRight
            floorAnswered += other.floorAnswered
        }
    }

    private struct Figures {
        var counts: [Class: Counts] = [:]
        /// Of all classes, by the document's position in its feed.
        var positions: [Int: Counts] = [:]
        /// Number of errors by class of error.
        var errorClasses: [String: Int] = [:]
        var errors: [String] = []
        /// Toponyms without a place in GeoNames, and the answered ones among them.
        var unjudged = 0
        var unjudgedAnswered = 0
    }

    func report(_ documents: [CorpusDocument], errors: Int) throws -> String {
        var figures = Figures()
        for document in documents { try judge(document, &figures) }
        var lines = [
            "class               gold  right    share  precision  ceiling  of ceiling  floor  floor's precision"
        ]
        for kind in Class.allCases { lines.append(line(kind.rawValue, figures.counts[kind] ?? Counts())) }
        lines.append(line("all", figures.counts.values.reduce(into: Counts()) { $0.add($1) }))
        for position in [1, 3, 5, 7] {
            if let counts = figures.positions[position] { lines.append(line("no. \(position) of its feed", counts)) }
        }
        lines.append("without a gold place: \(figures.unjudged), of which answered: \(figures.unjudgedAnswered)")
        for (name, count) in figures.errorClasses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append(right("\(count)", 6) + "  " + name)
        }
        lines += figures.errors.prefix(errors)
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ name: String, _ counts: Counts) -> String {
        [
            left(name, 18), right("\(counts.gold)", 6), right("\(counts.right)", 7),
            right(percent(counts.right, counts.gold), 9), right(percent(counts.right, counts.answered), 11),
            right(percent(counts.ceiling, counts.gold), 9), right(percent(counts.right, counts.ceiling), 12),
            right(percent(counts.floorRight, counts.gold), 7),
            right(percent(counts.floorRight, counts.floorAnswered), 19),
        ].joined()
    }

    private func judge(_ document: CorpusDocument, _ figures: inout Figures) throws {
        let ranges = document.toponyms.map { $0.range }
        let outcomes = try resolver.resolve(ranges, in: document.text, context: document.context)
        for (toponym, outcome) in zip(document.toponyms, outcomes) {
            var answer: Place?
            if case .found(let resolution) = outcome { answer = resolution.place }
            guard let gold = toponym.place else {
                figures.unjudged += 1
                figures.unjudgedAnswered += answer == nil ? 0 : 1
                continue
            }
            let kind = self.kind(of: toponym, gold)
            let candidates = try resolver.candidates(for: toponym.range, in: document.text)
            let isOffered = candidates.contains { isRight($0, gold, kind) }
            let plainest = candidates.filter { $0.kind == .city }.max { $0.population < $1.population }
            let isCorrect = answer.map { isRight($0, gold, kind) } ?? false
            var counts = figures.counts[kind] ?? Counts()
            counts.gold += 1
            counts.answered += answer == nil ? 0 : 1
            counts.right += isCorrect ? 1 : 0
            counts.ceiling += isOffered ? 1 : 0
            counts.floorAnswered += plainest == nil ? 0 : 1
            counts.floorRight += plainest.map { isRight($0, gold, kind) } == true ? 1 : 0
            figures.counts[kind] = counts
            if let position = document.position {
                var one = Counts(gold: 1)
                one.answered = answer == nil ? 0 : 1
                one.right = isCorrect ? 1 : 0
                one.ceiling = isOffered ? 1 : 0
                figures.positions[position, default: Counts()].add(one)
            }
            guard !isCorrect, answer != nil || isOffered else { continue }
            let verdict: String
            switch outcome {
            case .found(let resolution): verdict = "answered with a \(resolution.place.kind.rawValue)"
            case .abstained(let reason, _): verdict = "abstained (\(reason.rawValue))"
            }
            let offer = isOffered ? "the table has it" : "the table lacks it"
            figures.errorClasses["\(kind.rawValue): \(verdict), \(offer)", default: 0] += 1
            let found = answer.map { "\($0.id) \($0.name)" } ?? "nothing"
            figures.errors.append(
                "\(document.id): \(verdict): '\(toponym.phrase)' is \(gold.name) (\(gold.featureCode)), found \(found)")
        }
    }

    private func kind(of toponym: GoldToponym, _ gold: GoldPlace) -> Class {
        switch gold.featureClass {
        case "P": .populatedPlace
        case "A": resolver.isDemonym(toponym.phrase) ? .demonym : .area
        default: .other
        }
    }

    /// Whether the place is that of the toponym.
    func isRight(_ place: Place, of toponym: GoldToponym, _ gold: GoldPlace) -> Bool {
        isRight(place, gold, kind(of: toponym, gold))
    }

    /// A country or region is right if it is the gold one, a city if it is within the tolerance.
    private func isRight(_ place: Place, _ gold: GoldPlace, _ kind: Class) -> Bool {
        switch kind {
        case .area, .demonym: place.kind != .city && place.geonameID == gold.geonameID
        case .populatedPlace, .other:
            place.kind == .city && place.coordinate.distance(to: gold.coordinate) <= Self.tolerance
        }
    }

    private func percent(_ part: Int, _ whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let tenths = (part * 2000 + whole) / (2 * whole)
        return "\(tenths / 10).\(tenths % 10) %"
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
