import Engine
import Foundation
import Model
import Testing

@testable import Simulation

/// Expired events are removed within the hour and never return, over days of simulated time.
@Suite struct TruncationTests {
    private static let start = InProcessDaemon.start
    private static let hour = Duration.seconds(3600)
    private static let news = "https://news.test/feed.xml"
    private static let quakes = "https://quakes.test/summary/all_month.geojson"

    private static func newsSource(keptFor hours: Int) -> SourceSettings {
        SourceSettings(
            name: "news", kind: "rss", url: news, refreshInterval: .seconds(1200), maxAge: hour * hours)
    }

    private static func quakeSource(
        _ name: String = "quakes", _ url: String = Self.quakes, keptFor hours: Int
    ) -> SourceSettings {
        SourceSettings(name: name, kind: "usgs", url: url, refreshInterval: .seconds(1200), maxAge: hour * hours)
    }

    /// Feeds that list the same items in full for ever.
    private func stubbornSite() -> ScriptedSite {
        let site = ScriptedSite()
        site.isConditional = false
        site.serve(
            Documents.rss([
                .init(guid: "old", title: "Old", date: Self.start - 20 * 3600),
                .init(guid: "fresh", title: "Fresh", date: Self.start - 3600),
                .init(guid: "undated", title: "Undated", date: nil),
                .init(guid: "future", title: "Future", date: Self.start + 10 * 86_400),
            ]), at: Self.news)
        let quakes = [
            Documents.Quake(id: "us1", time: Self.start - 20 * 3600),
            Documents.Quake(id: "us2", time: Self.start - 7200),
        ]
        site.documents[Self.quakes] = { order in
            Documents.usgs(quakes, generated: order.context.now, period: "all_month")
        }
        return site
    }

    private func ids(_ daemon: InProcessDaemon) throws -> Set<String> {
        Set(try daemon.column("SELECT upstream_id FROM events_v1"))
    }

    @Test func whatExpiresGoesWithinTheHourAndStaysAway() throws {
        let site = stubbornSite()
        let sources = [Self.newsSource(keptFor: 24), Self.quakeSource(keptFor: 24)]
        let daemon = try InProcessDaemon(sources) { site.answer($0) }
        // Age counts from event time or first sight, whichever is earlier.
        let expiry: [String: Double] = ["old": 4, "fresh": 23, "undated": 24, "future": 24, "us1": 4, "us2": 22]
        try daemon.advance(.seconds(1))
        #expect(try ids(daemon) == Set(expiry.keys))
        for step in 1...(72 * 3) {
            try daemon.advance(.seconds(1200))
            let elapsed = daemon.now.wall.timeIntervalSince(Self.start) / 3600
            let stored = try ids(daemon)
            for (id, hours) in expiry where elapsed < hours || elapsed > hours + 1 {
                #expect(stored.contains(id) == (elapsed < hours), "\(id) after \(elapsed) h, step \(step)")
            }
        }
        let changes = try daemon.column("SELECT kind || count(*) FROM changes_v1 GROUP BY kind ORDER BY 1")
        #expect(changes == ["new6", "truncated6"])
        #expect(daemon.reports.allSatisfy { $0.end.failure == nil })
        #expect(daemon.truncations.count == 72)
        let refused = try daemon.records()["news"]?.refused ?? [:]
        #expect((refused["truncated"] ?? 0) > 100, "\(refused)")
    }

    @Test func aLongerMaxAgeBringsNothingBack() throws {
        let site = stubbornSite()
        let sources = [Self.newsSource(keptFor: 24), Self.quakeSource(keptFor: 24)]
        let daemon = try InProcessDaemon(sources) { site.answer($0) }
        try daemon.advance(Self.hour * 26)
        #expect(try ids(daemon).isEmpty)
        try daemon.restart(with: [Self.newsSource(keptFor: 2400), Self.quakeSource(keptFor: 2400)])
        try daemon.advance(Self.hour * 3)
        #expect(try ids(daemon).isEmpty)
        // New events are still accepted.
        site.serve(Documents.rss([.init(guid: "new", title: "New", date: Self.start + 25 * 3600)]), at: Self.news)
        try daemon.advance(Self.hour)
        #expect(try ids(daemon) == ["new"])
    }

    @Test(arguments: [false, true])
    func aLongerMaxAgeAsksOnceWithoutValidators(isReload: Bool) throws {
        let site = ScriptedSite()
        site.serve(Documents.rss([.init(guid: "old", title: "Old", date: Self.start - 20 * 3600)]), at: Self.news)
        let daemon = try InProcessDaemon(
            [Self.newsSource(keptFor: 12)], truncation: TruncationPlan(first: Self.hour * 24)
        ) { site.answer($0) }
        try daemon.advance(.seconds(10))
        #expect(try ids(daemon).isEmpty)
        let longer = [Self.newsSource(keptFor: 48)]
        if isReload { try daemon.reload(longer) } else { try daemon.restart(with: longer) }
        try daemon.advance(Self.hour)
        #expect(try ids(daemon) == ["old"])
        #expect(daemon.sent.map { $0.fetch.validators.isEmpty } == [true, true, false, false])
    }

    @Test func eventsOfARemovedSourceExpireByItsStoredMaxAge() throws {
        let site = stubbornSite()
        let sources = [Self.newsSource(keptFor: 48), Self.quakeSource(keptFor: 24)]
        let daemon = try InProcessDaemon(sources) { site.answer($0) }
        try daemon.advance(Self.hour)
        try daemon.restart(with: [Self.quakeSource(keptFor: 24)])
        try daemon.advance(Self.hour * 26)
        #expect(try ids(daemon) == ["old", "fresh", "undated", "future"])
        try daemon.advance(Self.hour * 2)
        #expect(try !ids(daemon).contains("old"))
        try daemon.advance(Self.hour * 21)
        #expect(try ids(daemon).isEmpty)
    }

    @Test func anEventLivesAsLongAsItsLongestKeepingSourceSays() throws {
        let site = stubbornSite()
        let second = "https://month.test/summary/all_month.geojson"
        let quakes = [Documents.Quake(id: "us2", time: Self.start - 7200)]
        site.documents[second] = { order in
            Documents.usgs(quakes, generated: order.context.now, period: "all_month")
        }
        let daemon = try InProcessDaemon([
            Self.quakeSource(keptFor: 24), Self.quakeSource("month", second, keptFor: 48),
        ]) { site.answer($0) }
        try daemon.advance(Self.hour * 25)
        #expect(try ids(daemon) == ["us2"])
        try daemon.advance(Self.hour * 22)
        #expect(try ids(daemon).isEmpty)
        try daemon.advance(Self.hour * 5)
        #expect(try ids(daemon).isEmpty)
    }

    @Test func whatAFeedLetsGoNeedsNoTombstoneForEver() throws {
        let site = stubbornSite()
        var source = Self.newsSource(keptFor: 24)
        source.refreshInterval = Self.hour * 6
        let plan = TruncationPlan(first: .seconds(300), interval: Self.hour * 6)
        let daemon = try InProcessDaemon([source], truncation: plan) { site.answer($0) }
        try daemon.advance(Self.hour * 32)
        // The undated event and the one in the future; the horizon excludes the others.
        #expect(try daemon.number("SELECT count(*) FROM tombstone") == 2)
        site.serve(Documents.rss([]), at: Self.news)
        try daemon.advance(Self.hour * 24 * 33)
        #expect(try daemon.number("SELECT count(*) FROM tombstone") == 0)
    }

    /// The wall clock jumps ahead by a year while the servers tell the true time.
    @Test func aWrongClockDestroysNothing() throws {
        let site = stubbornSite()
        let sources = [Self.newsSource(keptFor: 240), Self.quakeSource(keptFor: 240)]
        let daemon = try InProcessDaemon(sources) { site.answer($0) }
        try daemon.advance(Self.hour * 2)
        let before = try ids(daemon)
        #expect(before.count == 6)
        let year = 365.0 * 86_400
        daemon.stepWallClock(by: year)
        daemon.serverClockOffset = -year
        try daemon.advance(Self.hour * 5)
        #expect(daemon.notices.contains { if case .clockDoubted = $0 { true } else { false } })
        #expect(try ids(daemon) == before)
        let horizon = try #require(try daemon.records()["news"]?.horizon)
        #expect(horizon < Self.start, "the horizon moved by no more than the time that has passed")
        daemon.stepWallClock(by: -year)
        daemon.serverClockOffset = 0
        try daemon.advance(Self.hour * 2)
        #expect(try ids(daemon) == before)
    }

    /// A clock that no server has confirmed proves no age.
    @Test func aClockThatNobodyConfirmsTruncatesNothing() throws {
        let site = stubbornSite()
        let daemon = try InProcessDaemon([Self.newsSource(keptFor: 24)]) { site.answer($0) }
        daemon.serverClockOffset = nil
        try daemon.advance(Self.hour * 30)
        #expect(try ids(daemon).count == 4)
        #expect(daemon.truncations.isEmpty)
        #expect(daemon.notices.contains(.truncationSkipped))
    }
}
