import Foundation
import Model
import Testing

@testable import Store

@Suite struct TruncationTests {
    private let hour = 3600.0
    private let day = 86_400.0

    private func ids(_ test: TestStore) throws -> [String] {
        try test.rows("SELECT upstream_id FROM events_v1 ORDER BY 1").compactMap(\.first)
    }

    @Test func expiredEventsGoWithAllThatHangsOnThem() throws {
        let test = try TestStore()
        try test.poll([quake("us1", aliases: ["ci1"], hours: -70), quake("us2", hours: -1)])
        try test.poll([quake("us1", aliases: ["ci1"], hours: -70, magnitude: 6)])
        var unlocated = quake("us3", hours: -70)
        unlocated.location = nil
        try test.poll([unlocated])
        let result = try test.store.truncate(asOf: start + 3 * hour)
        #expect(result.events == ["quakes": 2])
        #expect(result.total == 2)
        #expect(result.isComplete)
        #expect(try ids(test) == ["us2"])
        for table in ["upstream_id", "link", "event_position"] {
            #expect(try test.value("SELECT count(*) FROM \(table)") == "1", "\(table)")
        }
        for table in ["history", "geocode_queue", "tombstone"] {
            #expect(try test.value("SELECT count(*) FROM \(table)") == "0", "\(table)")
        }
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'chile'").count == 1)
        #expect(try test.value("SELECT count(*) FROM changes_v1 WHERE kind = 'truncated'") == "2")
        #expect(try test.store.statistics().lastTruncation == start + 3 * hour)
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
        }
    }

    @Test func aForecastCountsAndChangesNothing() throws {
        let test = try TestStore()
        try test.poll([quake("us1", hours: -70), quake("us2")])
        let log = try FileManager.default.attributesOfItem(atPath: test.path + "-wal")[.size] as? Int
        let counts = try test.store.truncationForecast(asOf: start + 3 * hour, under: TestStore.sources)
        #expect(counts == ["quakes": 1])
        var shorter = TestStore.sources
        shorter[0].maxAge = .seconds(60)
        #expect(try test.store.truncationForecast(asOf: start + 3 * hour, under: shorter) == ["quakes": 2])
        #expect(try test.store.sources().first { $0.name == "quakes" }?.maxAge == .seconds(72 * 3600))
        #expect(try test.store.sources().allSatisfy { $0.horizon == nil })
        #expect(try ids(test) == ["us1", "us2"])
        #expect(try FileManager.default.attributesOfItem(atPath: test.path + "-wal")[.size] as? Int == log)
    }

    @Test func aForecastIsForReadersToo() throws {
        let test = try TestStore()
        try test.poll([quake("us1", hours: -70), quake("us2")])
        let reader = try EventStore(path: test.path, mode: .readOnly)
        #expect(try reader.truncationForecast(asOf: start + 3 * hour, under: TestStore.sources) == ["quakes": 1])
        // A source that left the configuration keeps its retention time.
        #expect(try reader.truncationForecast(asOf: start + 3 * hour, under: []) == ["quakes": 1])
    }

    @Test func whatWasTruncatedStaysOut() throws {
        let test = try TestStore()
        let old = quake("us1", hours: -70)
        try test.poll([old])
        _ = try test.store.truncate(asOf: start + 3 * hour)
        let result = try test.poll([old, quake("us2", hours: -71)], at: start + 4 * hour)
        #expect(result.refused == ["truncated": 2])

        var sources = TestStore.sources
        sources[0].maxAge = .seconds(1000 * 3600)
        try test.store.reconcile(sources, at: start + 5 * hour)
        #expect(try test.poll([old], at: start + 5 * hour).refused == ["truncated": 1])
        #expect(try test.poll([quake("us3", hours: -69)], at: start + 5 * hour).new == 1)
        _ = try test.store.truncate(asOf: start + 6 * hour)
        #expect(try test.store.sources().first { $0.name == "quakes" }?.horizon == start - 69 * hour)
    }

    @Test func eventOlderThanMaxAgeIsRefusedAtFirstSight() throws {
        let test = try TestStore()
        #expect(try test.poll([quake("us1", hours: -73)]).refused == ["expired": 1])
        #expect(try test.poll([quake("us1", hours: -73)], from: "news").new == 1)
    }

    @Test func longestKeepingSourceDecides() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        try test.poll([quake("us1")], from: "news")
        #expect(try test.store.truncate(asOf: start + 200 * hour).total == 0)
        #expect(try test.store.truncate(asOf: start + 239 * hour).total == 1)
    }

    @Test func sourceThatLeftTheConfigurationKeepsItsMaxAge() throws {
        let test = try TestStore()
        try test.poll([quake("us1")], from: "news")
        try test.store.reconcile([TestStore.sources[0]], at: start)
        #expect(try test.store.truncate(asOf: start + 200 * hour).total == 0)
        #expect(try test.store.truncate(asOf: start + 239 * hour).total == 1)
    }

    @Test func dateInTheFutureKeepsNothingForEver() throws {
        let test = try TestStore()
        let future = quake("us1", hours: 10_000)
        try test.poll([future])
        let result = try test.store.truncate(asOf: start + 73 * hour)
        #expect(result.total == 1)
        #expect(result.tombstones == 1)
        #expect(try test.poll([future], at: start + 74 * hour).refused == ["truncated": 1])
    }

    @Test func undatedItemStaysOutAsLongAsItsFeedListsIt() throws {
        let test = try TestStore()
        let item = article("a", title: "Ash", hours: nil)
        try test.poll([item], from: "news")
        #expect(try test.store.truncate(asOf: start + 11 * day).tombstones == 1)
        for days in stride(from: 12.0, through: 112, by: 20) {
            #expect(try test.poll([item], from: "news", at: start + days * day).refused == ["truncated": 1])
            _ = try test.store.truncate(asOf: start + days * day + hour)
        }
        // "Not modified" for a long time does not prove that the feed dropped the item.
        try test.step(PollStep(source: "news", at: start + 200 * day, fingerprint: "f1"))
        _ = try test.store.truncate(asOf: start + 200 * day)
        #expect(try test.poll([item], from: "news", at: start + 201 * day).refused == ["truncated": 1])
        // The feed answers without the item for more than thirty days.
        try test.poll([], from: "news", at: start + 232 * day)
        _ = try test.store.truncate(asOf: start + 232 * day)
        #expect(try test.poll([item], from: "news", at: start + 233 * day).new == 1)
    }

    @Test func doubtfulClockDestroysAndSilencesNothing() throws {
        let test = try TestStore()
        let past = Date(timeIntervalSince1970: 0)
        let events = [quake("us1"), article("a", title: "Ash", hours: nil)]
        #expect(try test.poll(events, at: past, isClockTrusted: false).new == 2)
        #expect(try test.poll([quake("us2")], at: start + 10_000 * hour, isClockTrusted: false).new == 1)
        #expect(try test.store.events(EventQuery()).filter(\.isFirstSeenProvisional).count == 3)
        #expect(try test.store.truncate(asOf: start).total == 0)
        try test.poll([], at: start + hour)
        let stored = try test.store.events(EventQuery())
        #expect(stored.map(\.firstSeen) == [start + hour, start + hour, start + hour])
        #expect(stored.first?.event.time == start + hour)
        #expect(stored.allSatisfy { !$0.isFirstSeenProvisional })
        #expect(try test.store.truncate(asOf: start + 2 * hour).total == 0)
    }

    @Test func whatCameUnderAClockThatWasBehindIsNotOldAfterwards() throws {
        let test = try TestStore()
        let past = start - 100 * day
        let step = { (at: Date, isTrusted: Bool, number: Int) in
            PollStep(
                source: "quakes", at: at, isClockTrusted: isTrusted, filter: Filter(), fingerprint: "f1",
                validators: ["https://example.org/\(number)": Validators(etag: "\"\(number)\"")],
                end: PollEnd(failure: nil, nextDue: at + hour, dueReason: .interval, failures: 0))
        }
        try test.step(step(start, true, 0))
        try test.step(step(past, false, 1))
        let deletion = Withdrawal(
            provider: "twitter", id: "7", reason: .deleted, evidence: "deleted by its author", erases: true)
        try test.poll([], at: past + 60, withdrawals: [deletion], isClockTrusted: false)
        for number in 2...120 { try test.step(step(start + Double(number), true, number)) }
        _ = try test.store.truncate(asOf: start + hour)
        #expect(try test.value("SELECT count(*) FROM validator WHERE url = 'https://example.org/1'") == "1")
        let message = Event(provider: "twitter", id: "7", time: start, category: .message, title: "Lava", weight: 0.1)
        try test.poll([message], at: start + 2 * hour)
        #expect(try test.value("SELECT is_erased FROM event WHERE provider = 'twitter'") == "1")
    }

    @Test func aClockThatWasAheadBringsNothingBack() throws {
        let test = try TestStore()
        let item = article("a", title: "Ash", hours: nil)
        try test.poll([item], from: "news")
        _ = try test.store.truncate(asOf: start + 11 * day)
        #expect(try test.poll([item], from: "news", at: start + 11 * day).refused == ["truncated": 1])
        // One topic of the feed answers without the item while the clock is wrong.
        try test.poll([], from: "news", at: start + 60 * day, isClockTrusted: false)
        _ = try test.store.truncate(asOf: start + 11 * day + hour)
        #expect(try test.poll([item], from: "news", at: start + 11 * day + 2 * hour).refused == ["truncated": 1])
    }

    @Test func prunedChangesMakeOldCursorsTooOld() throws {
        let test = try TestStore()
        try test.poll([quake("us1"), quake("us2")])
        try test.poll([quake("us3", hours: 31 * 24)], at: start + 31 * 24 * hour)
        let result = try test.store.truncate(asOf: start + 31 * 24 * hour)
        #expect(result.changes == 2)
        let feed = ChangeFeed(of: test.store)
        let areTooOld = try [0, 1, 2, 5, 6].map { try feed.next(after: $0).isTooOld }
        #expect(areTooOld == [true, true, false, false, true])
        #expect(try feed.next(after: 2).changes.map(\.sequence) == [3, 4, 5])
    }

    @Test func eventsWithoutASourceAreKeptForThreeDays() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        try test.store.transaction { try $0.connection.run("DELETE FROM link") }
        #expect(try test.store.truncate(asOf: start + 69 * hour).total == 0)
        #expect(try test.store.truncate(asOf: start + 71 * hour).events == ["": 1])
    }
}
