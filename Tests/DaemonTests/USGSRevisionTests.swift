import Engine
import Foundation
import Model
import Simulation
import TestSupport
import Testing

/// The feed 4.5_month as it was on 2014-03-21 and on 2014-04-01: of 272 common earthquakes 52 had changed, two had
/// vanished from inside the window, 193 were new.
@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
struct USGSRevisionTests {
    private static let url = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_month.geojson"
    private static let mirror = "https://mirror.test/summary/4.5_month.geojson"
    private static let march = Date(milliseconds: 1_395_415_303_000)
    private static let april = Date(milliseconds: 1_396_325_603_000)
    private static let vanished = ["usb000n1jp", "usc000nc8s"]

    private let first: Data
    private let second: Data

    init() throws {
        first = try Captures.data("usgs/2014-03-21_4.5_month.geojson")
        second = try Captures.data("usgs/2014-04-01_4.5_month.geojson")
    }

    private static func source(_ name: String, _ url: String) -> SourceSettings {
        SourceSettings(
            name: name, kind: "usgs", url: url, refreshInterval: .seconds(300), maxAge: .seconds(3650 * 86_400))
    }

    /// A daemon that polled in March and now runs on 2014-04-01.
    private func polledInMarch(
        _ site: ScriptedSite, _ sources: [SourceSettings] = [Self.source("quakes", Self.url)]
    ) throws -> InProcessDaemon {
        for source in sources { site.serve(first, at: source.url) }
        let daemon = try InProcessDaemon(sources, at: Self.march.addingTimeInterval(60)) { site.answer($0) }
        try daemon.advance(.seconds(10))
        try #require(daemon.reports.map(\.result.new).reduce(0, +) == 409)
        return daemon
    }

    /// The second capture with another `generated`.
    private func regenerated(after seconds: Int, count: Int = 465) -> Data {
        let text = String(decoding: second, as: UTF8.self)
            .replacing("\"generated\":1396325603000", with: "\"generated\":\(1_396_325_603_000 + seconds * 1000)")
            .replacing("\"count\":465", with: "\"count\":\(count)")
        return Data(text.utf8)
    }

    private func withdrawn(_ daemon: InProcessDaemon) throws -> [String] {
        try daemon.column("SELECT upstream_id FROM events_v1 WHERE withdrawn_reason = 'absent' ORDER BY 1")
    }

    @Test func eachEventIsOneRowWithItsHistory() throws {
        let site = ScriptedSite()
        let daemon = try polledInMarch(site)
        site.serve(second, at: Self.url)
        try daemon.sleep(until: Self.april.addingTimeInterval(60))
        let result = try #require(daemon.reports.last?.result)
        #expect(daemon.reports.count == 2)
        let counts: [Int] = [result.new, result.changed, result.unchanged, result.withdrawn]
        #expect(counts == [193, 52, 220, 2])
        #expect(result.merged == 0 && result.refused.isEmpty)
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 409 + 193)
        #expect(try daemon.number("SELECT count(DISTINCT upstream_id) FROM events_v1") == 602)
        #expect(try daemon.number("SELECT count(*) FROM events_v1 WHERE revision = 2") == 52 + 2)
        #expect(try daemon.number("SELECT max(revision) FROM events_v1") == 2)
        #expect(try daemon.number("SELECT count(*) FROM event_history_v1 WHERE source = 'quakes'") == 54)

        let changed = try daemon.rows(
            """
            SELECT e.magnitude, e.title, h.revision, h.at_ms, h.previous_json
            FROM events_v1 e JOIN event_history_v1 h USING (public_id) WHERE e.upstream_id = 'usc000ne11'
            """)
        let row = try #require(changed.first)
        #expect(changed.count == 1)
        #expect(row[0] == "4.9" && row[1] == "M 4.9 - 86km WNW of Iquique, Chile" && row[2] == "2")
        #expect(row[3] == "\(Self.april.addingTimeInterval(60).milliseconds)")
        #expect(row[4].contains("\"magnitude\":5.2"))
        #expect(row[4].contains("\"title\":\"M 5.2 - 90km WNW of Iquique, Chile\""))
        #expect(row[4].contains("\"time_ms\":1395054735300"))

        #expect(try withdrawn(daemon) == Self.vanished)
        let evidence = try daemon.column(
            "SELECT DISTINCT withdrawn_evidence FROM events_v1 WHERE withdrawn_reason = 'absent'")
        #expect(evidence.count == 1)
        #expect(evidence.first?.hasPrefix("missing from quakes since 2014-04-01T04:13:23Z") == true)
    }

    /// Further polls bring the same bytes, regenerated documents and 304: no event row is written, and hardly any
    /// other.
    @Test func anIdenticalThirdPollWritesNoEventRow() throws {
        let site = ScriptedSite()
        site.isConditional = false
        let daemon = try polledInMarch(site)
        site.serve(second, at: Self.url)
        try daemon.sleep(until: Self.april.addingTimeInterval(60))
        let before = try daemon.visibleEvents()

        func again(_ what: Comment, unchanged: Int) throws {
            let written = try daemon.writtenRows()
            let polls = daemon.reports.count
            try daemon.advance(.seconds(300))
            let result = try #require(daemon.reports.last?.result)
            #expect(daemon.reports.count == polls + 1, what)
            #expect([result.new, result.changed, result.unchanged, result.withdrawn] == [0, 0, unchanged, 0], what)
            #expect(try daemon.visibleEvents() == before, what)
            #expect(try daemon.writtenRows() - written < 25, what)
        }
        try again("the same bytes again are not newer", unchanged: 0)
        site.serve(regenerated(after: 60), at: Self.url)
        try again("a body made anew", unchanged: 465)
        site.serve(regenerated(after: 120), at: Self.url)
        try again("and anew", unchanged: 465)
        site.isConditional = true
        try again("not modified", unchanged: 0)
        #expect(site.notModified.count == 1)
    }

    @Test func absenceCountsWhenEveryCoveringSourceHasSeenIt() throws {
        let site = ScriptedSite()
        let daemon = try polledInMarch(site, [Self.source("quakes", Self.url), Self.source("mirror", Self.mirror)])
        site.serve(second, at: Self.url)
        site.failing = [Self.mirror]
        try daemon.sleep(until: Self.april.addingTimeInterval(60))
        #expect(daemon.reports.last(where: { $0.source == "mirror" })?.end.failure != nil)
        #expect(try withdrawn(daemon).isEmpty, "the mirror has not succeeded since")
        site.failing = []
        site.serve(regenerated(after: 60), at: Self.mirror)
        try daemon.advance(.seconds(600))
        #expect(try withdrawn(daemon) == Self.vanished)
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 602)
        #expect(try daemon.number("SELECT count(*) FROM event_sources_v1") == 2 * 602)
    }

    @Test func anIncompleteOrOlderBodyWithdrawsNothing() throws {
        let site = ScriptedSite()
        let daemon = try polledInMarch(site)
        site.serve(regenerated(after: 0, count: 466), at: Self.url)
        try daemon.sleep(until: Self.april.addingTimeInterval(60))
        #expect(daemon.reports.last?.result.new == 193)
        #expect(try withdrawn(daemon).isEmpty, "metadata.count differs from what was read")
        let before = try daemon.visibleEvents()
        site.serve(first, at: Self.url)
        try daemon.advance(.seconds(300))
        #expect(daemon.reports.last?.result.wasStale == true)
        #expect(try daemon.visibleEvents() == before, "an older body changes nothing at all")
        site.serve(regenerated(after: 600), at: Self.url)
        try daemon.advance(.seconds(300))
        #expect(try withdrawn(daemon) == Self.vanished)
    }
}
