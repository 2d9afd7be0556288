import Foundation

/// A USGS summary feed such as `4.5_week`: a threshold and a window.
///
/// See earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php.
struct SummaryPeriod: Hashable {
    /// `significant`, `4.5`, `2.5`, `1.0` or `all`.
    var threshold: String
    /// Which window it covers.
    var window: Window

    /// How far back a summary feed reaches.
    enum Window: String, CaseIterable {
        case hour, day, week, month

        var length: Duration {
            switch self {
            case .hour: .seconds(3600)
            case .day: .seconds(86_400)
            case .week: .seconds(7 * 86_400)
            case .month: .seconds(30 * 86_400)
            }
        }
    }

    static let thresholds = ["significant", "4.5", "2.5", "1.0", "all"]

    /// All names, as the `period` option takes them.
    static var names: [String] { thresholds.flatMap { t in Window.allCases.map { "\(t)_\($0.rawValue)" } } }

    var name: String { "\(threshold)_\(window.rawValue)" }

    /// Reads a name such as `all_day`; nil for anything else.
    init?(name: some StringProtocol) {
        guard let underscore = name.lastIndex(of: "_"),
            let window = Window(rawValue: String(name[name.index(after: underscore)...])),
            Self.thresholds.contains(String(name[..<underscore]))
        else { return nil }
        self.threshold = String(name[..<underscore])
        self.window = window
    }

    /// Finds the period in the URL of a summary feed (`…/summary/all_day.geojson`).
    init?(url: String) {
        guard let summary = url.range(of: "/summary/") else { return nil }
        let file = url[summary.upperBound...].prefix { $0 != "?" && $0 != "#" && $0 != "/" }
        guard let dot = file.range(of: ".geojson") else { return nil }
        self.init(name: file[..<dot.lowerBound])
    }

    /// The same threshold with the smallest window that covers `gap`, never smaller than this one; the largest if none
    /// does.
    func covering(_ gap: Duration) -> SummaryPeriod {
        var period = self
        let windows = Window.allCases.drop { $0 != window }
        period.window = windows.first { $0.length >= gap } ?? .month
        return period
    }
}
