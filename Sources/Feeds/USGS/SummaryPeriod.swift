import Foundation

/// A USGS summary feed such as `4.5_week`: a threshold and a window.
///
/// See earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php.
struct SummaryPeriod: Hashable {
    /// One of `thresholds`.
    var threshold: String
    var window: Window

    /// The time span of a summary feed.
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

    /// All names, the choices of the option `period`.
    static var names: [String] { thresholds.flatMap { t in Window.allCases.map { "\(t)_\($0.rawValue)" } } }

    var name: String { "\(threshold)_\(window.rawValue)" }

    /// Reads a name such as `all_day`; nil for any other text.
    init?(name: some StringProtocol) {
        guard let underscore = name.lastIndex(of: "_"),
            let window = Window(rawValue: String(name[name.index(after: underscore)...])),
            Self.thresholds.contains(String(name[..<underscore]))
        else { return nil }
        self.threshold = String(name[..<underscore])
        self.window = window
    }

    /// Reads the period in the URL of a summary feed (`…/summary/all_day.geojson`); nil for any other URL.
    init?(url: String) {
        guard let summary = url.range(of: "/summary/") else { return nil }
        let file = url[summary.upperBound...].prefix { $0 != "?" && $0 != "#" && $0 != "/" }
        guard let dot = file.range(of: ".geojson") else { return nil }
        self.init(name: file[..<dot.lowerBound])
    }

    /// The same threshold with the smallest window that covers `gap` and is not smaller than this one; `month` if none
    /// does.
    func covering(_ gap: Duration) -> SummaryPeriod {
        var period = self
        let windows = Window.allCases.drop { $0 != window }
        period.window = windows.first { $0.length >= gap } ?? .month
        return period
    }
}
