import Engine
import Foundation
import Model
import TestSupport
import Testing

@testable import Simulation

/// One upstream event is one row, whichever sources report it, and repeated reports change nothing.
@Suite struct SameEventTests {
    /// Polls all sources `rounds` more times with full answers, and expects no visible write.
    private func expectQuiet(
        _ daemon: InProcessDaemon, _ site: ScriptedSite, rounds: Int = 4, _ what: Comment = "re-polling"
    ) throws {
        site.isConditional = false
        let before = try daemon.visibleEvents()
        let polls = daemon.reports.count
        for _ in 0..<rounds {
            try daemon.advance(.seconds(300))
            #expect(try daemon.visibleEvents() == before, what)
        }
        #expect(daemon.reports.count > polls)
        #expect(daemon.reports.allSatisfy { $0.end.failure == nil }, what)
    }

    private func links(_ daemon: InProcessDaemon, of id: String) throws -> [String] {
        try daemon.column(
            """
            SELECT s.source FROM event_sources_v1 s JOIN aliases_v1 a USING (public_id)
            WHERE a.upstream_id = '\(id)' ORDER BY 1
            """)
    }

    // MARK: - News

    private static let reuters = Date(timeIntervalSince1970: 1_517_335_200)  // 2018-01-30T18:00:00Z

    @Test func aStoryInTwoTopicsOfASourceIsOneEvent() throws {
        let site = ScriptedSite([
            "http://feeds.reuters.com/reuters/topNews": try Fixtures.data("rss/reuters-top-news.xml"),
            "http://feeds.reuters.com/reuters/worldNews": try Fixtures.data("rss/reuters-world-news.xml"),
        ])
        let source = SourceSettings(
            name: "reuters", kind: "rss", url: "http://feeds.reuters.com/reuters/{topic}",
            topics: ["topNews", "worldNews"], refreshInterval: .seconds(300))
        let daemon = try InProcessDaemon([source], at: Self.reuters) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try daemon.rows("SELECT provider, upstream_id FROM events_v1") == [["reuters", "idUSKBN1FJ2QW"]])
        #expect(try daemon.column("SELECT revision FROM events_v1") == ["1"])
        #expect(try links(daemon, of: "idUSKBN1FJ2QW") == ["reuters"])
        try expectQuiet(daemon, site)
    }

    @Test func aStoryInTopicsOfTwoSourcesIsOneEventWithTwoLinks() throws {
        let topics = ["topNews": "rss/reuters-top-news.xml", "worldNews": "rss/reuters-world-news.xml"]
        let site = ScriptedSite()
        var sources: [SourceSettings] = []
        for (topic, fixture) in topics.sorted(by: { $0.key < $1.key }) {
            let url = "http://feeds.reuters.com/reuters/\(topic)"
            site.serve(try Fixtures.data(fixture), at: url)
            sources.append(SourceSettings(name: topic, kind: "rss", url: url, refreshInterval: .seconds(300)))
        }
        let daemon = try InProcessDaemon(sources, at: Self.reuters) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 1)
        #expect(try links(daemon, of: "idUSKBN1FJ2QW") == ["topNews", "worldNews"])
        try expectQuiet(daemon, site)
    }

    @Test func aStoryInTwoTopicsOfAnyFeedIsOneEvent() throws {
        let date = InProcessDaemon.start - 3600
        let shared = Documents.Item(guid: "quake-1", title: "Earthquake", date: date)
        let site = ScriptedSite([
            "https://news.test/world.xml": Documents.rss([shared, .init(guid: "w", title: "World", date: date)]),
            "https://news.test/science.xml": Documents.rss([shared, .init(guid: "s", title: "Science", date: date)]),
        ])
        let source = SourceSettings(
            name: "news", kind: "rss", url: "https://news.test/{topic}.xml", topics: ["world", "science"],
            refreshInterval: .seconds(300))
        let daemon = try InProcessDaemon([source]) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try daemon.column("SELECT upstream_id FROM events_v1 ORDER BY 1") == ["quake-1", "s", "w"])
        try expectQuiet(daemon, site)
    }

    /// The items `1` of two feeds are two events.
    @Test func equalGuidsOfTwoFeedsStayTwoEvents() throws {
        let date = InProcessDaemon.start - 3600
        let site = ScriptedSite([
            "https://a.test/feed": Documents.rss([.init(guid: "1", title: "Ships", date: date)]),
            "https://b.test/feed": Documents.rss([.init(guid: "1", title: "Shoes", date: date)]),
        ])
        let sources = ["a", "b"].map {
            SourceSettings(name: $0, kind: "rss", url: "https://\($0).test/feed", refreshInterval: .seconds(300))
        }
        let daemon = try InProcessDaemon(sources) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try daemon.column("SELECT title FROM events_v1 ORDER BY 1") == ["Ships", "Shoes"])
        try daemon.restart(with: [
            SourceSettings(name: "renamed", kind: "rss", url: "https://a.test/feed", refreshInterval: .seconds(300))
        ])
        try daemon.advance(.seconds(10))
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 2, "a source with another name keeps its events")
    }

    // MARK: - Earthquakes

    private static let day = "https://day.test/summary/all_day.geojson"
    private static let month = "https://month.test/summary/significant_month.geojson"
    private static let quakeSources = [
        SourceSettings(name: "day", kind: "usgs", url: day, refreshInterval: .seconds(300)),
        SourceSettings(name: "month", kind: "usgs", url: month, refreshInterval: .seconds(300), offset: .seconds(1)),
    ]

    /// Serves a feed that is regenerated for each request, like those of USGS.
    private func serve(_ quakes: [Documents.Quake], at url: String, on site: ScriptedSite) {
        let period = String(url.split(separator: "/").last?.split(separator: ".").first ?? "")
        site.documents[url] = { order in Documents.usgs(quakes, generated: order.context.now, period: period) }
    }

    private func quake(_ id: String, _ ids: [String] = []) -> Documents.Quake {
        Documents.Quake(id: id, ids: ids, time: InProcessDaemon.start - 7200, updated: InProcessDaemon.start - 3600)
    }

    @Test func aQuakeInTwoFeedsUnderTwoNamesIsOneEvent() throws {
        let site = ScriptedSite()
        let names = ["us7000aaaa", "ci40000001"]
        serve([quake("us7000aaaa", names)], at: Self.day, on: site)
        serve([quake("ci40000001", names)], at: Self.month, on: site)
        let daemon = try InProcessDaemon(Self.quakeSources) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 1)
        #expect(try daemon.column("SELECT upstream_id FROM aliases_v1 ORDER BY 1") == names.sorted())
        #expect(try links(daemon, of: "us7000aaaa") == ["day", "month"])
        try expectQuiet(daemon, site)
    }

    @Test func aQuakeThatChangesItsNameStaysOneEvent() throws {
        let site = ScriptedSite()
        serve([quake("us7000aaaa")], at: Self.day, on: site)
        let daemon = try InProcessDaemon([Self.quakeSources[0]]) { site.answer($0) }
        try daemon.advance(.seconds(10))
        let publicID = try daemon.column("SELECT public_id FROM events_v1")
        serve([quake("ci40000001", ["ci40000001", "us7000aaaa"])], at: Self.day, on: site)
        try daemon.advance(.seconds(300))
        let rows = try daemon.rows("SELECT public_id, upstream_id, revision FROM events_v1")
        #expect(rows == [publicID + ["ci40000001", "2"]])
        #expect(try daemon.number("SELECT count(*) FROM events_v1 WHERE withdrawn_reason IS NOT NULL") == 0)
        try expectQuiet(daemon, site)
    }

    /// Two networks report one quake, which USGS finds out later.
    @Test func twoQuakesThatTurnOutToBeOneAreMergedIntoTheOlder() throws {
        let site = ScriptedSite()
        serve([quake("us7000aaaa")], at: Self.day, on: site)
        serve([quake("ci40000001")], at: Self.month, on: site)
        let daemon = try InProcessDaemon(Self.quakeSources) { site.answer($0) }
        try daemon.advance(.seconds(10))
        let older = try daemon.column("SELECT public_id FROM events_v1 WHERE upstream_id = 'us7000aaaa'")
        let younger = try daemon.column("SELECT public_id FROM events_v1 WHERE upstream_id = 'ci40000001'")
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 2)
        serve([quake("us7000aaaa", ["us7000aaaa", "ci40000001"])], at: Self.day, on: site)
        try daemon.advance(.seconds(300))
        #expect(daemon.reports.map(\.result.merged).reduce(0, +) == 1)
        #expect(try daemon.column("SELECT public_id FROM events_v1") == older)
        #expect(try daemon.rows("SELECT public_id, into_public_id FROM merged_events_v1") == [younger + older])
        #expect(try links(daemon, of: "ci40000001") == ["day", "month"])
        try daemon.advance(.seconds(300))
        try expectQuiet(daemon, site)
    }

    // MARK: - Volcanoes

    private static let reports = [
        SourceSettings(
            name: "cap", kind: "cap", url: "https://volcano.si.edu/news/WeeklyVolcanoCAP.xml",
            refreshInterval: .seconds(300), maxAge: .seconds(2880 * 3600)),
        SourceSettings(
            name: "kml", kind: "kml", url: "https://volcano.si.edu/news/WeeklyVolcanoGE-Reports.kmz",
            refreshInterval: .seconds(300), maxAge: .seconds(2880 * 3600)),
        SourceSettings(
            name: "rss", kind: "rss", url: "https://volcano.si.edu/news/WeeklyVolcanoRSS.xml",
            refreshInterval: .seconds(300), maxAge: .seconds(2880 * 3600)),
    ]

    /// The three formats may come in any order.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func aReportInThreeFormatsIsOneEvent(order: [Int]) throws {
        let fixtures = ["gvp/same-report.cap.xml", "gvp/same-report.kml", "gvp/same-report.rss.xml"]
        let site = ScriptedSite()
        var sources: [SourceSettings] = []
        for (place, number) in order.enumerated() {
            var source = Self.reports[number]
            source.offset = .seconds(5 * place)
            site.serve(try Fixtures.data(fixtures[number]), at: source.url)
            sources.append(source)
        }
        let issued = Date(timeIntervalSince1970: 1_446_724_800)  // 2015-11-05T12:00:00Z
        let daemon = try InProcessDaemon(sources, at: issued) { site.answer($0) }
        try daemon.advance(.seconds(30))
        #expect(daemon.reports.count == 3)
        let ids = try daemon.column("SELECT DISTINCT public_id FROM aliases_v1 WHERE upstream_id GLOB '*2015-10-28'")
        #expect(ids.count == 2, "two volcanoes, one report each")
        #expect(try daemon.number("SELECT count(*) FROM events_v1") == 2)
        #expect(try links(daemon, of: "soufriere-hills@2015-10-28") == ["cap", "kml", "rss"])
        #expect(try links(daemon, of: "vn360050@2015-10-28") == ["cap", "kml", "rss"])
        #expect(try links(daemon, of: "saint-helens@2015-10-28") == ["cap"])
        let place = try #require(
            try daemon.rows("SELECT category, latitude, longitude FROM events_v1 WHERE title GLOB '*Soufri*'").first)
        #expect(place == ["volcano", "16.72", "-62.18"])
        try expectQuiet(daemon, site, "order \(order)")
    }
}
