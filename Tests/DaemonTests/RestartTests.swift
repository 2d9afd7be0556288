import Engine
import Foundation
import Model
import Testing

@testable import Simulation

/// A poll round of all kinds is killed after each of its effects and restarted from the database.
@Suite struct RestartTests {
    private static let index = "https://alerts.test/index.xml"
    private static let alerts = (1...3).map { "https://alerts.test/\($0).cap" }
    private static let quakes = "https://quakes.test/summary/all_day.geojson"
    private static let search = "https://messages.test/2/tweets/search/recent"

    private static let sources = [
        SourceSettings(name: "quakes", kind: "usgs", url: quakes, refreshInterval: .seconds(300)),
        SourceSettings(
            name: "alerts", kind: "cap", url: index, refreshInterval: .seconds(300), offset: .seconds(1)),
        SourceSettings(
            name: "news", kind: "rss", url: "https://news.test/{topic}.xml", topics: ["world", "science"],
            refreshInterval: .seconds(300), offset: .seconds(2)),
        SourceSettings(
            name: "messages", kind: "twitter", url: search, refreshInterval: .seconds(300), offset: .seconds(3),
            options: [
                "query": .text("lava"), "api": .text("v2"), "most_messages": .integer(100), "page_size": .integer(10),
                "monthly_cap": .integer(1000),
            ]),
    ]

    /// One try: the daemon with its upstream, and the expected upstream ids.
    private final class Scene {
        let site: ScriptedSite
        let tweets: ScriptedSearch
        let daemon: InProcessDaemon
        let ids: [String]

        init(writesLag: Bool) throws {
            let start = InProcessDaemon.start
            let site = ScriptedSite()
            let quakes = (0..<150).map {
                Documents.Quake(id: "us\($0)", time: start.addingTimeInterval(-3600 - Double($0)))
            }
            let world = (0..<20).map { Documents.Item(guid: "w\($0)", title: "World \($0)", date: start - 3600) }
            let science = (0..<10).map { Documents.Item(guid: "s\($0)", title: "Science \($0)", date: start - 3600) }
            site.serve(Documents.usgs(quakes, generated: start), at: RestartTests.quakes)
            site.serve(Documents.capIndex(RestartTests.alerts, updated: start), at: RestartTests.index)
            for (number, url) in RestartTests.alerts.enumerated() {
                site.serve(Documents.capAlert("ALERT-\(number + 1)", sent: start), at: url)
            }
            site.serve(Documents.rss(world), at: "https://news.test/world.xml")
            site.serve(Documents.rss(science), at: "https://news.test/science.xml")
            let tweets = ScriptedSearch(20, newest: start - 60)
            self.site = site
            self.tweets = tweets
            var ids = quakes.map(\.id) + world.map(\.guid) + science.map(\.guid) + tweets.ids
            ids += (1...3).map { "ALERT-\($0)" }
            self.ids = ids.sorted()
            daemon = try InProcessDaemon(
                RestartTests.sources, secrets: ["messages": ["bearer": Secret("token")]],
                truncation: TruncationPlan(first: .seconds(86_400))
            ) { order in
                order.url.hasPrefix(RestartTests.search) ? tweets.answer(order) : site.answer(order)
            }
            daemon.writesLag = writesLag
        }
    }

    /// One whole poll of every source.
    private static let round = Duration.seconds(30)

    @Test(arguments: [false, true])
    func aKillAtAnyPointLosesNothingAndDoublesNothing(writesLag: Bool) throws {
        let whole = try Scene(writesLag: writesLag)
        try whole.daemon.advance(Self.round)
        let effects = whole.daemon.carriedOut
        #expect(effects > 25)
        #expect(whole.daemon.reports.count == 4)
        #expect(whole.daemon.reports.allSatisfy { $0.end.failure == nil })
        try expectComplete(whole, "not killed")
        for moment in 1...effects {
            let scene = try Scene(writesLag: writesLag)
            let daemon = scene.daemon
            daemon.lifetime = moment
            try daemon.advance(Self.round)
            try #require(daemon.isDead)
            try expectConsistent(scene, moment)

            let stored = try daemon.records()
            let validators = try Dictionary(
                daemon.rows("SELECT url, etag FROM validator").map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
            let killed = daemon.now.wall
            let before = daemon.sent.count
            daemon.writesLag = false
            try daemon.restart()
            try daemon.advance(.seconds(700))
            expectPolite(Array(daemon.sent.dropFirst(before)), stored, validators, killed: killed, moment)
            #expect(Set(daemon.reports.map(\.source)).count == 4, "killed after \(moment) effects")
            try expectComplete(scene, "killed after \(moment) effects")
            let paid = try daemon.records()["messages"]?.paidReads ?? 0
            #expect(paid >= scene.tweets.billed, "reads that cost money are counted although the answer was lost")
        }
    }

    /// Every event is stored once, in its first version, and nothing else.
    private func expectComplete(_ scene: Scene, _ what: String) throws {
        let daemon = scene.daemon
        #expect(try daemon.column("SELECT upstream_id FROM events_v1 ORDER BY 1") == scene.ids, "\(what)")
        #expect(try daemon.column("SELECT DISTINCT revision FROM events_v1") == ["1"], "\(what)")
        #expect(try daemon.column("SELECT DISTINCT kind FROM changes_v1") == ["new"], "\(what)")
        #expect(try daemon.number("SELECT count(*) FROM changes_v1") == scene.ids.count, "\(what)")
        #expect(try daemon.number("SELECT count(*) FROM event_sources_v1") == scene.ids.count, "\(what)")
    }

    /// A death leaves a consistent database: validators and state only together with their events.
    private func expectConsistent(_ scene: Scene, _ moment: Int) throws {
        let daemon = scene.daemon
        let what: Comment = "killed after \(moment) effects"
        let stored = Set(try daemon.column("SELECT url FROM validator"))
        func count(_ pattern: String) throws -> Int {
            try daemon.number("SELECT count(*) FROM events_v1 WHERE upstream_id GLOB '\(pattern)'")
        }
        #expect(try count("us*") == (stored.contains(Self.quakes) ? 150 : 0), what)
        #expect(try count("s?") == (stored.contains("https://news.test/science.xml") ? 10 : 0), what)
        for (number, url) in Self.alerts.enumerated() {
            #expect(try count("ALERT-\(number + 1)") == (stored.contains(url) ? 1 : 0), what)
        }
        if stored.contains(Self.index) { #expect(stored.isSuperset(of: Self.alerts), what) }
        let records = try daemon.records()
        if records["alerts"]?.state["seen"] != nil { #expect(try count("ALERT-*") == 3, what) }
        if records["messages"]?.state["since_id"] != nil {
            #expect(try daemon.number("SELECT count(*) FROM events_v1 WHERE provider = 'twitter'") == 20, what)
        }
    }

    /// No request is early, and known documents are requested conditionally.
    private func expectPolite(
        _ sent: [FetchOrder], _ stored: [String: SourceRecord], _ validators: [String: String], killed: Date,
        _ moment: Int
    ) {
        var asked: Set<String> = []
        for one in sent {
            let isFirst = asked.insert(one.url).inserted
            guard let record = stored[one.source], isFirst else { continue }
            let what: Comment = "killed after \(moment) effects: \(one.url) at \(one.context.now.rfc3339)"
            let pending = record.work?.pending.map(\.request.url) ?? []
            // Pending requests continue at once; they were never answered.
            if pending.contains(one.url) { continue }
            if let due = record.nextDue, due > killed, one.context.now < due {
                // A source is requested early only after its work list, and then conditionally.
                #expect(record.work != nil, what)
                if one.request.isConditional, one.request.role == "feed" {
                    let held = record.work?.chains.compactMap { $0.validators[one.url]?.etag }.first
                    #expect(one.fetch.validators.etag == held, what)
                }
                if one.request.role == "search" { #expect(one.url.contains("since_id="), what) }
            } else if one.request.isConditional, record.work == nil {
                #expect(one.fetch.validators.etag == validators[one.url], what)
            }
        }
    }

    /// A source that was polled right before the end is not polled right after the start.
    @Test func aRestartWithoutNeedAsksForNothing() throws {
        let scene = try Scene(writesLag: false)
        try scene.daemon.advance(.seconds(200))
        let before = scene.daemon.sent.count
        try scene.daemon.restart()
        try scene.daemon.advance(.seconds(99))
        #expect(scene.daemon.sent.count == before)
        try scene.daemon.advance(.seconds(31))
        let again = scene.daemon.sent.dropFirst(before)
        #expect(again.filter { $0.request.role != "search" }.allSatisfy { $0.fetch.validators.etag != nil })
        #expect(again.filter { $0.request.role == "search" }.allSatisfy { $0.url.contains("since_id=") })
        #expect(scene.site.notModified.count == 4, "quakes, index, two topics; no document twice")
        #expect(scene.tweets.billed == 20)
    }

    /// Ten runs end with their first request: a crash loop does not hammer a host.
    @Test func aCrashLoopHammersNoHost() throws {
        let scene = try Scene(writesLag: false)
        for _ in 0..<10 {
            // The third effect is the first request: notice, attempt, request.
            scene.daemon.lifetime = 3
            try scene.daemon.advance(.seconds(10))
            try scene.daemon.restart()
        }
        let sources = scene.daemon.sent.map(\.source)
        #expect(sources.contains("quakes"))
        #expect(Set(sources).count == sources.count, "one attempt each within the interval, not one for each life")
    }
}
