import Foundation
import Model
import SQLite
import Testing

@testable import Store

/// A follower's rows are what the record gives, whatever stops the follower and however far it lags behind.
@Suite struct FollowerTests {
    private static let table = "follow_rows_event"

    /// One row an event.
    private static func rows(version: Int64 = 1) -> Follower {
        @Sendable func put(_ event: StoredEvent, _ connection: Connection) throws {
            let put = try connection.prepare("INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?)")
            put.bind(event.publicID)
            put.bind(event.event.title)
            put.bind(event.event.magnitude)
            put.bind(event.changeSequence)
            try put.run()
        }
        @Sendable func remove(_ event: String, _ connection: Connection) throws {
            try connection.run("DELETE FROM \(table) WHERE public_id = ?", event)
        }
        return Follower(
            name: "rows", version: version,
            begin: { connection in
                try connection.run("DROP TABLE IF EXISTS \(table)")
                try connection.run(
                    "CREATE TABLE \(table) (public_id TEXT PRIMARY KEY, title TEXT, magnitude REAL, seq BIGINT)")
                try connection.run("CREATE INDEX \(table)_title ON \(table) (title)")
            },
            read: { events, connection in for event in events { try put(event, connection) } },
            take: { steps, connection in
                for step in steps.flatMap(\.changes) {
                    if step.isEnd { try remove(step.change.publicID, connection) }
                    if let event = step.after { try put(event, connection) }
                }
            },
            erase: { events, connection in for event in events { try remove(event, connection) } })
    }

    private let test: TestStore
    private var store: EventStore { test.store }

    init() throws { test = try TestStore() }

    // MARK: - What happens in the record

    private func poll(_ numbers: Range<Int>, _ title: String, updated: Double, hours: Double = -2) throws {
        try test.poll(numbers.map { quake("us\($0)", hours: hours, updated: updated, title: "\(title) \($0)") })
    }

    private func erase(_ id: String) throws {
        let deletion = Withdrawal(
            provider: "usgs", id: id, takesFamily: false, reason: .deleted, time: nil, evidence: "", erases: true,
            replacements: [])
        try test.poll([], withdrawals: [deletion])
    }

    /// Two events become one and, after it, two again.
    private func mergeAndSplit(_ first: String, _ second: String, after minute: Double) throws {
        let joined = quake(first, aliases: [second], updated: minute + 1, title: "Joined")
        #expect(try test.snapshot([joined], minute: minute + 1, from: "more").merged == 1)
        let both = [first, second].map { quake($0, updated: minute + 2, title: "Apart") }
        #expect(try test.snapshot(both, minute: minute + 2, from: "more").new == 1)
    }

    // MARK: - What is compared

    private func column(_ sql: String) throws -> [String] { try test.rows(sql).map { $0.joined(separator: "|") } }

    /// Follows to the end, and compares with the record.
    private func check(_ follower: Follower, at place: SourceLocation = #_sourceLocation) throws {
        while try !store.follow(follower) {}
        let found = try Set(column("SELECT public_id, title, magnitude, seq FROM \(Self.table)"))
        let expected = try Set(column("SELECT public_id, title, magnitude, change_seq FROM event WHERE is_erased = 0"))
        let difference = found.symmetricDifference(expected).sorted().prefix(5)
        #expect(difference.isEmpty, sourceLocation: place)
        let written = try test.writtenRows()
        #expect(try store.follow(follower) && test.writtenRows() == written, sourceLocation: place)
    }

    /// Stops one step of the follower after the first statement, then after others, until it comes through; each stop
    /// must leave all as it was.
    private func followThroughStops(
        _ follower: Follower, atMost limit: Int = 256, every step: Int = 1, at place: SourceLocation = #_sourceLocation
    ) throws {
        defer { try? store.maintain { $0.whenPreparing = nil } }
        let before = try state()
        var stops = 0
        for statements in stride(from: 0, to: Int.max, by: step) {
            var left = statements
            try store.maintain { connection in
                connection.whenPreparing = {
                    left -= 1
                    if left < 0 { throw StoreError(.other, "stopped") }
                }
            }
            do {
                _ = try store.follow(follower, atMost: limit)
                break
            } catch {
                try #require(error.message == "stopped", sourceLocation: place)
                stops += 1
                try #require(state() == before, "after \(statements) statements", sourceLocation: place)
            }
        }
        #expect(stops > 3, sourceLocation: place)
        #expect(try state() != before, sourceLocation: place)
    }

    /// The follower's place, and a sum of its rows.
    private func state() throws -> [[String]] {
        let isThere = try test.value("SELECT 1 FROM sqlite_schema WHERE name = '\(Self.table)'") != nil
        let rows = isThere ? try test.rows("SELECT count(*), total(seq) FROM \(Self.table)") : []
        return try test.rows("SELECT * FROM follower") + rows
    }

    private func expectNoErasedWord(at place: SourceLocation = #_sourceLocation) throws {
        let found = try column("SELECT title FROM \(Self.table) WHERE title LIKE '%zanzibar%'")
        #expect(found.isEmpty, sourceLocation: place)
    }

    // MARK: - Tests

    @Test func tenThousandRowsAreWhatTheRecordGives() throws {
        let follower = Self.rows()
        for part in 0..<10 { try poll(part * 1000..<part * 1000 + 1000, "M 5", updated: 0) }
        try poll(3..<4, "zanzibar", updated: 1)
        try poll(9003..<9004, "zanzibar", updated: 1)

        // From zero. Meanwhile events change, and two lose their words: one that has been read, one that has not.
        try followThroughStops(follower)
        for _ in 0..<4 { _ = try store.follow(follower, atMost: 1000) }
        try poll(3500..<4500, "Meanwhile", updated: 2)
        try erase("us3")
        try erase("us9003")
        try followThroughStops(follower, atMost: 100, every: 11)
        try expectNoErasedWord()
        try check(follower)
        #expect(try test.value("SELECT count(*) FROM \(Self.table)") == "9998")

        // One page of steps.
        try poll(0..<3, "Page", updated: 3)
        try poll(10_000..<10_003, "Page", updated: 3)
        try poll(10_000..<10_001, "zanzibar", updated: 4)
        try erase("us10000")
        try test.poll([quake("us4", aliases: ["us5"], updated: 4, title: "Merged")])
        try followThroughStops(follower)
        try expectNoErasedWord()
        try check(follower)

        // Three thousand changes behind, with each kind of end.
        try test.snapshot([quake("m1"), quake("m2"), quake("m3")], minute: 1, from: "more")
        try poll(11_000..<11_500, "Old", updated: 5, hours: -71.5)
        try poll(10..<11, "zanzibar", updated: 5)
        try test.poll([article("n1", title: "News")], from: "news")
        try check(follower)
        try poll(12_000..<12_001, "zanzibar", updated: 6)
        for part in 0..<3 { try poll(part * 1000..<part * 1000 + 1000, "Lag", updated: 7) }
        try erase("us10")
        try erase("us12000")
        try mergeAndSplit("m1", "m2", after: 1)
        try test.poll([quake("us6", aliases: ["us7"], updated: 8, title: "Merged")])
        #expect(try store.truncate(asOf: start + 3600, timing: .still).total == 500)
        #expect(try store.reset(source: "news", includingEvents: true, at: start + 3600) == 1)
        _ = try store.follow(follower, atMost: 1)
        let cursor = try test.value("SELECT cursor FROM follower").flatMap { Int64($0) }
        #expect(try #require(cursor) < store.lastChange() - 3000)
        try expectNoErasedWord()
        let ended = "SELECT public_id FROM change WHERE kind = 'truncated'"
        #expect(try column("SELECT public_id FROM \(Self.table) WHERE public_id IN (\(ended))").isEmpty)
        try check(follower)

        // The log no longer has what comes next.
        try poll(100..<1100, "Pruned", updated: 20)
        try store.maintain { try $0.run("UPDATE change SET at_ms = 0") }
        _ = try store.truncate(asOf: start + 3600, timing: .still)
        try poll(100..<110, "Kept", updated: 21)
        try followThroughStops(follower)
        _ = try store.follow(follower, atMost: 2000)
        try followThroughStops(follower, atMost: 100, every: 11)
        #expect(try test.value("SELECT reading FROM follower") != "NULL")
        try check(follower)

        // Another version.
        try followThroughStops(Self.rows(version: 2))
        try check(Self.rows(version: 2))

        _ = try store.truncate(asOf: start + 3600, timing: .still)
        try store.close()
        for name in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: test.path + name))
            #expect(bytes.range(of: Data("zanzibar".utf8)) == nil, "\(name)")
        }
    }
}
