import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Store

extension EventQuery {
    /// All events, withdrawn ones included.
    static var everything: EventQuery {
        var query = EventQuery()
        query.withdrawn = .include
        query.limit = nil
        return query
    }
}

/// Events as they were known after an earlier change.
@Suite struct KnownThenTests {
    private func publicID(_ test: TestStore, _ name: String) throws -> String {
        try #require(try test.value("SELECT public_id FROM events_v1 WHERE upstream_id = '\(name)'"))
    }

    @Test("A state of then has the values that the history gives, and number, revision and time of its change")
    func rolledBack() throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1)])
        try test.poll([quake("us1", updated: 2, magnitude: 5.4, title: "M 5.4")], at: start + 60)
        try test.poll(
            [quake("us1", hours: -1, updated: 3, magnitude: nil, title: "M ?", latitude: -21)], at: start + 120)
        let id = try publicID(test, "us1")
        let states = try [Int64(1), 2, 3].map { try #require(try test.store.event(id, knownAt: $0)) }
        #expect(states.allSatisfy { $0.isExact })
        #expect(states.map(\.stored.revision) == [1, 2, 3])
        #expect(states.map(\.stored.changeSequence) == [1, 2, 3])
        #expect(states.map(\.stored.lastChanged) == [start, start + 60, start + 120])
        #expect(states.map(\.stored.event.updated) == [start + 60, start + 120, start + 180])
        let history = try test.rows(
            """
            SELECT seq, json_extract(previous_json, '$.title'), json_extract(previous_json, '$.magnitude'),
              json_extract(previous_json, '$.time_ms'), json_extract(previous_json, '$.latitude')
            FROM event_history_v1 ORDER BY revision
            """)
        #expect(history[0] == ["2", states[0].stored.event.title, "5.0", "NULL", "NULL"])
        let second = states[1].stored.event
        #expect(history[1] == ["3", second.title, "5.4", "\((start - 7200).milliseconds)", "-20.0"])
        #expect(second.magnitude == 5.4 && second.time == start - 7200)
        #expect(second.location == quake("us1").location)
        #expect(try test.store.event(id, knownAt: 0) == nil)
        #expect(try test.store.event(id, knownAt: 99) == states[2])
        #expect(try test.store.event("nobody", knownAt: 3) == nil)
    }

    @Test("An event stands as it stood before its withdrawal, and filters apply to the state of then")
    func withdrawnLater() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2", magnitude: 3)])
        let deletion = Withdrawal(provider: "usgs", id: "us1", reason: .deleted, time: start + 60, evidence: "deleted")
        try test.poll([quake("us2", magnitude: 6)], at: start + 60, withdrawals: [deletion])
        var query = EventQuery()
        #expect(try test.store.events(query).map(\.event.id) == ["us2"])
        #expect(try test.store.events(query, knownAt: 2).map(\.stored.event.id) == ["us2", "us1"])
        #expect(try test.store.events(query, knownAt: 1).map(\.stored.event.id) == ["us1"])
        query.minimumMagnitude = 4
        #expect(try test.store.events(query, knownAt: 2).map(\.stored.event.id) == ["us1"])
        #expect(try test.store.events(query, knownAt: 4).map(\.stored.event.id) == ["us2"])
    }

    @Test("An event that was merged later is shown on its own, with its own earlier states")
    func mergedLater() throws {
        let test = try TestStore()
        try test.poll([quake("us1", title: "Old")])
        try test.poll([quake("ci1", title: "Young")], from: "more", at: start + 60)
        try test.poll([quake("ci1", magnitude: 5.1, title: "Younger")], from: "more", at: start + 90)
        try test.poll([quake("us1", title: "Older")], at: start + 100)
        let (older, younger) = (try publicID(test, "us1"), try publicID(test, "ci1"))
        let before = try test.store.events(.everything)
        try test.poll([quake("us1", aliases: ["ci1"], title: "One")], at: start + 120)
        #expect(try test.value("SELECT revision FROM events_v1") == "5")
        let known = try test.store.events(.everything, knownAt: 4)
        #expect(known.map(\.stored.publicID) == [younger, older])
        #expect(known.allSatisfy { $0.isExact })
        #expect(comparable(known.map(\.stored)) == comparable(before))
        #expect(try test.store.event(younger, knownAt: 2)?.stored.event.title == "Young")
        #expect(try test.store.event(younger, knownAt: 2)?.stored.revision == 1)
        #expect(try test.store.event(younger, knownAt: 1) == nil)
        // The younger event's change is the first of the merge.
        let kinds = try test.rows("SELECT kind FROM changes_v1 WHERE seq > 4 ORDER BY seq")
        #expect(kinds == [["merged"], ["merged"], ["revised"]])
        #expect(try test.store.event(younger, knownAt: 5) == nil)
        let titles = try [Int64(1), 4, 6, 7].map { try test.store.event(older, knownAt: $0)?.stored.event.title }
        #expect(titles == ["Old", "Older", "Older", "One"])
        var pair = EventQuery.everything
        pair.publicIDs = [older, younger, "nobody"]
        #expect(try test.store.events(pair, knownAt: 4) == known)
        pair.publicIDs = ["nobody"]
        #expect(try test.store.events(pair, knownAt: 4).isEmpty)
        // A page continues behind an event that has been merged since.
        var page = EventQuery.everything
        page.olderThan = EventQuery.Key(known[0].stored)
        #expect(try test.store.events(page, knownAt: 4).map(\.stored.publicID) == [older])
    }

    @Test("What a provider has erased is absent at every moment, also with a merged event; so is what is truncated")
    func erasedAndTruncated() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2"), quake("us3"), quake("us4")])
        let ids = try ["us1", "us2", "us3", "us4"].map { try publicID(test, $0) }
        try test.poll([quake("us2", aliases: ["us3"], title: "One")], at: start + 60)
        let deletions = ["us1", "us3"].map {
            Withdrawal(provider: "usgs", id: $0, reason: .deleted, time: start + 120, evidence: "deleted", erases: true)
        }
        try test.poll([], at: start + 120, withdrawals: deletions)
        let row = try #require(try test.value("SELECT id FROM event WHERE upstream_id = 'us4'").flatMap { Int64($0) })
        try test.store.transaction { writer in
            try EventRemoval(writer).remove(row, at: (start + 180).milliseconds)
        }
        let newest = try test.store.lastChange()
        for change in 1...newest {
            #expect(try test.store.events(.everything, knownAt: change).isEmpty)
            for id in ids { #expect(try test.store.event(id, knownAt: change) == nil) }
        }
        try test.store.forEachVersion(.everything) { Issue.record("\($0.stored.event.title)") }
    }

    @Test("An event that was located later had no place, and keeps the radius of its area now")
    func locatedLater() throws {
        let test = try TestStore()
        var event = article("a", title: "Ash")
        event.place = "Ecuador"
        try test.poll([event], from: "news")
        let waiting = try test.store.unlocated(limit: 1, generation: "g")
        let point = try #require(Coordinate(latitude: -1, longitude: -79))
        let place = Location(
            point, method: .gazetteer, precision: .country, confidence: 0.9, matchedText: "Ecuador",
            name: "Republic of Ecuador", evidence: .place, placeID: "country:EC", country: "EC", radius: 180.5)
        _ = try test.store.apply([(event: waiting[0], outcome: .located(place))], generation: "g", at: start + 60)
        let id = try publicID(test, "a")
        #expect(try test.store.event(id, knownAt: 1)?.stored.event.location == nil)
        #expect(try test.store.event(id, knownAt: 2)?.stored.event.location == place)
        let columns = "SELECT location_radius_km, location_name FROM events_v1"
        #expect(try test.rows(columns) == [["180.5", "Republic of Ecuador"]])
        try test.poll([article("a", title: "Ash over Quito")], from: "news", at: start + 120)
        event.place = "Quito"
        try test.poll([event], from: "news", at: start + 180)
        #expect(try test.store.event(id, knownAt: 2)?.stored.event.location == place)
        var query = EventQuery()
        query.countries = ["EC"]
        #expect(try test.store.events(query, knownAt: 2).count == 1)
        #expect(try test.store.events(query, knownAt: 1).isEmpty)
        // Rows of the history from before schema 11 have no name; that of another place is not theirs.
        event.location = place
        event.location?.name = "Quito, Ecuador"
        let now = StoredEvent(publicID: id, event: event, firstSeen: start, lastChanged: start, changeSequence: 9)
        #expect(now.rolledBack(#"{"latitude":-2,"location_place_id":"country:EC"}"#).event.location?.name == nil)
        #expect(now.rolledBack(#"{"title":"Ash"}"#).event.location?.name == "Quito, Ecuador")
        for members in [#""latitude":-2,"location_name":"Cuenca""#, #""location_name":"Cuenca","latitude":-2"#] {
            #expect(now.rolledBack("{\(members)}").event.location?.name == "Cuenca", "in any order")
        }
    }

    @Test(
        "A place keeps its name at earlier moments, though the place after it has the same", arguments: ["Agung", nil])
    func movedUnderAName(name: String?) throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let id = try publicID(test, "us1")
        let places = [-8.25, -8.5, -8.75].map {
            PlaceCorrection.at(latitude: $0, longitude: 115.5, radius: nil, name: $0 == -8.75 ? "Batur" : name)
        }
        for place in places { _ = try test.store.correct(id, place, by: "anna", at: start + 60) }
        for (change, place) in zip(Int64(2)..., places) {
            #expect(try test.store.event(id, knownAt: change)?.stored.event.location == place.location)
        }
        #expect(try test.store.event(id, knownAt: 1)?.stored.event.location == quake("us1").location)
    }

    @Test("Old values of a dropped revision go into the next, so the state before the gap is exact, and inside it not")
    func folded() throws {
        let test = try TestStore()
        for minute in 0..<40 {
            let title = minute < 5 ? "Early" : "Late"
            try test.poll(
                [quake("us1", magnitude: 5 + Double(minute) / 100, title: title)], at: start + Double(minute) * 60)
        }
        let id = try publicID(test, "us1")
        let kept = try test.rows("SELECT revision, gap_seq FROM history ORDER BY revision")
        #expect(kept.map { $0[0] } == ["2"] + (22...40).map { "\($0)" })
        #expect(kept.compactMap { $0[1] == "NULL" ? nil : $0 } == [["22", "3"]])
        for change in [Int64(1), 2, 3, 10, 21, 22, 40] {
            let known = try #require(try test.store.event(id, knownAt: change))
            let isInside = (3...21).contains(change)
            #expect(known.isExact == !isInside, "\(change)")
            let shown = isInside ? 2 : change
            #expect(known.stored.event.magnitude == 5 + Double(shown - 1) / 100, "\(change)")
            #expect(known.stored.event.title == (shown < 6 ? "Early" : "Late"), "\(change)")
            #expect(known.stored.changeSequence == shown)
        }
    }

    @Test("At the newest change order, limit and keys give what they give now")
    func theNewestChange() throws {
        let test = try TestStore()
        try test.poll((0..<12).map { quake("us\($0)", hours: -Double($0 / 3), magnitude: Double($0 % 4)) })
        try test.poll(
            (0..<6).map { quake("us\($0)", hours: -Double($0 / 2), magnitude: Double($0 % 5)) }, at: start + 60)
        let newest = try test.store.lastChange()
        let all = try test.store.events(.everything)
        var queries: [EventQuery] = [.everything]
        for limit in [0, 1, 5] {
            for order in [EventQuery.Order.newestFirst, .largestFirst, .smallestFirst, .latestChangeFirst] {
                var query = EventQuery()
                query.limit = limit
                query.order = order
                queries.append(query)
                query.olderThan = EventQuery.Key(all[4])
                queries.append(query)
                (query.olderThan, query.newerThan) = (nil, EventQuery.Key(all[7]))
                queries.append(query)
            }
        }
        for query in queries {
            let now = try test.store.events(query)
            let known = try test.store.events(query, knownAt: newest)
            #expect(known.map(\.stored) == now)
            #expect(known.allSatisfy { $0.isExact })
        }
        // All changed since: the same order by the values of then.
        var query = EventQuery()
        query.limit = 4
        let then = try test.store.events(query, knownAt: 12).map(\.stored.event.id)
        #expect(then == ["us2", "us1", "us0", "us5"])
        query.newerThan = EventQuery.Key(time: start - 2 * 3600, publicID: try publicID(test, "us8"))
        let nearest = try test.store.events(query, knownAt: 12).map(\.stored.event.id)
        #expect(nearest == ["us0", "us5", "us4", "us3"])
    }

    @Test("A moment leads to the last change committed by then")
    func changeAtAMoment() throws {
        let test = try TestStore()
        #expect(try test.store.change(at: start) == 0)
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([quake("us1", magnitude: 6)], at: start + 60)
        #expect(try test.store.change(at: start - 1) == 0)
        #expect(try test.store.change(at: start) == 2)
        #expect(try test.store.change(at: start + 59) == 2)
        #expect(try test.store.change(at: start + 3600) == 3)
        try test.store.maintain { try $0.run("DELETE FROM change WHERE seq < 3") }
        #expect(try test.store.change(at: start + 30) == 2)
        let plan = try test.rows("EXPLAIN QUERY PLAN " + EventStore.unloggedChangeAtMoment.replacing("?", with: "9"))
        #expect(plan.contains { $0[3].contains("COVERING INDEX event_changed (last_changed_ms<?)") }, "\(plan)")
    }

    @Test("Each version has its span, those of a merged event end with the merge")
    func versions() throws {
        let test = try TestStore()
        try test.poll([quake("us1", title: "A"), quake("us2", title: "Alone")])
        try test.poll([quake("ci1", title: "B")], from: "more", at: start + 60)
        try test.poll([quake("ci1", title: "C")], from: "more", at: start + 120)
        try test.poll([quake("us1", aliases: ["ci1"], title: "D")], at: start + 180)
        var spans: [String] = []
        func seconds(_ date: Date) -> Int { Int(clamping: date.timeIntervalSince(start)) }
        try test.store.forEachVersion(.everything) { version in
            let to = version.to.map { "\(seconds($0))" } ?? ""
            spans.append("\(version.stored.event.title) \(seconds(version.from))-\(to)")
            #expect(version.isExact)
        }
        #expect(spans == ["Alone 0-", "A 0-180", "A 180-180", "D 180-", "B 60-120", "C 120-180"])
        var query = EventQuery.everything
        query.limit = 2
        var count = 0
        try test.store.forEachVersion(query) { _ in count += 1 }
        #expect(count == 2)
        // The budget is spent after the first look of the walk, which follows that of the turn's begin; without a time
        // of its own it takes the clock twice.
        let looks = Mutex(0)
        let budget = ReadBudget(.seconds(1)) {
            looks.withLock { looks in
                looks += 1
                return .seconds(looks > 3 ? 2 : 0)
            }
        }
        count = 0
        let late = #expect(throws: StoreError.self) {
            try budget.spending {
                try test.store.within(budget).forEachVersion(.everything) { _ in count += 1 }
            }
        }
        #expect(late?.code == .tooCostly)
        #expect(count == 1, "the event without earlier versions comes first")
    }

    // MARK: - Completeness

    private func completeness(_ test: TestStore, of name: String = "quakes") throws -> SourceCompleteness {
        try #require(try test.store.completeness().first { $0.name == name })
    }

    private func times(_ test: TestStore) throws -> [Double] {
        try test.rows("SELECT at_ms FROM changes_v1 ORDER BY seq").map { row in
            Double((Int64(row[0]) ?? 0) - start.milliseconds) / 1000
        }
    }

    @Test("The record begins with the first start, and later starts do not move it")
    func beginning() throws {
        let test = try TestStore()
        try test.store.reconcile(TestStore.sources, at: start + 60)
        try test.poll([quake("us1")], at: start + 120)
        try test.store.reconcile(TestStore.sources, at: start + 180)
        #expect(try test.store.completeness().map { $0.completeFrom } == [start, start, start])
        #expect(try test.store.completeness().map { $0.resetChange } == [0, 0, 0])
        // A file that lacks the value began no later than the oldest change it keeps.
        try test.store.transaction { try $0.connection.set(Meta.numberedSince, to: nil) }
        #expect(try completeness(test).completeFrom == start + 120)
        try test.store.reconcile(TestStore.sources, at: start + 240)
        #expect(try test.store.read { try $0.value(of: Meta.numberedSince) } == start + 120)
    }

    @Test("A reset has a time of its own, and the record of its source alone begins there")
    func resetAtATime() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([article("a", title: "Quiet")], from: "news", at: start + 60)
        #expect(try test.store.reset(source: "quakes", includingEvents: false, at: start + 300) == 0)
        #expect(try completeness(test).completeFrom == start, "the events stay")
        #expect(try test.store.reset(source: "quakes", includingEvents: true, at: start + 600) == 2)
        #expect(try times(test) == [0, 0, 60, 600, 600])
        let expected = SourceCompleteness(name: "quakes", completeFrom: start + 600, resetChange: 5)
        #expect(try completeness(test) == expected)
        #expect(try completeness(test, of: "news").completeFrom == start)
        #expect(try test.store.change(at: start + 599) == 3)
        #expect(try test.store.change(at: start + 600) == 5)
    }

    @Test("The times of a reset do not run back, neither behind the last change nor behind those made meanwhile")
    func resetBehindTheClock() throws {
        let test = try TestStore()
        try test.poll((0..<120).map { quake("us\($0)") }, at: start + 60)
        var reset = SourceReset(of: "quakes", includingEvents: true, at: start)
        for _ in 0..<2 { try reset.step(in: test.store, timing: .still) }
        #expect(!reset.isComplete)
        #expect(try completeness(test).completeFrom == start + 60)
        let part = try completeness(test).resetChange
        #expect(part == 120 + Int64(reset.removed))
        try test.poll([article("a", title: "Quiet")], from: "news", at: start + 120)
        while !reset.isComplete { try reset.step(in: test.store, timing: .still) }
        let logged = try times(test)
        #expect(logged == logged.sorted())
        let expected = SourceCompleteness(name: "quakes", completeFrom: start + 120, resetChange: 241)
        #expect(try completeness(test) == expected)
    }

    /// Sources and aliases are not historical.
    private func comparable(_ events: [StoredEvent]) -> [StoredEvent] {
        events.map { event in
            var event = event
            event.sources = []
            event.event.aliases = []
            return event
        }
    }

    @Test("After each change the states are those that were remembered then", arguments: [UInt64(1), 2, 3])
    func remembered(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let test = try TestStore()
        var memory: [(change: Int64, events: [StoredEvent])] = []
        for step in 1...120 {
            let minute = Double(step)
            var events: [Event] = []
            let count = Int.random(in: 1...3, using: &random)
            for number in (0..<8).shuffled(using: &random).prefix(count) {
                let networks = ["us", "ci"].shuffled(using: &random)
                let isOne = Int.random(in: 0..<40, using: &random) == 0
                events.append(
                    quake(
                        "\(networks[0])\(number)", aliases: isOne ? ["\(networks[1])\(number)"] : [],
                        hours: -Double.random(in: 1...20, using: &random), updated: minute,
                        magnitude: Double.random(in: 0...9, using: &random), title: "M \(step)",
                        latitude: Double.random(in: -80...80, using: &random)))
            }
            var withdrawals: [Withdrawal] = []
            if Int.random(in: 0..<6, using: &random) == 0 {
                withdrawals.append(
                    Withdrawal(
                        provider: "usgs", id: "us\(Int.random(in: 0..<8, using: &random))", reason: .cancelled,
                        time: start + minute * 60, evidence: "cancelled"))
            }
            try test.poll(events.sorted { $0.id < $1.id }, at: start + minute * 60, withdrawals: withdrawals)
            memory.append((try test.store.lastChange(), try test.store.events(.everything)))
        }
        var (exact, vague) = (0, 0)
        for (change, events) in memory {
            let known = try test.store.events(.everything, knownAt: change)
            #expect(Set(known.map(\.stored.publicID)) == Set(events.map(\.publicID)), "\(change)")
            let remembered = Dictionary(uniqueKeysWithValues: comparable(events).map { ($0.publicID, $0) })
            for event in known {
                guard event.isExact else {
                    vague += 1
                    continue
                }
                exact += 1
                #expect(comparable([event.stored]).first == remembered[event.stored.publicID], "\(change)")
            }
            if known.allSatisfy(\.isExact) {
                #expect(known.map(\.stored.publicID) == events.map(\.publicID), "\(change)")
            }
        }
        #expect(exact > vague)
        #expect(try test.value("SELECT count(*) FROM merged_event") != "0")
    }
}
