import Foundation
import Model

/// One volcano's report of one week by the Smithsonian's Global Volcanism Program, as in CAP, KML and RSS.
///
/// None of the three gives it an id: CAP has one id per week, KML none, and RSS repeats `#vn_NNNNNN` every week. All
/// share the volcano's name and the week in words, so these form the identity. The volcano's number, in KML and RSS,
/// gives an alias.
enum GVPReport {
    /// The provider of all events of the programme.
    static let provider = "gvp"

    /// The identity of a report: `etna@2015-10-28`, with the alias `vn211060@2015-10-28` when the number is known.
    ///
    /// Unnamed volcanoes are distinguished by country, `unnamed-tonga@2015-10-28`, else by number.
    /// - Parameters:
    ///   - volcano: The name in the feed's spelling.
    ///   - country: The country; nil takes the one in brackets after the name.
    static func identity(
        volcano: String, number: Int?, week: Week, country: String? = nil
    ) -> (id: String, aliases: [String]) {
        let start = week.start.rfc3339.prefix(10)
        let name = slug(volcano)
        let numbered = number.map { "vn\($0)@\(start)" }
        let aliases = numbered.map { [$0] } ?? []
        guard name == "unnamed" || name == "unknown" else { return ("\(name)@\(start)", aliases) }
        let land = PlaceSlug.of(country ?? bracketed(volcano) ?? "").beginning(100)
        if !land.isEmpty { return ("\(name)-\(land)@\(start)", aliases) }
        return (numbered ?? "\(name)@\(start)", [])
    }

    /// The text in brackets after a name.
    private static func bracketed(_ volcano: String) -> String? {
        guard let open = volcano.lastIndex(of: "("), let close = volcano[open...].firstIndex(of: ")")
        else { return nil }
        return String(volcano[volcano.index(after: open)..<close])
    }

    /// The volcano's name in one spelling: lower case, no accents, words joined by hyphens; `unnamed` for an empty one.
    ///
    /// `St. Helens` equals `Saint Helens`. `Fournaise, Piton de la` (the programme's lists) equals
    /// `Piton de la Fournaise` (its reports). A country in brackets after the name is dropped.
    static func slug(_ volcano: String) -> String {
        var name = Substring(volcano)
        if let bracket = name.firstIndex(of: "("), bracket > name.startIndex { name = name[..<bracket] }
        let parts = name.split(separator: ",", omittingEmptySubsequences: false)
        let ordered = parts.count == 2 ? "\(parts[1]) \(parts[0])" : String(name)
        let words = PlaceSlug.of(ordered).split(separator: "-").map { $0 == "st" ? "saint" : $0 }
        return words.isEmpty ? "unnamed" : words.joined(separator: "-").beginning(100)
    }

    /// The days of a report, both ends included.
    struct Week: Sendable, Hashable {
        /// 00:00 UTC of the first day.
        let start: Date
        /// 00:00 UTC of the last day.
        let end: Date

        /// Creates a week from its first and last day.
        init(start: Date, end: Date) {
            self.start = start
            self.end = end
        }

        /// The week of a report that names none: Wednesday to Tuesday before the day of issue (UTC).
        ///
        /// Reports of 2014 and 2015 cover these days. Those of September 2026 run from Thursday to Wednesday, so a week
        /// named in the text takes precedence.
        init(issued: Date) {
            let day = Int64(clamping: (Double(issued.milliseconds) / 86_400_000).rounded(.down))
            // 1970-01-01 was a Thursday, so Tuesdays are the days 5, 12, 19 …
            let daysSinceTuesday = ((day - 6) % 7 + 7) % 7
            let end = day - 1 - daysSinceTuesday
            self.init(firstDay: end - 6, lastDay: end)
        }

        /// Creates a week from days since 1970-01-01.
        init(firstDay: Int64, lastDay: Int64) {
            start = Date(milliseconds: firstDay * 86_400_000)
            end = Date(milliseconds: lastDay * 86_400_000)
        }

        /// Both days as an ISO 8601 interval: `2015-10-28/2015-11-03`.
        var interval: String { "\(start.rfc3339.prefix(10))/\(end.rfc3339.prefix(10))" }
    }
}
