import Engine
import Foundation
import Model
import Simulation
import Store
import Testing

/// A source that floods the database beside an honest one, with the real engine, feeds and store under simulated time.
@Suite struct FloodTests {
    private static let day: Double = 86_400
    private static let flood = "https://flood.test/feed.xml"
    private static let alerts = "https://alerts.test/cap.xml"
    private static let honest = "https://honest.test/feed.xml"

    private static func source(_ name: String, _ kind: String, _ url: String, rows: Int? = nil) -> SourceSettings {
        var source = SourceSettings(
            name: name, kind: kind, url: url, refreshInterval: .seconds(3600), maxAge: .seconds(10 * 86_400))
        if let rows { source.budget.daily.rows = rows }
        return source
    }

    /// Cancellations of forty alerts that nobody has shown, others each hour.
    private static func cancellations(_ hour: Int) -> Data {
        let references = (0..<40).map { "a,\(hour)-\($0),2026-03-01T00:00:00-00:00" }.joined(separator: " ")
        return Data(
            """
            <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>c\(hour)</identifier><sender>a</sender>
            <sent>2026-03-01T00:00:00-00:00</sent><status>Actual</status><msgType>Cancel</msgType><scope>Public</scope>
            <references>\(references)</references></alert>
            """.utf8)
    }

    @Test func aFloodWaitsAndNobodyElseDoes() throws {
        let start = InProcessDaemon.start
        func hour(_ order: FetchOrder) -> Int { Int(clamping: order.context.now.timeIntervalSince(start)) / 3600 }
        func items(_ numbers: Range<Int>, of name: String) -> Data {
            Documents.rss(
                numbers.map { Documents.Item(guid: "\(name)-\($0)", title: "Item \($0)", date: start) })
        }
        let site = ScriptedSite()
        site.documents[Self.flood] = { order in items(hour(order) * 100..<(hour(order) + 1) * 100, of: "flood") }
        site.documents[Self.alerts] = { order in Self.cancellations(hour(order)) }
        site.documents[Self.honest] = { order in items(0..<hour(order) + 1, of: "honest") }
        let daemon = try InProcessDaemon([
            Self.source("flood", "rss", Self.flood, rows: 250), Self.source("alerts", "cap", Self.alerts, rows: 90),
            Self.source("honest", "rss", Self.honest),
        ]) { site.answer($0) }
        func use(_ name: String) throws -> SourceUse {
            try #require(try daemon.store.sources().first { $0.name == name }).use
        }
        try daemon.advance(.seconds(3 * 86_400 - 60))
        #expect(try use("flood").total.rows == 3 * 250)
        #expect(try use("alerts").total.rows == 3 * 90)
        #expect(try daemon.rows("SELECT count(*) FROM withdrawal") == [["270"]])
        #expect(try use("honest").total.rows == 3 * 24)
        let honest = daemon.reports.filter { $0.source == "honest" }
        #expect(honest.count == 3 * 24 && honest.allSatisfy { $0.end.failure == nil })
        let waiting = daemon.reports.filter { $0.source == "flood" && $0.end.failure != nil }
        #expect(waiting.count > 30 && waiting.allSatisfy { $0.end.failure?.hasCode(.overBudget) == true })

        // The flood ends; what its last document holds comes as soon as there is room.
        site.serve(items(900_000..<900_100, of: "flood"), at: Self.flood)
        site.serve(Self.cancellations(900_000), at: Self.alerts)
        try daemon.advance(.seconds(2 * 86_400))
        let last = "SELECT count(*) FROM events_v1 WHERE upstream_id LIKE 'flood-9000%'"
        #expect(try daemon.rows(last) == [["100"]])
        #expect(try daemon.store.sources().allSatisfy { $0.failures == 0 })
        #expect(site.notModified.contains(Self.flood), "then its validators are kept")
    }
}
