import Foundation
import Model
import SQLite
import Simulation
import Store
import Testing

/// The process dies at every seventh write of a follower; rows and cursor are of one moment afterwards.
@Suite struct FollowerKillTests {
    private static let time = Date(timeIntervalSince1970: 1_772_323_200)

    /// The titles of events by public id.
    private static func titles(version: Int64) -> Store.Follower {
        @Sendable func put(_ event: StoredEvent, _ connection: Connection) throws {
            try connection.run(
                "INSERT OR REPLACE INTO follow_titles_event VALUES (?, ?)", event.publicID, event.event.title)
        }
        @Sendable func remove(_ event: String, _ connection: Connection) throws {
            try connection.run("DELETE FROM follow_titles_event WHERE public_id = ?", event)
        }
        return Store.Follower(
            name: "titles", version: version,
            begin: { connection in
                try connection.run("DROP TABLE IF EXISTS follow_titles_event")
                try connection.run("CREATE TABLE follow_titles_event (public_id TEXT PRIMARY KEY, title TEXT)")
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

    /// A store of ninety events, and what has happened since a follower of version 1 has read them.
    private static func lagging(on disk: FaultyDisk) throws -> EventStore {
        let store = try EventStore(path: "/data/events.sqlite", vfs: disk.name)
        try store.reconcile([SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")], at: time)
        func poll(_ numbers: Range<Int>, _ title: String, minute: Double, erasing erased: [String] = []) throws {
            let events = numbers.map { number in
                Event(
                    provider: "usgs", id: "us\(number)", time: time - 3600, updated: time + minute * 60,
                    category: .earthquake, title: "\(title) \(number)", weight: 0.5, details: "{}")
            }
            let withdrawals = erased.map { id in
                Withdrawal(
                    provider: "usgs", id: id, takesFamily: false, reason: .deleted, time: nil, evidence: "",
                    erases: true, replacements: [])
            }
            let answer = FeedAnswer(events: events, withdrawals: withdrawals)
            _ = try store.write([.step(PollStep(source: "quakes", at: time, answer: answer, fingerprint: "f1"))])
        }
        try poll(0..<90, "zanzibar", minute: 0)
        while try !store.follow(titles(version: 1)) {}
        for step in 1..<18 {
            try poll(step * 5..<step * 5 + 3, "Later", minute: Double(step), erasing: ["us\(step * 3)"])
        }
        return store
    }

    private static func rows(_ sql: String, of store: EventStore) throws -> [[String]] {
        try store.read { connection in
            let find = try connection.prepare(sql)
            var rows: [[String]] = []
            while try find.step() { rows.append((0..<find.columnCount).map { find.string($0) }) }
            return rows
        }
    }

    /// Version 1 takes steps, version 2 reads all events anew.
    @Test(arguments: [1, 2] as [Int64]) func rowsAndCursorOutliveEachDeathTogether(version: Int64) async throws {
        let deaths = try await aside { () throws -> Int in
            let follower = Self.titles(version: version)
            for deaths in 0... {
                let disk = FaultyDisk(seed: UInt64(deaths), isDefault: false)
                var store = try Self.lagging(on: disk)
                disk.fail(.write, with: .kill, after: deaths * 7)
                _ = try? { while try !store.follow(follower, atMost: 4) {} }()
                let isDead = disk.isDead
                if isDead {
                    try? store.close()
                    disk.clearFaults()
                    disk.revive()
                    store = try EventStore(path: "/data/events.sqlite", vfs: disk.name)
                    // Erasure needs one transaction, wherever the cursor is.
                    _ = try store.follow(follower, atMost: 4)
                    let erased = "SELECT public_id FROM event WHERE is_erased = 1"
                    let left = "SELECT title FROM follow_titles_event WHERE public_id IN (\(erased))"
                    #expect(try Self.rows(left, of: store).isEmpty)
                    while try !store.follow(follower, atMost: 4) {}
                }
                let found = try Self.rows("SELECT * FROM follow_titles_event ORDER BY 1", of: store)
                let expected = "SELECT public_id, title FROM event WHERE is_erased = 0 ORDER BY 1"
                #expect(try found == Self.rows(expected, of: store), "after \(deaths) deaths")
                try store.close()
                if !isDead { return deaths }
            }
            return 0
        }
        #expect(deaths > 10)
    }
}
