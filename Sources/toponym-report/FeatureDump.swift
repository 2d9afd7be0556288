import Foundation
import Gazetteer
import Model

/// Writes the candidates of the mentions of a corpus with their features, for `scripts/fit-places.py`.
///
/// A line has, separated by tabs: corpus, half, prior, document, kind of mention (`given`: a marked one; `found`: one that
/// the scan finds; `lead`: one found in the beginning of the text alone), number of the mention, verdict, the marked toponym's number or `-`, candidate, features. The first line
/// of a mention stands for none of its candidates. The verdict is `right`, `wrong`, or `unjudged` where the annotators
/// found no place.
struct FeatureDump {
    private let resolver: Resolver
    private let finder: PlaceFinder

    init(_ resolver: Resolver, _ finder: PlaceFinder) {
        self.resolver = resolver
        self.finder = finder
    }

    func lines(_ documents: [CorpusDocument], named name: String, _ prior: FeedPrior) throws -> String {
        var lines = ""
        for document in documents {
            let half = document.isDevelopment ? "dev" : "test"
            let head = "\(name)\t\(half)\t\(prior.rawValue)\t\(document.id)"
            let ranges = document.toponyms.map { $0.range }
            let given = try resolver.scored(ranges, in: document.text, context: document.context)
            for (index, name) in given.enumerated() {
                guard let gold = document.toponyms[index].place else { continue }
                let spans = GoldSpans(resolver)
                write(name.candidates, "\(head)\tgiven\t\(index)", "\(index)", &lines) {
                    spans.isRight($0, of: document.toponyms[index], gold)
                }
            }
            let text = EndToEnd(finder).parted(document)
            try find(in: text, of: document, "\(head)\tfound", &lines)
            // Feeds often give no more than a title and a sentence.
            try find(in: String(text.prefix(Self.lead)), of: document, "\(head)\tlead", &lines)
        }
        return lines
    }

    /// Characters of a text as short as those of feeds, with its title.
    private static let lead = 250

    /// The names that the scan finds in a text, or in its beginning.
    private func find(
        in text: String, of document: CorpusDocument, _ head: String, _ lines: inout String
    ) throws {
        let ends = EndToEnd(finder)
        for (index, mention) in try finder.scored(in: text, context: document.context).enumerated() {
            guard let touched = ends.touched(by: mention.range, of: text, in: document) else { continue }
            let judged = touched.filter { document.toponyms[$0].place != nil }
            if judged.isEmpty, !touched.isEmpty { continue }
            let gold = judged.isEmpty ? "-" : judged.map { "\($0)" }.joined(separator: ",")
            write(mention.candidates, "\(head)\t\(index)", gold, &lines) { place in
                judged.contains { document.toponyms[$0].place.map { ends.isRight(place, $0) } ?? false }
            }
        }
    }

    private func write(
        _ candidates: [ScoredCandidate], _ head: String, _ gold: String, _ lines: inout String,
        isRight: (Place) -> Bool
    ) {
        let verdicts = candidates.map { isRight($0.place) }
        lines += "\(head)\t\(verdicts.contains(true) ? "wrong" : "right")\t\(gold)\tnone\t\n"
        for (candidate, isRight) in zip(candidates, verdicts) {
            let features = candidate.shares.map { "\($0.feature)=\(String(format: "%.4g", $0.value))" }
            lines += "\(head)\t\(isRight ? "right" : "wrong")\t\(gold)\t\(candidate.place.id)\t"
            lines += features.joined(separator: " ") + "\n"
        }
    }
}
