import Foundation
import Gazetteer
import Model

/// Measures the probabilities of places found in texts: what is stated against what is right, and what a least probability
/// would let through.
///
/// Each name counts with its likeliest candidate, as in `EndToEnd`.
struct Calibration: ReportSection {
    private let finder: PlaceFinder
    /// The least number of candidates in a bin.
    private static let leastInBin = 200

    init(_ finder: PlaceFinder) { self.finder = finder }

    var title: String { "Calibration" }

    func report(_ documents: [CorpusDocument], errors: Int) throws -> String {
        let ends = EndToEnd(finder)
        var judged: [(stated: Double, toponym: String?)] = []
        var toponyms = 0
        for document in documents {
            toponyms += document.toponyms.count { $0.place != nil }
            let text = ends.parted(document)
            for name in try finder.scored(in: text, context: document.context) {
                guard let best = name.best, let touched = ends.touched(by: name.range, of: text, in: document)
                else { continue }
                let placed = touched.filter { document.toponyms[$0].place != nil }
                if placed.isEmpty, !touched.isEmpty { continue }
                let hit = placed.first { document.toponyms[$0].place.map { ends.isRight(best.place, $0) } ?? false }
                judged.append((best.probability, hit.map { "\(document.id) \($0)" }))
            }
        }
        judged.sort { $0.stated < $1.stated }
        return bins(judged.map { ($0.stated, $0.toponym != nil) }) + curve(judged, of: toponyms)
    }

    /// Bins of equal numbers of candidates.
    private func bins(_ judged: [(stated: Double, isRight: Bool)]) -> String {
        let count = max(1, judged.count / Self.leastInBin)
        return (0..<count).reduce(into: "candidates     stated      right\n") { lines, bin in
            let part = judged[judged.count * bin / count..<judged.count * (bin + 1) / count]
            guard !part.isEmpty else { return }
            let number = Double(part.count)
            let stated = part.reduce(0) { $0 + $1.stated } / number
            lines += String(
                format: "%10ld    %4.1f %%    %4.1f %%\n", part.count, 100 * stated,
                100 * Double(part.count { $0.isRight }) / number)
        }
    }

    private func curve(_ judged: [(stated: Double, toponym: String?)], of toponyms: Int) -> String {
        stride(from: 0.1, through: 0.9, by: 0.1).reduce(into: "     least  precision     recall\n") { lines, least in
            let pins = judged.filter { $0.stated >= least }
            let right = pins.count { $0.toponym != nil }
            lines += String(
                format: "%10.1f    %5.1f %%    %5.1f %%\n", least, 100 * Double(right) / Double(max(1, pins.count)),
                100 * Double(Set(pins.compactMap { $0.toponym }).count) / Double(max(1, toponyms)))
        }
    }
}
