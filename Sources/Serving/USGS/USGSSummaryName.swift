import Foundation
import Model
import Store

/// The name of a summary feed of USGS, such as `4.5_week.geojson`
/// (earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php).
struct USGSSummaryName: Sendable, Hashable {
    /// Which earthquakes a feed has; the raw value is the word in its name.
    enum Level: String, CaseIterable, Sendable {
        case significant
        case magnitude45 = "4.5"
        case magnitude25 = "2.5"
        case magnitude10 = "1.0"
        case all
    }

    /// How far back a feed goes.
    enum Period: String, CaseIterable, Sendable {
        case hour
        case day
        case week
        case month

        /// The length in seconds; a month has 30 days.
        var seconds: TimeInterval {
            switch self {
            case .hour: 3_600
            case .day: 86_400
            case .week: 7 * 86_400
            case .month: 30 * 86_400
            }
        }
    }

    /// The form of a feed; the raw value is the ending of its name.
    enum Form: String, CaseIterable, Sendable {
        case geojson
        case csv
    }

    let level: Level
    let period: Period
    let form: Form

    /// All names, in the order of USGS.
    static let all: [USGSSummaryName] = Level.allCases.flatMap { level in
        Period.allCases.flatMap { period in
            Form.allCases.map { USGSSummaryName(level: level, period: period, form: $0) }
        }
    }

    /// All earthquakes of the last day.
    static let usual = USGSSummaryName(level: .all, period: .day, form: .geojson)

    /// The path of the folder of all feeds, in segments.
    static let folder = ["earthquakes", "feed", "v1.0", "summary"]

    /// The path of the feed.
    var path: String { "/" + (Self.folder + [text]).joined(separator: "/") }

    /// The last segment of the path.
    var text: String { "\(level.rawValue)_\(period.rawValue).\(form.rawValue)" }

    /// The title in the words of USGS.
    var title: String {
        let which =
            switch level {
            case .significant: "Significant"
            case .magnitude45, .magnitude25, .magnitude10: "Magnitude \(level.rawValue)+"
            case .all: "All"
            }
        return "\(which) Earthquakes, Past \(period.rawValue.prefix(1).uppercased())\(period.rawValue.dropFirst())"
    }

    var mediaType: String {
        switch form {
        case .geojson: MediaType.json
        case .csv: MediaType.csv
        }
    }

    /// The least magnitude of its earthquakes; nil: any, or none.
    private var leastMagnitude: Double? {
        switch level {
        case .magnitude45: 4.5
        case .magnitude25: 2.5
        case .magnitude10: 1
        case .significant, .all: nil
        }
    }

    /// The earthquakes of the feed, but for their significance. Those of the minute that has begun come, too.
    /// - Parameter now: The present minute.
    func query(at now: Date) -> EventQuery {
        var query = EventQuery()
        query.categories = [.earthquake]
        query.since = now - period.seconds
        query.minimumMagnitude = leastMagnitude
        return query
    }
}
