import Gazetteer

/// Measures the time of look-ups, and what the votes for the homes of feeds add to it.
struct LookUpTime: ReportSection {
    private let finder: PlaceFinder
    private let resolver: Resolver

    init(_ finder: PlaceFinder, _ resolver: Resolver) {
        self.finder = finder
        self.resolver = resolver
    }

    var title: String { "Time" }

    func report(_ documents: [CorpusDocument], errors: Int) throws -> String {
        let clock = ContinuousClock()
        var lookUps = Duration.zero
        var votes = Duration.zero
        for _ in 0..<5 {
            for document in documents {
                lookUps += try clock.measure { _ = try finder.places(in: document.text, context: document.context) }
                votes += try clock.measure { _ = try resolver.homeVotes(in: document.text) }
            }
        }
        func each(_ time: Duration) -> String { "\(Int(time / Duration.microseconds(5 * max(1, documents.count)))) µs" }
        return "look-up \(each(lookUps)), votes for the home \(each(votes)) each document\n"
    }
}
