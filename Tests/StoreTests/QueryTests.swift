import Foundation
import Model
import SQLite
import Testing

@testable import Store

@Suite struct QueryTests {
    private func filled() throws -> TestStore {
        let test = try TestStore()
        try test.poll([
            quake("chile", hours: -1, title: "M 5.0 - Chile"),
            quake("fiji-west", hours: -2, magnitude: 6, title: "M 6.0 - Fiji", latitude: -17, longitude: 179.5),
            quake("fiji-east", hours: -3, magnitude: nil, title: "M ? - Fiji", latitude: -17.5, longitude: -179.5),
            quake("pole", hours: -4, title: "North pole", latitude: 89.9, longitude: 10),
        ])
        try test.poll(
            [
                article(
                    "eruption", title: "Étna erupts", summary: "Ash over \"Catania\"", hours: -5, author: "A. Writer"),
                article("storm", title: "Storm over Chile", hours: -6, author: "B. Writer"),
                article("calm", title: "Calm", hours: -7, author: "A. Writer"),
            ], from: "news")
        return test
    }

    private func ids(_ test: TestStore, _ change: (inout EventQuery) -> Void) throws -> [String] {
        var query = EventQuery()
        change(&query)
        return try test.store.events(query).map(\.event.id)
    }

    @Test func newestComeFirstUpToTheLimit() throws {
        let test = try filled()
        let all = ["chile", "fiji-west", "fiji-east", "pole", "eruption", "storm", "calm"]
        #expect(try ids(test) { _ in } == all)
        #expect(try ids(test) { $0.limit = 2 } == ["chile", "fiji-west"])
        #expect(try ids(test) { $0.limit = nil } == all)
    }

    @Test func eachConditionNarrows() throws {
        let test = try filled()
        #expect(try ids(test) { $0.since = start - 2 * 3600 } == ["chile", "fiji-west"])
        #expect(try ids(test) { $0.until = start - 6 * 3600 } == ["storm", "calm"])
        #expect(try ids(test) { $0.sources = ["news"] } == ["eruption", "storm", "calm"])
        #expect(try ids(test) { $0.sources = ["news", "quakes"] }.count == 7)
        #expect(try ids(test) { $0.sources = ["nobody"] }.isEmpty)
        #expect(try ids(test) { $0.categories = [.news] } == ["eruption", "storm", "calm"])
        #expect(try ids(test) { $0.providers = ["usgs"] }.count == 4)
        #expect(try ids(test) { $0.author = "A. Writer" } == ["eruption", "calm"])
        #expect(try ids(test) { $0.minimumMagnitude = 5.5 } == ["fiji-west"])
        #expect(
            try ids(test) {
                $0.sources = ["news"]
                $0.since = start - 5.5 * 3600
                $0.author = "A. Writer"
            } == ["eruption"])
        let publicID = try #require(try test.store.events(EventQuery()).last?.publicID)
        #expect(try ids(test) { $0.publicIDs = [publicID] } == ["calm"])
    }

    @Test func anEventNamesItsSourcesInOrder() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")], from: "quakes")
        try test.poll([quake("us1")], from: "more", at: start + 60)
        let expected = ["us1": ["more", "quakes"], "us2": ["quakes"]]
        let listed = try test.store.events(EventQuery()).map { ($0.event.id, $0.sources) }
        #expect(Dictionary(uniqueKeysWithValues: listed) == expected)
        var walked: [String: [String]] = [:]
        try test.store.forEach(EventQuery()) { walked[$0.event.id] = $0.sources }
        #expect(walked == expected)
    }

    @Test func magnitudesDepthsAndChangesAreBounded() throws {
        let test = try filled()
        #expect(try ids(test) { $0.maximumMagnitude = 5.5 } == ["chile", "pole"])
        #expect(
            try ids(test) { query in (query.minimumMagnitude, query.maximumMagnitude) = (5, 5) } == ["chile", "pole"])
        #expect(try ids(test) { $0.minimumDepth = 10 }.count == 4)
        #expect(try ids(test) { $0.minimumDepth = 10.1 }.isEmpty)
        #expect(try ids(test) { $0.maximumDepth = 10 }.count == 4)
        #expect(try ids(test) { $0.maximumDepth = 9.9 }.isEmpty)
        try test.poll([quake("chile", hours: -1, magnitude: 4, title: "M 4.0 - Chile")], at: start + 60)
        #expect(try ids(test) { $0.changedSince = start }.count == 7)
        #expect(try ids(test) { $0.changedSince = start + 1 } == ["chile"])
        #expect(try ids(test) { $0.changedSince = start + 61 }.isEmpty)
        let last = try test.store.lastChange()
        #expect(try ids(test) { $0.changedAfter = 0 }.count == 7)
        #expect(try ids(test) { $0.changedAfter = last - 1 } == ["chile"])
        #expect(try ids(test) { $0.changedAfter = last }.isEmpty)
    }

    @Test func weightsAreBounded() throws {
        let test = try filled()
        #expect(try ids(test) { $0.minimumWeight = 0.5 }.count == 7)
        #expect(try ids(test) { $0.minimumWeight = 0.6 } == ["eruption", "storm", "calm"])
        #expect(try ids(test) { $0.minimumWeight = 1.1 }.isEmpty)
    }

    @Test func theOldestComeFirst() throws {
        let test = try filled()
        let all = ["calm", "storm", "eruption", "pole", "fiji-east", "fiji-west", "chile"]
        #expect(try ids(test) { $0.order = .oldestFirst } == all)
        #expect(try ids(test) { query in (query.order, query.limit) = (.oldestFirst, 2) } == ["calm", "storm"])
    }

    @Test func placesAreChosenByHowTheyAreKnown() throws {
        let test = try filled()
        let waiting = try test.store.unlocated(limit: 10, generation: "g").filter { $0.title.hasPrefix("Storm") }
        let place = try #require(Coordinate(latitude: -33, longitude: -70))
        let location = Location(place, method: .gazetteer, precision: .country, evidence: .title, country: "CL")
        let outcomes = waiting.map { (event: $0, outcome: LocalOutcome.located(location)) }
        _ = try test.store.apply(outcomes, generation: "g", at: start)
        #expect(try ids(test) { $0.precisions = [.point] } == ["chile", "fiji-west", "fiji-east", "pole"])
        #expect(try ids(test) { $0.precisions = [.country, .city] } == ["storm"])
        #expect(try ids(test) { $0.precisions = [.city, .region] }.isEmpty)
        #expect(try ids(test) { $0.evidence = [.title] } == ["storm"])
        #expect(try ids(test) { $0.evidence = [.dateline, .summary] }.isEmpty)
        #expect(try ids(test) { $0.countries = ["CL"] } == ["storm"])
        #expect(try ids(test) { $0.countries = ["JP", "CL"] } == ["storm"])
        #expect(try ids(test) { $0.countries = ["JP"] }.isEmpty)
        #expect(try ids(test) { $0.isLocated = false } == ["eruption", "calm"])
        #expect(try ids(test) { $0.isLocated = true } == ["chile", "fiji-west", "fiji-east", "pole", "storm"])
    }

    @Test func howAPlaceIsKnownIsShownInTheWordsOfAnotherVersion() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        try test.store.transaction { writer in
            try writer.connection.run("UPDATE event SET location_method = 'sonar', location_evidence = 'echo'")
        }
        let location = try #require(try test.store.events(EventQuery()).first?.event.location)
        #expect(location.method == .unknown("sonar") && location.method.rawValue == "sonar")
        #expect(location.evidence == .unknown("echo") && location.evidence?.rawValue == "echo")
    }

    @Test func theLargestComeFirst() throws {
        let test = try filled()
        let all = ["fiji-west", "chile", "pole", "fiji-east", "eruption", "storm", "calm"]
        #expect(try ids(test) { $0.order = .largestFirst } == all)
        #expect(try ids(test) { query in (query.order, query.limit) = (.largestFirst, 2) } == ["fiji-west", "chile"])
        let news: (inout EventQuery) -> Void = { query in (query.order, query.sources) = (.largestFirst, ["news"]) }
        #expect(try ids(test, news) == ["eruption", "storm", "calm"])
        #expect(try ids(test) { $0.order = .smallestFirst } == all.reversed())
    }

    @Test(arguments: [EventQuery.Order.newestFirst, .oldestFirst, .largestFirst, .smallestFirst])
    func aPlaceInTheOrderHasAKey(order: EventQuery.Order) throws {
        let test = try filled()
        var query = EventQuery()
        query.order = order
        let events = try test.store.events(query)
        for (count, event) in events.enumerated() {
            let found = try test.store.key(after: count, of: query)
            let key = try test.store.key(of: event)
            #expect(found?.key == key)
            #expect(found?.magnitude == event.event.magnitude)
        }
        let isThereMore = try test.store.key(after: events.count, of: query) != nil
        #expect(!isThereMore)
    }

    @Test func whatLiesInsideACircleIsLeftOut() throws {
        let test = try filled()
        let centre = try #require(Coordinate(latitude: -17, longitude: 179.9))
        func outside(_ kilometres: Double) throws -> [String] {
            try ids(test) { $0.outside = EventQuery.Circle(centre: centre, kilometres: kilometres) }
        }
        #expect(try outside(0) == ["chile", "fiji-west", "fiji-east", "pole"])
        #expect(try outside(60) == ["chile", "fiji-east", "pole"])
        #expect(try outside(100) == ["chile", "pole"])
        #expect(try outside(20_100).isEmpty)
    }

    @Test func theLatestChangesComeFirst() throws {
        let test = try filled()
        try test.poll([quake("pole", hours: -4, magnitude: 4, title: "North pole", latitude: 89.9, longitude: 10)])
        let latest: (inout EventQuery) -> Void = { $0.order = .latestChangeFirst }
        let all = ["pole", "calm", "storm", "eruption", "fiji-east", "fiji-west", "chile"]
        #expect(try ids(test, latest) == all)
        #expect(try ids(test) { query in (query.order, query.limit) = (.latestChangeFirst, 2) } == ["pole", "calm"])
        let byAuthor: (inout EventQuery) -> Void = { query in
            (query.order, query.author) = (.latestChangeFirst, "A. Writer")
        }
        #expect(try ids(test, byAuthor) == ["calm", "eruption"])
        let words: (inout EventQuery) -> Void = { query in (query.order, query.text) = (.latestChangeFirst, "chile") }
        #expect(try ids(test, words) == ["storm", "chile"])
    }

    @Test func boxesAcross180DegreesAndAtTheEdge() throws {
        let test = try filled()
        func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) throws -> [String] {
            let box = try #require(BoundingBox(west: west, south: south, east: east, north: north))
            return try ids(test) { $0.box = box }
        }
        #expect(try box(179, -20, -179, -15) == ["fiji-west", "fiji-east"])
        #expect(try box(170, -20, 180, -15) == ["fiji-west"])
        #expect(try box(-180, -20, -179, -15) == ["fiji-east"])
        #expect(try box(-70, -20, -70, -20) == ["chile"])
        #expect(try box(-70 + 1e-9, -21, -60, -19).isEmpty)
        #expect(try box(-180, -90, 180, 90).count == 4)
    }

    @Test func circlesAcross180DegreesAndOverThePole() throws {
        let test = try filled()
        func near(_ latitude: Double, _ longitude: Double, _ kilometres: Double) throws -> [String] {
            let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
            return try ids(test) { $0.near = EventQuery.Circle(centre: centre, kilometres: kilometres) }
        }
        #expect(try near(-17, 179.9, 100) == ["fiji-west", "fiji-east"])
        #expect(try near(-17, 179.9, 60) == ["fiji-west"])
        #expect(try near(89.9, -170, 25) == ["pole"])
        #expect(try near(89.9, -170, 20).isEmpty)
        #expect(try near(-20, -70, 0) == ["chile"])
        #expect(try near(0, 0, 20_100).count == 4)
    }

    @Test func wordsAreFoundWhateverTheUserTypes() throws {
        let test = try filled()
        #expect(try ids(test) { $0.text = "etna" } == ["eruption"])
        #expect(try ids(test) { $0.text = "chile" } == ["chile", "storm"])
        #expect(try ids(test) { $0.text = "erup* ash" } == ["eruption"])
        #expect(try ids(test) { $0.text = "erup" }.isEmpty)
        #expect(try ids(test) { $0.text = "\"catania\"" } == ["eruption"])
        #expect(try ids(test) { $0.text = "writer" }.count == 3)
        #expect(try ids(test) { $0.text = "  " }.count == 7)
        let hostile = [
            "\"", "*", "a\"b", "NEAR(", "title:x", "-", "(", "AND", "x AND", "^q", "{q}", "'", "a\0b", "+",
        ]
        for hostile in hostile {
            #expect(try ids(test) { $0.text = hostile }.isEmpty, "\(hostile)")
        }
    }

    @Test func authorsAreCounted() throws {
        let test = try filled()
        let authors = try test.store.authors(EventQuery())
        #expect(authors.map(\.name) == ["A. Writer", "B. Writer"])
        #expect(authors.map(\.events) == [2, 1])
        #expect(authors.first?.latest == start - 5 * 3600)
        var query = EventQuery()
        query.text = "storm"
        #expect(try test.store.authors(query, limit: 1).map(\.name) == ["B. Writer"])
    }

    @Test func walkEndsWhenTheBodyThrows() throws {
        struct Enough: Error {}
        let test = try filled()
        var seen = 0
        #expect(throws: Enough.self) {
            try test.store.forEach(EventQuery()) { _ in
                seen += 1
                if seen == 2 { throw Enough() }
            }
        }
        #expect(seen == 2)
        #expect(try test.store.events(EventQuery()).count == 7)
    }

    @Test func theWalkReadsNothingWhileTheBodyWorks() throws {
        let test = try filled()
        var sizes: [Int64] = []
        try test.store.forEach(EventQuery()) { event in
            if sizes.isEmpty { try test.poll([quake("late", hours: -2.5, title: "Late")]) }
            try test.store.maintain { try $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
            sizes.append(DatabasePath.size(of: test.path + "-wal"))
        }
        #expect(sizes == [0, 0, 0, 0, 0, 0, 0], "a reader would keep the WAL")
    }

    @Test func theWalkGoesOnBeyondAThousandInOrder() throws {
        let test = try TestStore()
        try test.poll((0..<2500).map { quake("us\($0)", hours: -Double($0) / 1000) })
        var query = EventQuery()
        query.limit = nil
        var seen: [String] = []
        try test.store.forEach(query) { seen.append($0.event.id) }
        #expect(seen == (0..<2500).map { "us\($0)" })
    }

    @Test func statisticsCount() throws {
        let test = try filled()
        let statistics = try test.store.statistics()
        #expect(statistics.events == 7)
        #expect(statistics.withdrawn == 0)
        #expect(statistics.located == 4)
        #expect(statistics.waiting == 3)
        #expect(statistics.schemaVersion == Migrations.newest)
        #expect(statistics.databaseBytes > 0)
        #expect(statistics.walBytes > 0)
        #expect(statistics.lastTruncation == nil)
    }

    @Test func everyKindOfQueryUsesAnIndex() throws {
        let test = try filled()
        let box = try #require(BoundingBox(west: 170, south: -20, east: -170, north: -10))
        let centre = try #require(Coordinate(latitude: -20, longitude: -70))
        let cases: [(String, (inout EventQuery) -> Void)] = [
            ("INDEX event_time ", { $0.since = start - 3600 }),
            ("INDEX event_time", { _ in }),
            ("INDEX event_time", { $0.minimumMagnitude = 4 }),
            ("INDEX event_magnitude", { $0.order = .largestFirst }),
            ("INDEX event_magnitude", { $0.order = .smallestFirst }),
            (
                "INDEX event_time (time_ms>?)",
                {
                    $0.since = start - 3600
                    $0.order = .largestFirst
                }
            ),
            (
                "INDEX event_magnitude (magnitude>?)",
                {
                    $0.minimumMagnitude = 4
                    $0.order = .largestFirst
                }
            ),
            ("INDEX event_category ", { $0.categories = [.earthquake] }),
            ("INDEX event_author ", { $0.author = "A. Writer" }),
            ("INDEX event_country (location_country=?)", { $0.countries = ["JP"] }),
            ("INDEX event_country (location_country=?)", { $0.countries = ["JP", "KR"] }),
            (
                "INDEX event_country (location_country=? AND time_ms>?)",
                {
                    $0.countries = ["JP"]
                    $0.since = start - 3600
                }
            ),
            ("INDEX link_source ", { $0.sources = ["news"] }),
            ("event_text VIRTUAL TABLE INDEX", { $0.text = "chile" }),
            ("event_position VIRTUAL TABLE INDEX 2:", { $0.box = box }),
            (
                "event_position VIRTUAL TABLE INDEX 2:",
                {
                    $0.near = EventQuery.Circle(centre: centre, kilometres: 100)
                    $0.since = start - 86_400
                }
            ),
            ("INDEX event_withdrawn", { $0.withdrawn = .only }),
            ("INDEX event_time", { $0.order = .oldestFirst }),
            ("INDEX event_time", { $0.isLocated = true }),
            ("INDEX event_time", { $0.minimumWeight = 0.5 }),
            ("INDEX event_change (change_seq>?)", { $0.changedAfter = 5 }),
            ("INDEX event_changed (last_changed_ms>?)", { $0.changedSince = start - 60 }),
            (
                "SCAN e USING INDEX event_change",
                {
                    $0.order = .latestChangeFirst
                    $0.categories = [.earthquake]
                    $0.since = start - 3600
                }
            ),
            (
                "INDEX event_time (time_ms>? AND time_ms<?)",
                {
                    $0.order = .latestChangeFirst
                    $0.since = start - 3600
                    $0.until = start
                }
            ),
            (
                "INDEX event_author (author_name=?)",
                {
                    $0.order = .latestChangeFirst
                    $0.author = "A. Writer"
                }
            ),
            (
                "INDEX event_changed (last_changed_ms>?)",
                {
                    $0.changedSince = start - 60
                    $0.categories = [.earthquake]
                    $0.withdrawn = .include
                }
            ),
            (
                "INDEX event_change (change_seq>?)",
                {
                    $0.changedSince = start - 60
                    $0.changedAfter = 5
                }
            ),
            (
                "INDEX event_change (change_seq>?)",
                {
                    $0.changedAfter = 5
                    $0.categories = [.earthquake]
                    $0.since = start - 3600
                    $0.box = BoundingBox(west: -180, south: -90, east: 180, north: 90)
                }
            ),
            (
                "event_position VIRTUAL TABLE INDEX 2:",
                {
                    $0.changedAfter = 5
                    $0.box = box
                    $0.isLocated = true
                    $0.order = .oldestFirst
                }
            ),
            ("(public_id=?)", { $0.publicIDs = ["0123456789abcdef"] }),
            (
                "(public_id=?)",
                {
                    $0.publicIDs = (0..<100).map { "\($0)" }
                    $0.categories = [.earthquake]
                    $0.countries = ["JP"]
                }
            ),
            (
                "(public_id=?)",
                {
                    $0.publicIDs = (0..<100).map { "\($0)" }
                    $0.author = "A. Writer"
                }
            ),
        ]
        for (index, change) in cases {
            var query = EventQuery()
            change(&query)
            let plan = try test.store.plan(of: query)
            #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN e") && !$0.contains("INDEX") }, "\(plan)")
        }
    }
}
