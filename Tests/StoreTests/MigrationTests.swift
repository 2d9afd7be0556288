import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// A file as version 1 left it: the article `a` waits for a place, `b` has its feed's.
struct OldFile {
    let directory = TemporaryDirectory()
    var path: String { directory.path + "/events.sqlite" }

    init() throws {
        let store = try EventStore(path: path, version: 1)
        let time = start.milliseconds
        try store.maintain { connection in
            for sql in [
                """
                INSERT INTO source (id, name, kind, provider, is_enabled, max_age_ms)
                VALUES (1, 'news', 'rss', 'https://example.org/news', 1, 864000000)
                """,
                """
                INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source,
                  first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq,
                  category, weight, latitude, longitude, location_method, location_precision, location_confidence,
                  is_erased, title, place, details)
                VALUES
                  (1, 'aaaaaaaaaaaaaaaa', 'reuters', 'a', 1, \(time), 'feed', \(time), 0, \(time), \(time), 1, 1,
                    'news', 1, NULL, NULL, NULL, NULL, NULL, 0, 'Ash', 'Quito', '{}'),
                  (2, 'bbbbbbbbbbbbbbbb', 'reuters', 'b', 1, \(time), 'feed', \(time), 0, \(time), \(time), 1, 2,
                    'news', 1, -12, -77, 'coordinates', 'point', 1, 0, 'Hail', 'Lima', '{}')
                """,
                """
                INSERT INTO upstream_id (provider, upstream_id, event_id)
                VALUES ('reuters', 'a', 1), ('reuters', 'b', 2)
                """,
                """
                INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms)
                VALUES (1, 1, \(time), 0, \(time)), (2, 1, \(time), 0, \(time))
                """,
                "INSERT INTO change (public_id, kind, at_ms) SELECT public_id, 'new', \(time) FROM event ORDER BY id",
                "INSERT INTO event_text (event_text) VALUES ('rebuild')",
                "INSERT INTO event_position VALUES (2, -77, -77, -12, -12)",
                "INSERT INTO geocode_queue (event_id, enqueued_ms) VALUES (1, \(time))",
            ] { try connection.run(sql) }
        }
        try store.close()
    }
}

func rows(_ store: EventStore, _ sql: String) throws -> [[String]] {
    try store.read { connection in
        let statement = try connection.prepare(sql)
        var rows: [[String]] = []
        while try statement.step() { rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }) }
        return rows
    }
}

@Suite struct MigrationTests {
    @Test("A migrated file has the schema of a fresh one")
    func sameSchema() throws {
        let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
        let old = try OldFile()
        let migrated = try EventStore(path: old.path)
        let fresh = try TestStore()
        #expect(try rows(migrated, schema) == fresh.rows(schema))
        let merging = "SELECT k, v FROM event_text_config ORDER BY k"
        #expect(try rows(migrated, merging) == fresh.rows(merging))
        #expect(try rows(migrated, "PRAGMA user_version") == [["\(Migrations.newest)"]])
        #expect(try rows(migrated, "PRAGMA integrity_check") == [["ok"]])
    }

    @Test("Events, changes and the queue of version 1 are there after the migration")
    func keepsWhatIsThere() throws {
        let old = try OldFile()
        let store = try EventStore(path: old.path)
        #expect(try store.events(EventQuery()).map(\.event.id).sorted() == ["a", "b"])
        #expect(try store.lastChange() == 2)
        #expect(try rows(store, "SELECT state, place_text FROM unlocated_v1") == [["new", "Quito"]])
        #expect(try store.statistics().waiting == 1)
        #expect(try store.unlocated(limit: 10, generation: "g1").map(\.place) == ["Quito"])
        let located = try rows(store, "SELECT latitude, location_evidence, location_place_id FROM events_v1 ORDER BY 1")
        #expect(located == [["NULL", "NULL", "NULL"], ["-12.0", "NULL", "NULL"]])
        var moved = article("b", title: "Hail")
        moved.location = Coordinate(latitude: -13, longitude: -76).map { Location($0) }
        let step = PollStep(source: "news", at: start, answer: FeedAnswer(events: [moved]), fingerprint: "f1")
        _ = try store.write([.step(step)])
        #expect(try rows(store, "SELECT latitude FROM events_v1 WHERE upstream_id = 'b'") == [["-13.0"]])
    }

    @Test("Columns of views are only ever added behind the others")
    func viewsGrowAtTheEnd() throws {
        let old = try OldFile()
        func columns(_ store: EventStore) throws -> [String: [String]] {
            var columns: [String: [String]] = [:]
            for row in try rows(store, "SELECT name FROM sqlite_schema WHERE type = 'view'") {
                columns[row[0]] = try rows(store, "SELECT name FROM pragma_table_info('\(row[0])')").map { $0[0] }
            }
            return columns
        }
        let before = try EventStore(path: old.path, version: 1)
        let version1 = try columns(before)
        try before.close()
        let newest = try columns(EventStore(path: old.path))
        #expect(version1.count == 8)
        for (view, names) in version1 {
            #expect(newest[view].map { Array($0.prefix(names.count)) } == names, "\(view)")
        }
    }

    @Test("A recovered file that names an older version than it has is brought up to date")
    func recoveredFile() throws {
        let test = try TestStore()
        try test.store.maintain { try $0.run("PRAGMA user_version = \(Migrations.newest - 1)") }
        try test.store.close()
        let store = try EventStore(path: test.path)
        #expect(try rows(store, "PRAGMA user_version") == [["\(Migrations.newest)"]])
    }

    @Test("A reader of this version refuses an older file, says so and leaves it alone")
    func readersRefuseOlderFiles() throws {
        let old = try OldFile()
        let older = StoreError.Code.olderSchema(found: 1, known: Migrations.newest)
        #expect(storeErrorCode { _ = try EventStore(path: old.path, mode: .readOnly) } == older)
        let before = try EventStore(path: old.path, version: 1)
        #expect(try rows(before, "PRAGMA user_version") == [["1"]])
    }
}
