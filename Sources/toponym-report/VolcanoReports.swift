import Gazetteer
import Model

/// Measures reports of the Global Volcanism Program whose coordinates are taken out, and pins of volcanoes in corpora.
struct VolcanoReports {
    /// Most kilometres between the true point and a right one: lists give the same volcano slightly different places.
    static let tolerance = 15.0

    private let places: EventPlaces

    init(_ places: EventPlaces) { self.places = places }

    func report(_ capture: CaptureFile) throws -> String {
        let events = try capture.events()
        var right = 0
        var others: [String] = []
        for event in events {
            guard let truth = event.location?.coordinate else { continue }
            if case .located(let found) = try places.outcome(for: UnlocatedEvent(event)), found.precision == .point,
                found.coordinate.distance(to: truth) <= Self.tolerance
            {
                right += 1
            } else {
                others.append(event.title)
            }
        }
        return "\(capture.name): \(right) of \(events.count) at their volcano"
            + others.map { "\n  not: \($0)" }.joined() + "\n"
    }

    /// The articles that a volcano's name would pin, at the coordinate of the list.
    func pins(in documents: [CorpusDocument], listing: Bool) throws -> String {
        var pins = 0
        var lines = ""
        for document in documents {
            let event = UnlocatedEvent(document)
            guard case .located(let found) = try places.outcome(for: event), found.precision == .point,
                found.evidence != .distance
            else { continue }
            pins += 1
            if listing { lines += "  \(found.matchedText ?? ""): \(event.title)\n" }
        }
        return "articles at a volcano: \(pins) of \(documents.count)\n" + lines
    }
}
