import Foundation
import Gazetteer
import Model

/// Measures titles that give a distance from a town (`M 5.1 - 40km SSW of Concepcion, Chile`) against the coordinates
/// of their events, which are taken out before.
struct DistanceTitles {
    /// Most kilometres between the true point and a right one.
    static let tolerance = 15.0

    private let table: CityTable
    private let places: EventPlaces

    init(_ table: CityTable, _ places: EventPlaces) {
        self.table = table
        self.places = places
    }

    private struct Counts {
        var titles = 0
        var known = 0
        var points = 0
        var right = 0
        var rightOfKnown = 0
        var others: [String: Int] = [:]
    }

    func report(_ captures: [CaptureFile]) throws -> String {
        var counts = Counts()
        // An event is in several captures.
        var seen: Set<String> = []
        for capture in captures {
            for event in try capture.events() where seen.insert("\(event.id) \(event.title)").inserted {
                try judge(event, &counts)
            }
        }
        let share = String(format: "%.1f", 100 * Double(counts.right) / Double(max(1, counts.points)))
        let others = counts.others.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return """
            titles with a distance up to \(Int(clamping: MeasuredDistance.longest)) km: \(counts.titles), town in the \
            table: \(counts.known)
            points: \(counts.points), within \(Int(clamping: Self.tolerance)) km: \(counts.right), \(share) %; of \
            towns in the table: \(counts.rightOfKnown)
            others: \(others)

            """
    }

    private func judge(_ event: Event, _ counts: inout Counts) throws {
        let phrase = #/(\d+) ?km [NESW]{1,3} of (.+)/#
        guard let truth = event.location?.coordinate, let match = event.title.firstMatch(of: phrase),
            let kilometres = Double(match.1), kilometres <= MeasuredDistance.longest
        else { return }
        counts.titles += 1
        let name = match.2.split(separator: ",").first.map { String($0) } ?? ""
        var folding = NameFolding()
        let isKnown = try folding.key(name).map { key in
            try table.cities(named: key).contains { candidate in
                guard let city = try table.city(candidate.row) else { return false }
                return abs(city.coordinate.distance(to: truth) - kilometres) <= Self.tolerance
            }
        }
        if isKnown == true { counts.known += 1 }
        let outcome = try places.outcome(for: UnlocatedEvent(category: event.category.rawValue, title: event.title))
        guard case .located(let found) = outcome, found.evidence == .distance else {
            var what = "none"
            if case .located(let found) = outcome { what = found.precision.rawValue }
            counts.others[what, default: 0] += 1
            return
        }
        counts.points += 1
        guard found.coordinate.distance(to: truth) <= Self.tolerance else { return }
        counts.right += 1
        if isKnown == true { counts.rightOfKnown += 1 }
    }
}
