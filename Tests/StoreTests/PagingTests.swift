import Foundation
import Model
import Testing

@testable import Store

/// Pages by key in both directions add up to all events, however many share a millisecond.
@Suite struct PagingTests {
    /// Events of which many share a millisecond: earthquakes in groups of four; dated articles, two of them together
    /// with earthquakes; undated ones at the time of first sight. Some are withdrawn.
    private func filled() throws -> TestStore {
        let test = try TestStore()
        let quakes = (0..<12).map { quake("q\($0)", hours: -Double($0 / 4), title: "M 5.0 - Chile \($0)") }
        try test.poll(quakes.filter { $0.id != "q5" })
        let dated = (0..<4).map {
            article("a\($0)", title: "Chile", hours: -1 + Double($0 / 2) / 2, author: "A. Writer")
        }
        let undated = (0..<5).map { article("u\($0)", title: "Ash \($0)", hours: nil) }
        try test.poll(dated + undated, from: "news", at: start + 5)
        try test.poll([quakes[5], quakes[6]], from: "more")
        let withdrawals = ["q1", "q2", "q9"].map {
            Withdrawal(provider: "usgs", id: $0, reason: .deleted, evidence: "deleted")
        }
        try test.poll([], at: start + 60, withdrawals: withdrawals)
        return test
    }

    private static let queries: [(name: String, change: @Sendable (inout EventQuery) -> Void)] = [
        ("all", { _ in }),
        ("also withdrawn", { $0.withdrawn = .include }),
        ("withdrawn", { $0.withdrawn = .only }),
        ("a category", { $0.categories = [.earthquake] }),
        ("two categories", { $0.categories = [.earthquake, .news] }),
        ("an author", { $0.author = "A. Writer" }),
        ("a provider", { $0.providers = ["usgs"] }),
        ("a source", { $0.sources = ["quakes"] }),
        ("two sources", { $0.sources = ["more", "news"] }),
        ("since", { $0.since = start - 3600 }),
        ("a source since", { query in (query.sources, query.since) = (["quakes"], start - 3600) }),
        ("until", { $0.until = start - 3600 }),
        ("words", { $0.text = "chile" }),
        ("a box", { $0.box = BoundingBox(west: -71, south: -21, east: -69, north: -19) }),
        ("changes", { $0.changedAfter = 3 }),
    ]

    /// The joined pages of a query in an order by time, from the oldest event on (`goingUp`) or from the newest one.
    private func walk(
        _ test: TestStore, _ order: EventQuery.Order, goingUp: Bool, limit: Int,
        _ change: (inout EventQuery) -> Void
    ) throws -> [String] {
        var query = EventQuery()
        change(&query)
        query.order = order
        query.limit = limit
        let goesOn = goingUp == (order == .oldestFirst)
        if goingUp {
            query.newerThan = EventQuery.Key(time: .distantPast, publicID: "")
        } else {
            query.olderThan = EventQuery.Key(time: .distantFuture, publicID: "")
        }
        var ids: [String] = []
        while true {
            let page = try test.store.events(query)
            guard let first = page.first, let last = page.last else { return ids }
            #expect(page.count <= limit)
            let pageIDs = page.map(\.event.id)
            ids = goesOn ? ids + pageIDs : pageIDs + ids
            let key = EventQuery.Key(goesOn ? last : first)
            if goingUp { query.newerThan = key } else { query.olderThan = key }
            try #require(ids.count < 100, "the walk has no end")
        }
    }

    @Test(arguments: [EventQuery.Order.newestFirst, .oldestFirst], [true, false])
    func pagesAreTheWhole(order: EventQuery.Order, goingUp: Bool) throws {
        let test = try filled()
        for (name, change) in Self.queries {
            var query = EventQuery()
            change(&query)
            query.limit = nil
            var whole = try test.store.events(query).map(\.event.id)
            #expect(whole.count > 2 && Set(whole).count == whole.count, "\(name)")
            if order == .oldestFirst { whole.reverse() }
            for limit in [1, 2, 3, 7, 100] {
                let walked = try walk(test, order, goingUp: goingUp, limit: limit, change)
                #expect(walked == whole, "\(name) by \(limit)")
            }
        }
    }

    @Test func ofOneTimeWhatWasStoredLastComesFirst() throws {
        let test = try filled()
        var query = EventQuery()
        query.since = start - 3600
        query.until = start - 3600
        #expect(try test.store.events(query).map(\.event.id) == ["q5", "a1", "a0", "q7", "q6", "q4"])
        query.until = nil
        query.limit = nil
        let undated = try test.store.events(query).prefix(5)
        #expect(undated.map(\.event.id) == ["u4", "u3", "u2", "u1", "u0"])
        #expect(undated.allSatisfy { !$0.hasFeedTime && EventQuery.Key($0).time == start + 5 })
    }

    @Test func thePageAboveAKeyIsTheOneNextToIt() throws {
        let test = try filled()
        let all = try test.store.events(EventQuery())
        var query = EventQuery()
        query.limit = 3
        query.newerThan = EventQuery.Key(all[9])
        #expect(try test.store.events(query) == Array(all[6..<9]))
        var walked: [StoredEvent] = []
        try test.store.forEach(query) { walked.append($0) }
        #expect(walked == Array(all[6..<9]))
        // Between two keys, pages start at the newer one as everywhere else.
        query.olderThan = EventQuery.Key(all[1])
        #expect(try test.store.events(query) == Array(all[2..<5]))
        query.limit = 0
        #expect(try test.store.events(query).isEmpty)
    }

    @Test func whereTheEventOfAKeyHasGoneNothingIsLeftOut() throws {
        let test = try filled()
        var query = EventQuery()
        query.categories = [.earthquake]
        let all = try test.store.events(query)
        let time = start - 3600
        let index = try #require(all.firstIndex { $0.event.time == time }) + 1
        let key = EventQuery.Key(all[index])
        try test.store.transaction { writer in
            try writer.connection.run("DELETE FROM event WHERE public_id = ?", key.publicID)
        }
        query.olderThan = key
        let older = try test.store.events(query)
        #expect(older == all.filter { $0.publicID != key.publicID && ($0.event.time ?? start) <= time })
        query.olderThan = nil
        query.newerThan = key
        let newer = try test.store.events(query)
        #expect(newer == all.filter { $0.publicID != key.publicID && ($0.event.time ?? start) >= time })
    }

    @Test func aKeyWithAHandleHoldsItsPlaceAfterTheEventHasGone() throws {
        let test = try filled()
        var query = EventQuery()
        query.categories = [.earthquake]
        let all = try test.store.events(query)
        let index = try #require(all.firstIndex { $0.event.time == start - 3600 }) + 1
        let key = try test.store.key(of: all[index])
        try test.store.transaction { writer in
            try writer.connection.run("DELETE FROM event WHERE public_id = ?", key.publicID)
        }
        #expect(try test.store.key(of: all[index]).handle == nil)
        query.olderThan = key
        #expect(try test.store.events(query) == Array(all[(index + 1)...]))
        (query.olderThan, query.newerThan) = (nil, key)
        #expect(try test.store.events(query) == Array(all[..<index]))
    }

    @Test func aKeyHoldsItsPlaceAfterItsEventHasBeenMerged() throws {
        let test = try TestStore()
        try test.poll(["us1", "us2", "us3", "us4"].map { quake($0) })
        var query = EventQuery()
        let all = try test.store.events(query)
        #expect(all.map(\.event.id) == ["us4", "us3", "us2", "us1"])
        let key = try test.store.key(of: all[2])
        try test.poll([quake("us1", aliases: ["us2"])] + ["us3", "us4"].map { quake($0) }, at: start + 60)
        #expect(try test.store.events(query).count == 3)
        #expect(try test.store.key(of: all[2]) == key)
        for key in [key, EventQuery.Key(all[2])] {
            (query.olderThan, query.newerThan) = (key, nil)
            #expect(try test.store.events(query).map(\.event.id) == ["us1"])
            (query.olderThan, query.newerThan) = (nil, key)
            #expect(try test.store.events(query).map(\.event.id) == ["us4", "us3"])
            #expect(try test.store.events(query, knownAt: 4).map(\.stored.event.id) == ["us4", "us3"])
        }
    }

    @Test func anEventThatMovesDoesNotMoveTheKey() throws {
        let test = try filled()
        var query = EventQuery()
        let all = try test.store.events(query)
        let index = try #require(all.firstIndex { $0.event.id == "q6" })
        query.olderThan = EventQuery.Key(all[index])
        try test.poll([quake("q6", hours: -30)], from: "more", at: start + 120)
        let expected = all[(index + 1)...].map(\.event.id) + ["q6"]
        #expect(try test.store.events(query).map(\.event.id) == expected)
    }

    @Test func keysAreSoughtInTheIndexThatGivesTheOrder() throws {
        let test = try filled()
        let key = EventQuery.Key(try #require(try test.store.events(EventQuery()).first))
        for (name, change) in Self.queries {
            var query = EventQuery()
            change(&query)
            let sorts = try test.store.plan(of: query).contains { $0.contains("TEMP B-TREE") }
            for isOlder in [true, false] {
                if isOlder { query.olderThan = key } else { (query.olderThan, query.newerThan) = (nil, key) }
                let plan = try test.store.plan(of: query)
                #expect(plan.contains { $0.contains("TEMP B-TREE") } == sorts, "\(name): \(plan)")
                guard !sorts else { continue }
                let side = isOlder ? "<" : ">"
                let bounds = ["time_ms\(side)?", "(time_ms,event_id)\(side)(?,?)"]
                #expect(plan.contains { line in bounds.contains { line.contains($0) } }, "\(name): \(plan)")
            }
        }
        let sorting = ["two categories", "words", "a box", "changes"]
        for (name, change) in Self.queries where !sorting.contains(name) {
            var query = EventQuery()
            change(&query)
            let plan = try test.store.plan(of: query)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(name): \(plan)")
        }
    }
}
