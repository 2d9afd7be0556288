import Foundation
import Model
import Testing

@testable import Store

/// Counts by time, place and author.
@Suite struct SummaryTests {
    private static let hour = Duration.seconds(3600)

    /// A message at a place of the city table, or at the author's own with evidence `author`.
    private func message(
        _ id: String, hours: Double, by author: String = "ann", at placeID: String? = nil, named name: String? = nil,
        latitude: Double = 10, longitude: Double = 20, evidence: PlaceEvidence = .title
    ) -> Event {
        Event(
            provider: "twitter", id: id, time: start + hours * 3600, category: .message, title: id,
            author: Author(name: author, link: "https://example.org/\(author)"),
            location: Coordinate(latitude: latitude, longitude: longitude).map {
                Location(
                    $0, method: .gazetteer, precision: .city, matchedText: name, evidence: evidence, placeID: placeID)
            })
    }

    // MARK: - By time

    @Test func eventsAreCountedByTimeAndCategory() throws {
        let test = try TestStore()
        try test.poll([quake("a", hours: -1), quake("b", hours: -0.5), quake("c", hours: -30)])
        try test.poll([article("d", title: "D", hours: -0.25)], from: "news")
        let (bins, isCut) = try test.store.histogram(EventQuery(), width: Self.hour, limit: 100)
        #expect(bins.map { $0.start } == [start - 30 * 3600, start - 3600])
        #expect(bins.map { $0.events } == [[.earthquake: 1], [.earthquake: 2, .news: 1]])
        #expect(bins.map { $0.count } == [1, 3])
        #expect(!isCut)
        var query = EventQuery()
        query.categories = [.news]
        query.limit = 0
        let news = try test.store.histogram(query, width: Self.hour, limit: 100).bins
        #expect(news.map { $0.count } == [1])
    }

    @Test func theNewestBinsStay() throws {
        let test = try TestStore()
        try test.poll((1...5).map { quake("\($0)", hours: -Double($0)) })
        let (bins, isCut) = try test.store.histogram(EventQuery(), width: Self.hour, limit: 2)
        #expect(bins.map { $0.start } == [start - 2 * 3600, start - 3600])
        #expect(isCut)
        let all = try test.store.histogram(EventQuery(), width: Self.hour, limit: 5)
        #expect(all.bins.count == 5 && !all.isCut)
    }

    @Test func aBinHasManyCategoriesOrIsLeftOut() throws {
        let test = try TestStore()
        // Two bins at most have twenty rows: the older bin has eleven, so it would not be whole.
        var events: [Event] = []
        for number in 0..<11 {
            for hours in [-1.0, -2.0] {
                var event = quake("\(number) \(hours)", hours: hours)
                event.category = Model.Category(rawValue: "kind\(number)")
                events.append(event)
            }
        }
        try test.poll(events)
        let (bins, isCut) = try test.store.histogram(EventQuery(), width: Self.hour, limit: 2)
        #expect(bins.map { $0.count } == [11])
        #expect(bins.first?.start == start - 3600)
        #expect(isCut)
    }

    @Test func binsBeginAtTheOriginAndBeforeItToo() throws {
        let test = try TestStore()
        try test.poll([quake("saturday", hours: -2), quake("old", hours: -3)])
        // 1969-12-29 and 2026-02-23 were Mondays.
        let monday = Date(milliseconds: -3 * 86_400_000)
        let week = Duration.seconds(7 * 86_400)
        let bins = try test.store.histogram(EventQuery(), width: week, origin: monday, limit: 10).bins
        #expect(bins.map { $0.start } == [start - 6 * 86_400])
        try test.store.maintain { try $0.run("UPDATE event SET time_ms = -1 WHERE upstream_id = 'old'") }
        let days = try test.store.histogram(EventQuery(), width: .seconds(86_400), limit: 10).bins
        #expect(days.map { $0.start.milliseconds } == [-86_400_000, (start - 86_400).milliseconds])
        let weeks = try test.store.histogram(EventQuery(), width: week, origin: monday, limit: 10).bins
        #expect(weeks.map { $0.start } == [monday, start - 6 * 86_400])
    }

    // MARK: - In so many bins

    private static func bounded(since: Double? = nil, until: Double? = nil, _ categories: Model.Category...)
        -> EventQuery
    {
        var query = EventQuery()
        query.since = since.map { start + $0 * 3600 }
        query.until = until.map { start + $0 * 3600 }
        query.categories = categories
        return query
    }

    /// Events of several categories on both sides of the origin of a bin, one of them withdrawn, one on an edge.
    private func spread() throws -> TestStore {
        let test = try TestStore()
        try test.poll([
            quake("edge", hours: -3), quake("b", hours: -2.5), quake("c", hours: -1), quake("gone", hours: -1),
        ])
        try test.poll([article("d", title: "D", hours: -2.75), article("e", title: "E", hours: -0.25)], from: "news")
        try test.poll(
            [], at: start + 60, withdrawals: [Withdrawal(provider: "usgs", id: "gone", reason: .deleted, evidence: "x")]
        )
        return test
    }

    @Test func aTimelineHasItsEmptyBins() throws {
        let test = try spread()
        let (bins, isCut) = try test.store.timeline(
            EventQuery(), from: start - 5 * 3600, width: Self.hour, bins: 6)
        #expect(bins.map { $0.start } == (0..<6).map { start + Double($0 - 5) * 3600 })
        #expect(bins.map { $0.count } == [0, 0, 2 + 1, 0, 1 + 1, 0])
        #expect(bins[2].events == [.earthquake: 2, .news: 1])
        #expect(bins[4].events == [.earthquake: 1, .news: 1])
        #expect(bins[0].events.isEmpty && !isCut)
    }

    /// What indexes alone count is what `histogram` counts.
    @Test func aTimelineIsTheHistogramOfItsSpan() throws {
        let test = try spread()
        for query in [
            EventQuery(), Self.bounded(.news), Self.bounded(.news, .news), Self.bounded(.earthquake, .news),
            Self.bounded(.volcano), Self.bounded(since: -3, until: -1), Self.bounded(since: -2.75, until: -2.5),
            Self.bounded(until: -2.75, .news), Self.bounded(since: -1), Self.bounded(since: -1, until: -3),
        ] {
            for minutes in [1, 7, 60, 600] {
                let width = Duration.seconds(minutes * 60)
                let from = start - 4 * 3600
                let count = 240 / minutes + 1
                let bins = try test.store.timeline(query, from: from, width: width, bins: count).bins
                #expect(bins.count == count)
                let found = try test.store.histogram(query, width: width, origin: from, limit: 1000).bins
                #expect(bins.filter { $0.count > 0 } == found, "\(query), \(minutes)")
            }
        }
        // Other conditions read the events.
        var strong = EventQuery()
        strong.minimumMagnitude = 5
        let bins = try test.store.timeline(strong, from: start - 2.5 * 3600, width: Self.hour, bins: 2).bins
        #expect(bins.map { $0.events } == [[.earthquake: 1], [.earthquake: 1]])
    }

    /// The feed may name any category, and each would be one look more into the index for each bin.
    @Test(arguments: [(100, false), (101, true)])
    func moreThanAHundredCategoriesAreCountedAsByTheHistogram(count: Int, isCut: Bool) throws {
        let test = try TestStore()
        let events = (0..<count).map { number in
            var event = quake("\(number)", hours: -0.5)
            event.category = Model.Category(rawValue: "kind\(number)")
            return event
        }
        try test.poll(events)
        let many = try test.store.timeline(EventQuery(), from: start - 20 * 3600, width: Self.hour, bins: 20)
        #expect(many.bins.last?.count == count && !many.isCut)
        // A histogram has ten categories a bin.
        let one = try test.store.timeline(EventQuery(), from: start - 3600, width: Self.hour, bins: 1)
        #expect(one.isCut == isCut)
        var named = EventQuery()
        named.categories = events.map(\.category)
        #expect(try test.store.timeline(named, from: start - 3600, width: Self.hour, bins: 1).isCut == isCut)
    }

    @Test func aTimelineOfTheRecordReadsIndexesAlone() throws {
        let test = try spread()
        for query in [EventQuery(), Self.bounded(since: -3, .news, .earthquake)] {
            let sql = query.timelineSQL(from: start.milliseconds, width: 3_600_000, to: start.milliseconds + 7_200_000)
            let plan = try test.store.plan(of: sql)
            #expect(
                plan.contains { $0.contains("COVERING INDEX event_category (category=? AND time_ms>? AND") }, "\(plan)")
            #expect(plan.contains { $0.contains("INDEX event_withdrawn (time_ms>? AND time_ms<?)") }, "\(plan)")
            #expect(!plan.contains { $0 == "SCAN e" || $0 == "SCAN event" }, "\(plan)")
        }
    }

    @Test func theSpanIsThatOfWhatMatches() throws {
        let test = try spread()
        #expect(try test.store.span(of: EventQuery()) == (start - 3 * 3600)...(start - 900))
        #expect(try test.store.span(of: Self.bounded(.news)) == (start - 2.75 * 3600)...(start - 900))
        #expect(try test.store.span(of: Self.bounded(.volcano)) == nil)
    }

    // MARK: - By place

    @Test func placesAreCountedByTheirIdAndOthersInSquares() throws {
        let test = try TestStore()
        try test.poll(
            [
                message("1", hours: -3, at: "city:1", named: "Old name", latitude: 10.5, longitude: 20.5),
                message("2", hours: -2, at: "city:1", named: "New name", latitude: 10.6, longitude: 20.6),
                message("3", hours: -1, at: "city:2", named: "Elsewhere"),
            ], from: "news")
        try test.poll([
            quake("a", hours: -5, latitude: -20.01, longitude: -70.01),
            quake("b", hours: -4, latitude: -20.09, longitude: -70.09),
            quake("c", hours: -6, latitude: -20.04, longitude: -70.01),
            quake("d", hours: -7, latitude: 90, longitude: 180),
        ])
        try test.poll([article("nowhere", title: "Nowhere")], from: "news")
        let all = try test.store.hotspots(EventQuery(), cell: 0.1, limit: 10)
        #expect(all.map { $0.count } == [3, 2, 1, 1])
        #expect(all.map { $0.placeID } == [nil, "city:1", "city:2", nil])
        #expect(all.map { $0.name } == [nil, "New name", "Elsewhere", nil])
        #expect(all.map { $0.latest } == [-4.0, -2, -1, -7].map { start + $0 * 3600 })
        #expect(all.map { $0.events } == [[.earthquake: 3], [.message: 2], [.message: 1], [.earthquake: 1]])
        let places = all.map { [$0.coordinate.longitude, $0.coordinate.latitude] }
        // The pole is in the square of its meridian, and at the edge of the map.
        #expect(places == [[-70.05, -20.05], [20.6, 10.6], [20, 10], [-179.95, 90]])
        #expect(try test.store.hotspots(EventQuery(), cell: 0.1, limit: 1).map { $0.count } == [3])
        // All coordinates without a place but the pole's are in one square.
        #expect(try test.store.hotspots(EventQuery(), cell: 10, limit: 1).first?.coordinate.latitude == -25)
    }

    @Test func bothSidesOf180DegreesAreOneSquare() throws {
        let test = try TestStore()
        try test.poll([
            quake("east", latitude: 0.5, longitude: -180), quake("edge", latitude: 0.5, longitude: 180),
            quake("west", latitude: 0.5, longitude: 179.5),
        ])
        let found = try test.store.hotspots(EventQuery(), cell: 1, limit: 10)
        #expect(found.map { $0.count } == [2, 1])
        #expect(found.map { $0.coordinate.longitude } == [-179.5, 179.5])
    }

    @Test func aHotspotKeepsItsCategoriesApart() throws {
        let test = try TestStore()
        try test.poll([quake("a", hours: -2), quake("b", hours: -1)])
        var alert = quake("c", hours: -3)
        alert.category = .alert
        try test.poll([alert])
        let found = try test.store.hotspots(EventQuery(), cell: 1, limit: 10)
        #expect(found.map { $0.events } == [[.earthquake: 2, .alert: 1]])
        #expect(found.first?.latest == start - 3600)
        var query = EventQuery()
        query.minimumMagnitude = 6
        #expect(try test.store.hotspots(query, cell: 1, limit: 10).isEmpty)
    }

    // MARK: - By author

    @Test func anAuthorsHomeIsLeftOutOnRequest() throws {
        let test = try TestStore()
        try test.poll(
            [
                message("1", hours: -3, evidence: .author), message("2", hours: -2, evidence: .title),
                message("3", hours: -1, by: "bob", evidence: .author),
                article("4", title: "Four", hours: -4, author: "cid"),
            ], from: "news")
        let all = try test.store.authors(EventQuery())
        #expect(all.map { $0.name } == ["ann", "bob", "cid"])
        #expect(all.map { $0.events } == [2, 1, 1])
        var query = EventQuery()
        query.homes = .exclude
        let away = try test.store.authors(query)
        #expect(away.map { $0.name } == ["ann", "cid"])
        #expect(away.map { $0.events } == [1, 1])
        #expect(away.first?.link == "https://example.org/ann")
        query.homes = .only
        let home = try test.store.authors(query)
        #expect(home.map { $0.name } == ["bob", "ann"])
        #expect(home.map { $0.events } == [1, 1])
    }

    // MARK: - Cost

    @Test func eachConditionGoesThroughItsIndex() throws {
        let test = try TestStore()
        let box = try #require(BoundingBox(west: 170, south: -20, east: -170, north: -10))
        let cases: [(String, (inout EventQuery) -> Void)] = [
            (
                "INDEX event_time (time_ms>? AND time_ms<?)",
                {
                    $0.since = start - 3600
                    $0.until = start
                    $0.minimumMagnitude = 4
                }
            ),
            (
                "INDEX event_category (category=? AND time_ms>?)",
                {
                    $0.categories = [.earthquake]
                    $0.since = start - 3600
                }
            ),
            ("INDEX event_author (author_name=?)", { $0.author = "A. Writer" }),
            ("INDEX event_country (location_country=?)", { $0.countries = ["JP"] }),
            ("INDEX link_source ", { $0.sources = ["news"] }),
            ("event_text VIRTUAL TABLE INDEX", { $0.text = "chile" }),
            ("event_position VIRTUAL TABLE INDEX 2:", { $0.box = box }),
        ]
        for (index, change) in cases {
            var query = EventQuery()
            change(&query)
            for sql in [
                query.histogramSQL(width: 3_600_000, origin: 0, rows: 10), query.hotspotsSQL(cell: 1, limit: 10),
                query.authorsSQL(limit: 10),
            ] {
                let plan = try test.store.plan(of: sql)
                #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)")
                #expect(!plan.contains { $0 == "SCAN e" }, "\(plan)")
            }
        }
        let authors = try test.store.plan(of: EventQuery().authorsSQL(limit: 10))
        #expect(authors.contains { $0.contains("INDEX event_author ") }, "\(authors)")
    }

    @Test func aSummaryThatTakesTooLongIsGivenUp() async throws {
        let test = try TestStore()
        try test.poll(
            (0..<2000).map {
                var event = quake("us\($0)", hours: -Double($0) / 1000)
                event.author = Author(name: "Writer \($0)")
                return event
            })
        let pool = ReaderPool(path: test.path, readers: 1, budget: .zero)
        defer { pool.close() }
        func code(_ read: @escaping @Sendable (EventStore) throws -> Void) async -> StoreError.Code? {
            do {
                try await pool.run(read)
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        let histogram = await code { _ = try $0.histogram(EventQuery(), width: Self.hour, limit: 10) }
        let hotspots = await code { _ = try $0.hotspots(EventQuery(), cell: 1, limit: 10) }
        let authors = await code { _ = try $0.authors(EventQuery(), limit: 10) }
        #expect([histogram, hotspots, authors] == [.tooCostly, .tooCostly, .tooCostly])
    }
}
