import Foundation
import Model
import Reconciling
import Synchronization
import Testing

@testable import Store

/// A clock that advances at each reading, and records the rests requested from it.
final class TickingClock: Sendable {
    private let state = Mutex((now: Duration.zero, rests: [Duration]()))
    private let tick: Duration

    init(tick: Duration) { self.tick = tick }

    var rests: [Duration] { state.withLock { $0.rests } }

    var stopwatch: Stopwatch {
        Stopwatch(
            now: {
                self.state.withLock { state in
                    state.now += self.tick
                    return state.now
                }
            },
            rest: { rest in self.state.withLock { $0.rests.append(rest) } })
    }
}

@Suite struct TruncationPaceTests {
    @Test func rowsFollowWhatTheLastTransactionTook() {
        var pace = TruncationPace()
        #expect(pace.rows == 50)
        pace.note(50, in: .milliseconds(25))
        #expect(pace.rows == 50)
        pace.note(50, in: .milliseconds(20))
        #expect(pace.rows == 62)
        pace.note(62, in: .milliseconds(100))
        #expect(pace.rows == 15)
    }

    @Test func rowsGrowNoFasterThanTwiceAndStayWithinTheirBounds() {
        var pace = TruncationPace()
        pace.note(50, in: .milliseconds(1))
        #expect(pace.rows == 100)
        for _ in 0..<20 { pace.note(pace.rows, in: .zero) }
        #expect(pace.rows == 5000)
        pace.note(5000, in: .seconds(1000))
        #expect(pace.rows == 10)
    }

    @Test func aTransactionThatEndedForWantOfRowsTellsNothingUnlessItWasSlow() {
        var pace = TruncationPace()
        pace.note(3, in: .milliseconds(1))
        pace.note(0, in: .seconds(1))
        #expect(pace.rows == 50)
        pace.note(30, in: .milliseconds(50))
        #expect(pace.rows == 15)
    }

    @Test func restsAreAQuarterOfTheWorkAndNeverLong() {
        #expect(TruncationPace.rest(after: .milliseconds(20)) == .milliseconds(5))
        #expect(TruncationPace.rest(after: .seconds(10)) == TruncationPace.target)
    }
}

@Suite struct TruncationRunTests {
    private let hour = 3600.0

    private func expiring(_ count: Int, summary: String? = nil) -> [Event] {
        (0..<count).map { number in
            var event = quake("us\(number)", hours: -70)
            event.summary = summary
            return event
        }
    }

    @Test func transactionsEndWhenTheirTimeIsOverAndLeaveRoom() throws {
        let test = try TestStore()
        try test.poll(expiring(250) + [quake("fresh")])
        let clock = TickingClock(tick: .milliseconds(1))
        let result = try test.store.truncate(asOf: start + 3 * hour, timing: clock.stopwatch)
        #expect(result.total == 250)
        #expect(result.isComplete)
        #expect(result.longestTransaction < .milliseconds(40))
        #expect(clock.rests.count >= 10, "250 rows of a millisecond each are at least ten transactions")
        #expect(clock.rests.allSatisfy { $0 > .zero && $0 <= TruncationPace.target })
        #expect(try test.rows("SELECT upstream_id FROM events_v1") == [["fresh"]])
    }

    @Test func theNextRunGoesOnWhereTheLastWasStopped() throws {
        let test = try TestStore()
        try test.poll(expiring(250))
        var asked = 0
        let partial = try test.store.truncate(asOf: start + 3 * hour, timing: .still) {
            asked += 1
            return asked <= 3
        }
        #expect((1..<250).contains(partial.total))
        #expect(!partial.isComplete)
        #expect(try test.store.lastTruncation() == nil)
        let left = 250 - partial.total
        #expect(try test.value("SELECT count(*) FROM events_v1") == "\(left)")
        let rest = try test.store.truncate(asOf: start + 3 * hour, timing: .still)
        #expect(rest.total == left)
        #expect(rest.isComplete)
        #expect(try test.value("SELECT count(*) FROM changes_v1 WHERE kind = 'truncated'") == "250")
        #expect(try test.store.lastTruncation() == start + 3 * hour)
    }

    @Test func theTwoChangesOfAMergeStayTogether() throws {
        let test = try TestStore()
        let (old, new) = ((start - 40 * 24 * hour).milliseconds, start.milliseconds)
        try test.store.transaction { writer in
            for (number, kind, at) in [(1, "new", old), (2, "merged", old), (3, "merged", new), (4, "new", new)] {
                try writer.connection.run("INSERT INTO change VALUES (\(number), 'id-\(number)', '\(kind)', \(at))")
            }
        }
        _ = try test.store.truncate(asOf: start, timing: .still)
        #expect(try test.rows("SELECT seq FROM change ORDER BY seq") == [["2"], ["3"], ["4"]])
    }

    @Test func wordsOfEventsThatHaveGoneLeaveTheFullText() throws {
        let test = try TestStore()
        let bytes = "SELECT sum(length(block)) FROM event_text_data"
        // Twenty new events an hour; each is kept for another twelve hours.
        for round in 0..<110 {
            let events = (0..<20).map { number in
                quake("us\(round)-\(number)", hours: Double(round) - 60, title: "M 5 - \(round) km off Town\(number)")
            }
            try test.poll(events, at: start + Double(round) * hour)
            _ = try test.store.truncate(asOf: start + Double(round) * hour, timing: .still)
        }
        let found = try #require(try test.value(bytes).flatMap { Int($0) })
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('optimize')")
        }
        let least = try #require(try test.value(bytes).flatMap { Int($0) })
        #expect(found < 5 * least / 2, "\(found) bytes where \(least) are enough")
    }

    @Test func validatorsGoInShortTransactionsOldestFirst() throws {
        let test = try TestStore()
        try test.store.transaction { writer in
            try writer.connection.run(
                """
                INSERT INTO validator (source_id, url, etag, fingerprint, stored_ms)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                SELECT 1 + i % 2, printf('https://a.test/%05d', i), 'e', 'f1',
                  \((start - 40 * 24 * hour).milliseconds) + i / 100 FROM n
                """)
        }
        let count = "SELECT count(*) FROM validator"
        var counts: [Int] = []
        func run(while goesOn: @escaping (Int) -> Bool) throws -> TruncationResult {
            try test.store.truncate(asOf: start, timing: .still) {
                let left = (try? test.value(count)).flatMap { Int($0) } ?? 0
                counts.append(left)
                return goesOn(left)
            }
        }
        let partial = try run { $0 > 15_000 }
        #expect(!partial.isComplete)
        let left = try #require(try test.value(count).flatMap { Int($0) })
        #expect((200...15_000).contains(left))
        let rest = try run { _ in true }
        #expect(rest.isComplete)
        #expect(
            try test.rows("SELECT count(*), min(url) FROM validator GROUP BY source_id") == [
                ["100", "https://a.test/19802"], ["100", "https://a.test/19801"],
            ])
        let steps = zip(counts, counts.dropFirst()).map { $0 - $1 }
        #expect(steps.contains { $0 == TruncationPace.firstRows })
        #expect(steps.allSatisfy { $0 <= TruncationPace.bounds.upperBound })
    }

    @Test func whatAnotherSourceShowsMeanwhileStays() throws {
        let test = try TestStore()
        try test.poll(expiring(60))
        // The closure is called once while rows are gathered, then before each transaction.
        var asked = 0
        let result = try test.store.truncate(asOf: start + 3 * hour, timing: .still) {
            asked += 1
            if asked == 3 {
                let left = (try? test.store.events(EventQuery()).map(\.event)) ?? []
                #expect(left.count == 10)
                _ = try? test.poll(Array(left.prefix(4)), from: "news", at: start + 3 * hour)
            }
            return true
        }
        #expect(result.total == 56)
        #expect(try test.value("SELECT count(*) FROM events_v1") == "4")
    }

    /// Adds bare events, numbered from 1.
    /// - Parameter time: Their times in SQL, by the number `i`.
    private static func addEvents(_ number: Int, at time: String, with writer: Writer) throws {
        try writer.connection.run(
            """
            INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source, first_seen_ms,
              first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq, category, weight,
              is_erased, title, details)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(number))
            SELECT i, printf('%016d', i), 'usgs', i, 1, t, 'feed', t, 0, t, t, 1, i, 'earthquake', 0, 0, '', '{}'
            FROM (SELECT i, \(time) AS t FROM n)
            """)
    }

    @Test func eventsAreFoundAcrossManyShortReads() throws {
        let test = try TestStore()
        // One of three has expired; all events of an hour have the same age.
        try test.store.transaction { writer in
            let connection = writer.connection
            try Self.addEvents(45_000, at: "\((start - 80 * hour).milliseconds) + i / 30000", with: writer)
            try connection.run(
                """
                INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms)
                SELECT e.id, s.id, time_ms, 0, time_ms FROM event e JOIN source s
                  ON s.name = iif(e.id % 3 = 0, 'quakes', 'news')
                """)
        }
        let now = start.milliseconds
        var (rows, reads) = ([Int64](), 0)
        var from: Expired.Position? = .start
        while let position = from {
            let found = try test.store.read { try Expired(at: now, on: $0).rows(after: position) }
            rows += found.rows
            from = found.next
            reads += 1
        }
        #expect(reads == 3)
        #expect(rows.sorted() == (1...15_000).map { Int64($0) * 3 })
    }

    @Test func whatIsFoundIsWhatTheRuleRemoves() throws {
        let test = try TestStore()
        let (now, hour) = (start.milliseconds, Int64(3_600_000))
        // A source shows each event whose number has the bit of the source's row.
        try test.store.transaction { writer in
            let connection = writer.connection
            try connection.run(
                """
                UPDATE source SET horizon_ms = CASE name WHEN 'more' THEN \(now - 40 * hour)
                  WHEN 'news' THEN \(now - 300 * hour) END
                """)
            try Self.addEvents(2_000, at: "\(now) - i * 7919 % 300 * \(hour)", with: writer)
            try connection.run(
                """
                INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms)
                SELECT e.id, s.id, time_ms, 0, time_ms FROM event e JOIN source s ON e.id & (1 << s.id) <> 0
                """)
        }
        let sources = try test.store.read { connection in
            let find = try connection.prepare("SELECT id, horizon_ms, max_age_ms FROM source ORDER BY name")
            var links: [Expiry.Link] = []
            while try find.step() {
                links.append(
                    Expiry.Link(source: find.int64(0), horizon: find.optionalInt64(1), maxAge: find.int64(2)))
            }
            return links
        }
        let expected = (Int64(1)...2000).filter { event in
            let time = now - event * 7919 % 300 * hour
            let links = sources.filter { event & (1 << $0.source) != 0 }
            guard !links.isEmpty else { return time < now - 72 * hour }
            return Expiry.fate(ageBase: time, time: time, links: links, at: now) != .stays
        }
        let found = try test.store.read { try Expired(at: now, on: $0).rows(after: .start) }
        #expect(found.next == nil && found.rows.sorted() == expected && (1..<2000).contains(expected.count))
    }

    @Test func queueItemsWithoutAnEventAndQuestionsNobodyAsksGo() throws {
        let test = try TestStore()
        try test.poll([article("a", title: "Ash")], from: "news")
        try test.store.transaction { writer in
            try writer.connection.run(
                """
                INSERT INTO geocode_queue (event_id, enqueued_ms)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT 1000 + i, 0 FROM n
                """)
            try writer.connection.run(
                """
                INSERT INTO geocode_job (key, query, state, answered, touched_ms)
                VALUES ('quito', '{}', 'waiting', '', 0), ('lima', '{}', 'unresolved', '', 0)
                """)
            try writer.connection.run(
                """
                UPDATE geocode_queue SET job_id = (SELECT id FROM geocode_job WHERE key = 'lima') WHERE event_id < 1000
                """)
        }
        let result = try test.store.truncate(asOf: start, timing: .still)
        #expect(result.orphans == 6001)
        #expect(try test.rows("SELECT state, place_text FROM unlocated_v1").count == 1)
        #expect(try test.rows("SELECT key FROM geocode_job") == [["lima"]])
    }

    @Test func expiredAnswersGoAndOthersStay() throws {
        let test = try TestStore()
        let now = start.milliseconds
        try test.store.transaction { writer in
            try writer.connection.run(
                """
                INSERT INTO place_cache (key, provider, text, answer, reason, stored_ms, expires_ms) VALUES
                  ('a', 'mapquest', 'a', NULL, 'unknown', 0, \(now)), ('b', 'mapquest', 'b', '{}', NULL, 0, \(now - 1)),
                  ('c', 'nominatim', 'c', NULL, 'unknown', 0, \(now + 1))
                """)
        }
        #expect(try test.store.truncate(asOf: start, timing: .still).answers == 2)
        #expect(try test.rows("SELECT key FROM place_cache") == [["c"]])
    }

    @Test func longTablesAreLookedThroughInParts() throws {
        let test = try TestStore()
        let day = Truncation.day
        let now = start.milliseconds
        try test.store.transaction { writer in
            for (table, columns, old, new) in [
                ("tombstone", "source_id, listed_ms", "1, \(now - 401 * day)", "1, \(now)"),
                (
                    "withdrawal", "takes_family, reason, time_ms, evidence, erases, replacements, at_ms",
                    "0, '', 0, '', 0, '', \(now - 91 * day)", "0, '', 0, '', 0, '', \(now - 89 * day)"
                ),
            ] {
                for (values, condition) in [(old, "i % 2 = 0"), (new, "i % 2 = 1")] {
                    try writer.connection.run(
                        """
                        INSERT INTO \(table) (provider, upstream_id, \(columns))
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
                        SELECT iif(i < 4000, 'gvp', 'usgs'), i, \(values) FROM n WHERE \(condition)
                        """)
                }
            }
        }
        _ = try test.store.truncate(asOf: start, timing: .still)
        for table in ["tombstone", "withdrawal"] {
            let counts = try test.rows("SELECT count(*), sum(upstream_id % 2) FROM \(table)")
            #expect(counts == [["6000", "6000"]], "\(table)")
        }
    }

    @Test func freePagesAreGivenBackButForATwentieth() throws {
        let test = try TestStore()
        let long = String(repeating: "Ash and lava. ", count: 150)
        for part in 0..<4 {
            try test.poll(
                (0..<500).map { number in
                    var event = quake("us\(part)-\(number)", hours: -70)
                    event.summary = long
                    return event
                })
        }
        try test.poll([quake("fresh")])
        let before = try #require(Int(test.value("PRAGMA page_count") ?? ""))
        let result = try test.store.truncate(asOf: start + 3 * hour, timing: .still)
        let after = try #require(Int(test.value("PRAGMA page_count") ?? ""))
        let free = try #require(Int(test.value("PRAGMA freelist_count") ?? ""))
        #expect(result.total == 2000)
        #expect(result.pages > 0)
        #expect(after < before / 2)
        #expect(free <= after / 10)
        #expect(try test.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(result.walBytes == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: test.path + "-wal")).isEmpty)
    }

    @Test func cleaningTheFullTextGoesOnAfterAStop() throws {
        let test = try TestStore()
        for number in 0..<30 { try test.poll([quake("us\(number)", title: "zanzibar \(number) lava")]) }
        let deletion = Withdrawal(
            provider: "usgs", id: "us7", reason: .deleted, evidence: "deleted by its author", erases: true)
        try test.poll([], withdrawals: [deletion])
        let stopped = try test.store.truncate(asOf: start, timing: .still) {
            (try? test.store.read { try $0.erasure() }) != .begun
        }
        #expect(!stopped.isComplete)
        #expect(try test.store.read { try $0.erasure() } == .asked)
        #expect(try test.store.truncate(asOf: start, timing: .still).isComplete)
        #expect(try test.store.read { try $0.erasure() } == .clean)
        #expect(try test.value("SELECT count(DISTINCT segid) FROM event_text_idx") == "1")
        #expect(try test.rows("SELECT rowid FROM event_text WHERE event_text MATCH 'zanzibar'").count == 29)
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
        }
    }

    @Test func withoutFullTextEventsGoAsWell() throws {
        let test = try TestStore()
        try test.store.setFullText(false)
        try test.poll(expiring(5))
        #expect(try test.store.truncate(asOf: start + 3 * hour, timing: .still).total == 5)
        #expect(try test.store.setFullText(true))
        try test.store.transaction { writer in
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('integrity-check')")
        }
    }

    @Test func aShorterMaxAgeTakesEffectAtTheNextRun() throws {
        let test = try TestStore()
        try test.poll([quake("us1", hours: -30), quake("us2", hours: -1)])
        #expect(try test.store.truncate(asOf: start).total == 0)
        var sources = TestStore.sources
        sources[0].maxAge = .seconds(24 * 3600)
        try test.store.reconcile(sources, at: start)
        #expect(try test.store.truncate(asOf: start).events == ["quakes": 1])
        #expect(try test.rows("SELECT upstream_id FROM events_v1") == [["us2"]])
    }
}
