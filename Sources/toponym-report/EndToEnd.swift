import Gazetteer
import Model

/// Measures found places without the marked spans.
///
/// A pin is a place that `PlaceFinder` finds. It is right if it overlaps a marked toponym and is its place, wrong if it
/// overlaps one and is another place, and stray if it overlaps none. Toponyms without a place in the corpus do not
/// count, nor do pins on them. Titles are read but not counted, since they have no marks.
struct EndToEnd: ReportSection {
    private let finder: PlaceFinder

    init(_ finder: PlaceFinder) { self.finder = finder }

    var title: String { "End to end" }

    private struct Counts {
        var right = 0
        var wrong = 0
        var stray = 0

        var pins: Int { right + wrong + stray }
    }

    private struct Figures {
        var toponyms = 0
        var found = 0
        var pins: [Place.Kind: Counts] = [:]
        var errors: [String: Int] = [:]
    }

    func report(_ documents: [CorpusDocument], errors: Int) throws -> String {
        var figures = Figures()
        for document in documents { try judge(document, &figures) }
        var all = Counts()
        var lines: [String] = []
        for kind in Place.Kind.allCases {
            guard let counts = figures.pins[kind] else { continue }
            all.right += counts.right
            all.wrong += counts.wrong
            all.stray += counts.stray
            lines.append("  as a \(kind.rawValue): \(line(counts))")
        }
        lines.insert("pins: \(line(all))", at: 0)
        lines.append(
            "recall: \(figures.found) of \(figures.toponyms) toponyms with a place, "
                + percent(figures.found, figures.toponyms))
        let most = figures.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        lines += most.prefix(errors).map { "\($0.value) × \($0.key)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func judge(_ document: CorpusDocument, _ figures: inout Figures) throws {
        let known = document.toponyms.filter { $0.place != nil }
        figures.toponyms += known.count
        var found: Set<String.Index> = []
        let text = document.text
        let parted = parted(document)
        for pin in try finder.places(in: parted, context: document.context) {
            guard let range = range(of: pin.range, of: parted, in: document) else { continue }
            let place = pin.resolution.place
            let touched = document.toponyms.filter { $0.range.overlaps(range) }
            if touched.isEmpty {
                figures.pins[place.kind, default: Counts()].stray += 1
                note("no toponym", place, text, range, &figures)
            } else if let hit = touched.first(where: { $0.place.map { isRight(place, $0) } ?? false }) {
                figures.pins[place.kind, default: Counts()].right += 1
                found.insert(hit.range.lowerBound)
            } else if touched.contains(where: { $0.place != nil }) {
                figures.pins[place.kind, default: Counts()].wrong += 1
                note("another place", place, text, range, &figures)
            }
        }
        figures.found += found.count
    }

    /// The text as that of an event, in which an empty line separates title and text: one character more.
    func parted(_ document: CorpusDocument) -> String {
        let end = titleEnd(document)
        return String(document.text[..<end]) + "\n" + String(document.text[end...])
    }

    private func titleEnd(_ document: CorpusDocument) -> String.Index {
        document.text.unicodeScalars.firstIndex(of: "\n") ?? document.text.startIndex
    }

    /// The range in the document's text; nil: in its title.
    private func range(
        of range: Range<String.Index>, of parted: String, in document: CorpusDocument
    ) -> Range<String.Index>? {
        let text = document.text
        let start = parted.utf8.distance(from: parted.startIndex, to: range.lowerBound) - 1
        let length = parted.utf8.distance(from: range.lowerBound, to: range.upperBound)
        let first = text.utf8.index(text.startIndex, offsetBy: max(0, start))
        guard first > titleEnd(document) else { return nil }
        return first..<text.utf8.index(first, offsetBy: length)
    }

    /// The toponyms that a name overlaps; nil: it is in the title, where none are marked.
    func touched(by name: Range<String.Index>, of parted: String, in document: CorpusDocument) -> [Int]? {
        guard let range = range(of: name, of: parted, in: document) else { return nil }
        return document.toponyms.indices.filter { document.toponyms[$0].range.overlaps(range) }
    }

    /// An area is right if it is the same one; a city if it is within the tolerance of a place that is no area.
    func isRight(_ place: Place, _ gold: GoldPlace) -> Bool {
        if place.kind != .city { return place.geonameID == gold.geonameID }
        return gold.featureClass != "A" && place.coordinate.distance(to: gold.coordinate) <= GoldSpans.tolerance
    }

    private func note(
        _ what: String, _ place: Place, _ text: String, _ range: Range<String.Index>, _ figures: inout Figures
    ) {
        let before = text[..<range.lowerBound].suffix(25)
        let after = text[range.upperBound...].prefix(25)
        let words = "\(before)[\(text[range])]\(after)".split { $0.isWhitespace }.joined(separator: " ")
        figures.errors["\(what): \(words): \(place.name) (\(place.id))", default: 0] += 1
    }

    private func line(_ counts: Counts) -> String {
        "\(counts.pins), right \(counts.right), another place \(counts.wrong), no toponym \(counts.stray), precision "
            + percent(counts.right, counts.pins)
    }

    private func percent(_ part: Int, _ whole: Int) -> String {
        guard whole > 0 else { return "–" }
        let tenths = (part * 2000 + whole) / (2 * whole)
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
