import Gazetteer
import Model

/// Measures the time of look-ups of texts and of events, and of the votes for the homes of feeds.
struct LookUpTime: ReportSection {
    private let finder: PlaceFinder
    private let places: EventPlaces

    init(_ finder: PlaceFinder, _ places: EventPlaces) {
        self.finder = finder
        self.places = places
    }

    var title: String { "Time" }

    func report(_ documents: [CorpusDocument], errors: Int) throws -> String {
        let clock = ContinuousClock()
        var lookUps = Duration.zero
        var outcomes = Duration.zero
        var votes = Duration.zero
        for _ in 0..<5 {
            for document in documents {
                lookUps += try clock.measure { _ = try finder.places(in: document.text, context: document.context) }
                let event = UnlocatedEvent(document)
                outcomes += try clock.measure { _ = try places.outcome(for: event) }
                votes += try clock.measure { _ = try places.homeVotes(of: event) }
            }
        }
        let step = Duration.microseconds(5 * max(1, documents.count))
        func each(_ time: Duration) -> String { "\(Int(clamping: time / step)) µs" }
        return "text \(each(lookUps)), event \(each(outcomes)), votes for the home \(each(votes)) each document\n"
    }
}
