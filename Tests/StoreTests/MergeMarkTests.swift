import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The mark of a merge in the history: the public id of the event that it took in.
@Suite struct MergeMarkTests {
    @Test("The migration marks all merges, also those without the other event's state")
    func migration() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let old = try EventStore(path: path, version: 10)
        try old.maintain { connection in
            for (revision, previous, merged) in [
                (2, #"{"title":"First"}"#, nil), (3, #"{"merged_public_id":"before-numbers"}"#, nil),
                (4, #"{"merged_public_id":"kept","first_seen_ms":1}"#, #"{"public_id":"kept","id":7,"revision":1}"#),
                (5, #"{"title":"{\"merged_public_id\":\"a title\"}"}"#, nil),
            ] as [(Int, String, String?)] {
                try connection.run(
                    "INSERT INTO history (event_id, revision, at_ms, source_id, previous, merged) "
                        + "VALUES (1, \(revision), 0, 1, ?, ?)", previous, merged)
            }
        }
        try old.close()
        let store = try EventStore(path: path)
        let marks = try rows(store, "SELECT revision, merged_id FROM history ORDER BY revision")
        #expect(marks == [["2", "NULL"], ["3", "before-numbers"], ["4", "kept"], ["5", "NULL"]])
        #expect(try rows(store, "PRAGMA integrity_check") == [["ok"]])
    }

    @Test("A merge stays in the history, whatever is left of its values and in whatever order")
    func stays() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        try test.poll([quake("us1", magnitude: 4.9)], at: start + 30)
        try test.poll([quake("ci1")], from: "more", at: start + 60)
        let younger = try #require(try test.value("SELECT public_id FROM events_v1 WHERE upstream_id = 'ci1'"))
        try test.poll([quake("us1", aliases: ["ci1"], magnitude: 4.9)], at: start + 120)
        let mark = "SELECT merged_id FROM history WHERE merged_id IS NOT NULL"
        #expect(try test.rows(mark) == [[younger]])
        try test.store.maintain { connection in
            try connection.run(
                """
                UPDATE history SET merged = NULL, previous = json_object('title', 'Old', 'merged_public_id', merged_id)
                WHERE merged_id IS NOT NULL
                """)
        }
        for minute in 3..<60 {
            try test.poll([quake("us1", magnitude: 5 + Double(minute) / 100)], at: start + Double(minute) * 60)
        }
        #expect(try test.rows(mark) == [[younger]])
        #expect(try test.value("SELECT count(*) FROM history") == "21", "the first, the merge and the latest")
    }

    @Test("Erasure, paging and earlier states find a merge through an index")
    func index() throws {
        let test = try TestStore()
        for sql in [
            "SELECT coalesce(\(EventQuery.Key.rows))", "SELECT event_id FROM history WHERE merged_id = ?1",
            MergedEvent.select + " AND h.seq - 1 > 1 AND h.merged_id IN (?, ?)",
        ] {
            let plan = try test.rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] }
            #expect(plan.contains { $0.contains("INDEX history_merged_id (merged_id=?)") }, "\(plan)")
            #expect(!plan.contains { $0.contains("SCAN h") }, "\(plan)")
        }
        let all = try test.rows("EXPLAIN QUERY PLAN " + MergedEvent.select + " AND h.seq - 1 > 1 AND h.seq > 1")
        #expect(all.contains { $0[3].contains("INDEX history_merged (seq>?)") }, "\(all)")
    }
}
