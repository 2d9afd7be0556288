import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The migration from schema 6: numbers of changes in the history.
@Suite struct NumberedHistoryMigrationTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path + "/events.sqlite" }

    /// A file of schema 6 whose log begins with change 3.
    ///
    /// Event 1 was revised by change 5, and before by a change that is no longer kept. Event 2 came with change 4. Event
    /// 3 came withdrawn, with changes 6 and 7. Event 4 was merged by change 3 and revised twice at one time, by changes
    /// 8 and 9. Event 5 came before the log.
    private func fill() throws {
        let store = try EventStore(path: path, version: 6)
        let time = start.milliseconds
        try store.maintain { connection in
            try connection.run(
                """
                INSERT INTO source (id, name, kind, provider, is_enabled, max_age_ms, horizon_ms)
                VALUES (1, 'quakes', 'usgs', 'usgs', 1, 259200000, \(time - 1000)),
                  (2, 'more', 'usgs', 'usgs', 1, 259200000, \(time + 90_000))
                """)
            for (id, revision, change, withdrawn) in [
                (1, 3, 5, "NULL"), (2, 1, 4, "NULL"), (3, 1, 7, "'deleted'"), (4, 5, 9, "NULL"), (5, 1, 2, "NULL"),
            ] {
                try connection.run(
                    """
                    INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source,
                      first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq,
                      category, weight, withdrawn_reason, is_erased, title, details)
                    VALUES (\(id), 'public-\(id)', 'usgs', '\(id)', 1, \(time), 'feed', \(time), 0, \(time), \(time),
                      \(revision), \(change), 'earthquake', 0.5, \(withdrawn), 0, 'Present', '{}')
                    """)
            }
            for (event, revision, seconds, previous) in [
                (1, 2, 20, #"{"title":"First"}"#), (1, 3, 50, #"{"title":"Second"}"#),
                (4, 2, 10, #"{"title":"Older"}"#), (4, 3, 30, #"{"merged_public_id":"public-9"}"#),
                (4, 4, 80, #"{"title":"Before"}"#), (4, 5, 80, #"{"title":"Between"}"#),
            ] {
                try connection.run(
                    "INSERT INTO history VALUES (\(event), \(revision), \(time + Int64(seconds) * 1000), 1, ?)",
                    previous)
            }
            for (number, event, kind, seconds) in [
                (3, 4, "merged", 30), (4, 2, "new", 40), (5, 1, "revised", 50), (6, 3, "new", 60),
                (7, 3, "withdrawn", 60), (8, 4, "revised", 80), (9, 4, "revised", 80),
            ] {
                try connection.run(
                    "INSERT INTO change VALUES (\(number), 'public-\(event)', '\(kind)', \(time + Int64(seconds) * 1000))"
                )
            }
            try connection.run("INSERT INTO event_text (event_text) VALUES ('rebuild')")
        }
        try store.close()
    }

    @Test("Revisions and first changes get the numbers that the log tells for certain, and no other")
    func numbers() throws {
        try fill()
        let store = try EventStore(path: path)
        let first = try rows(store, "SELECT id, first_seq FROM event ORDER BY id")
        #expect(first == [["1", "0"], ["2", "4"], ["3", "6"], ["4", "0"], ["5", "2"]])
        let numbers = try rows(store, "SELECT public_id, revision, seq FROM event_history_v1 ORDER BY 1, 2")
        #expect(
            numbers == [
                ["public-1", "2", "NULL"], ["public-1", "3", "5"], ["public-4", "2", "NULL"],
                ["public-4", "3", "NULL"],
                ["public-4", "4", "NULL"], ["public-4", "5", "9"],
            ])
        #expect(try store.lastChange() == 9)
        #expect(try rows(store, "PRAGMA integrity_check") == [["ok"]])
    }

    @Test("What is not numbered is marked as not exact, and the record of then begins with the migration")
    func knownThen() throws {
        try fill()
        let store = try EventStore(path: path)
        func title(_ id: Int, _ change: Int64) throws -> String? {
            try store.event("public-\(id)", knownAt: change).map { $0.stored.event.title + ($0.isExact ? "" : "?") }
        }
        #expect(try title(1, 5) == "Present")
        #expect(try title(1, 4) == "Second?")
        #expect(try title(2, 3) == nil)
        #expect(try title(4, 8) == "Between?")
        #expect(try store.event("public-3", knownAt: 6)?.stored.withdrawal == nil)
        #expect(try store.event("public-3", knownAt: 7)?.stored.withdrawal?.reason == "deleted")
        let from = [start + 90, start + 80]
        #expect(try store.completeness().map(\.completeFrom) == from)
        #expect(try store.completeness().map(\.name) == ["more", "quakes"])
    }
}
