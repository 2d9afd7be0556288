import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// A file as left by version 1: the article `a` waits for a place, `b` has its feed's.
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

    /// The content of all tables, except the indexes of words and places and the list of migrations.
    private func contents(_ store: EventStore) throws -> [String: [[String]]] {
        let tables = try rows(
            store,
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT GLOB 'event_[tp]*' AND name <> 'grdb_migrations'
            """)
        return try Dictionary(uniqueKeysWithValues: tables.map { ($0[0], try rows(store, "SELECT * FROM \($0[0])")) })
    }

    @Test("From version 4 all rows are the same, no change is written, and each place has its box and time")
    func placesOfVersion4() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let time = start.milliseconds
        let before = try EventStore(path: path, version: 4)
        let across = #"{"type":"Polygon","coordinates":[[[175,-15],[-175,-15],[-175,-20],[175,-20],[175,-15]]]}"#
        let line = #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#
        try before.maintain { connection in
            for (id, latitude, longitude, geometry) in [
                (1, "NULL", "NULL", "NULL"), (2, "-12", "-77", "NULL"), (3, "-17.5", "180", "'\(across)'"),
                (4, "NULL", "NULL", "'\(line)'"), (5, "7", "8", "'{}'"),
            ] {
                try connection.run(
                    """
                    INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source,
                      first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq,
                      category, weight, latitude, longitude, is_erased, title, geometry, details)
                    VALUES (\(id), 'public-\(id)', 'p', '\(id)', 1, \(time), 'feed', \(time), 0, \(time), \(time), 1, \(id),
                      'alert', 1, \(latitude), \(longitude), 0, 'Ash', \(geometry), '{}')
                    """)
            }
            for sql in [
                "INSERT INTO upstream_id SELECT provider, upstream_id, id FROM event",
                "INSERT INTO link SELECT id, 1, time_ms, -4611686018427387904, time_ms, NULL, 1 FROM event",
                "INSERT INTO change (public_id, kind, at_ms) SELECT public_id, 'new', time_ms FROM event ORDER BY id",
                "INSERT INTO event_text (event_text) VALUES ('rebuild')",
                "INSERT INTO event_position SELECT id, longitude, longitude, latitude, latitude FROM event "
                    + "WHERE latitude IS NOT NULL",
                "INSERT INTO geocode_queue (event_id, enqueued_ms) VALUES (1, \(time)), (4, \(time))",
            ] { try connection.run(sql) }
        }
        let old = try contents(before)
        try before.close()
        let version5 = try EventStore(path: path, version: 5)
        #expect(try contents(version5) == old)
        try version5.close()
        let store = try EventStore(path: path)
        #expect(try store.lastChange() == 5)
        #expect(try rows(store, "PRAGMA integrity_check") == [["ok"]])
        let edges =
            "SELECT id, min_longitude, max_longitude, min_latitude, max_latitude FROM event_position ORDER BY id"
        #expect(
            try rows(store, edges) == [
                ["-3", "-180.0", "-175.0", "-20.0", "-15.0"], ["2", "-77.0", "-77.0", "-12.0", "-12.0"],
                ["3", "175.0", "180.0", "-20.0", "-15.0"], ["4", "1.0", "3.0", "2.0", "4.0"],
                ["5", "8.0", "8.0", "7.0", "7.0"],
            ])
        let hour = Double(time) / 3_600_000
        let late = "NOT (min_hour <= \(hour) AND max_hour >= \(hour) AND max_hour - min_hour < 0.1)"
        #expect(try rows(store, "SELECT id FROM event_position WHERE \(late)").isEmpty)
        #expect(try store.statistics().located == 3)
        var query = EventQuery()
        query.box = BoundingBox(west: 174, south: -21, east: 176, north: -14)
        #expect(try store.events(query).map(\.event.id) == ["3"])
    }

    @Test("From version 12 all rows are the same, and no step, no follower and nothing told is written")
    func nothingOfVersion12() throws {
        let old = try OldFile()
        let before = try EventStore(path: old.path, version: 12)
        let expected = try contents(before)
        try before.close()
        var found = try contents(EventStore(path: old.path))
        #expect(found.removeValue(forKey: "step")?.isEmpty == true)
        #expect(found.removeValue(forKey: "follower")?.isEmpty == true)
        for table in ["silent_change", "watching", "told_target", "told", "delivery"] {
            #expect(found.removeValue(forKey: table)?.isEmpty == true, "\(table)")
        }
        found["source_begun"] = nil
        #expect(found == expected)
    }

    @Test("From version 5 the names of areas give their countries, all else is the same, and no change is written")
    func countriesOfVersion5() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let time = start.milliseconds
        let before = try EventStore(path: path, version: 5)
        let places = [
            "'country:FR'", "'region:US.CA'", "'district:US.CA.037'", "'geonames:2950159'", "'maxmind:17'",
            "'osm:node/123'", "NULL",
        ]
        try before.maintain { connection in
            for (id, place) in places.enumerated() {
                try connection.run(
                    """
                    INSERT INTO event (id, public_id, provider, upstream_id, source_id, time_ms, time_source,
                      first_seen_ms, first_seen_is_provisional, age_base_ms, last_changed_ms, revision, change_seq,
                      category, weight, latitude, longitude, location_place_id, is_erased, title, details)
                    VALUES (\(id), 'public-\(id)', 'p', '\(id)', 1, \(time), 'feed', \(time), 0, \(time), \(time), 1, \(id),
                      'news', 1, 1, 2, \(place), 0, 'Ash', '{}')
                    """)
            }
            try connection.run(
                "INSERT INTO change (public_id, kind, at_ms) SELECT public_id, 'new', time_ms FROM event ORDER BY id")
        }
        let old = try contents(before)
        try before.close()
        let version6 = try EventStore(path: path, version: 6)
        var new = try contents(version6)
        try version6.close()
        let store = try EventStore(path: path)
        let countries = new["event"]?.compactMap(\.last)
        #expect(countries == ["FR", "US", "US", "NULL", "NULL", "NULL", "NULL"])
        new["event"] = new["event"]?.map { Array($0.dropLast()) }
        #expect(new == old)
        #expect(try store.lastChange() == Int64(places.count))
        var query = EventQuery()
        query.countries = ["US"]
        #expect(try store.events(query).map(\.event.id) == ["2", "1"])
        #expect(try store.events(query).first?.event.location?.country == "US")
        #expect(try rows(store, "PRAGMA integrity_check") == [["ok"]])
    }

    @Test("Places of version 10 have no names, and no event changes by them")
    func namesOfVersion10() throws {
        let old = try OldFile()
        let (events, changes) = ("SELECT * FROM events_v1 ORDER BY public_id", "SELECT * FROM changes_v1 ORDER BY seq")
        let before = try EventStore(path: old.path, version: 10)
        let (oldEvents, oldChanges) = (try rows(before, events), try rows(before, changes))
        try before.close()
        let store = try EventStore(path: old.path)
        let columns = try #require(oldEvents.first).count
        #expect(try rows(store, events).map { Array($0.prefix(columns)) } == oldEvents)
        #expect(try rows(store, changes) == oldChanges)
        #expect(try rows(store, "SELECT DISTINCT location_name FROM events_v1") == [["NULL"]])
        #expect(try store.events(EventQuery()).allSatisfy { $0.event.location?.name == nil })
    }

    @Test("GDAL takes each time in a view for 64 bits, since it is declared so")
    func timesAreDeclaredWithTheirSize() throws {
        let test = try TestStore()
        let numbers = try test.rows(
            """
            SELECT v.name, c.name, c.type FROM sqlite_schema v, pragma_table_info(v.name) c
            WHERE v.type = 'view' AND (c.name GLOB '*_ms' OR c.name GLOB '*seq' AND v.name <> 'changes_v1')
            """)
        #expect(numbers.count >= 20)
        for number in numbers { #expect(number[2] == "BIGINT", "\(number)") }
        let others = try test.rows("SELECT name, sql FROM sqlite_schema WHERE sql GLOB '*_ms INTEGER*'")
        #expect(others.isEmpty)
    }

    @Test("The view of events without a place begins with their queue, also beside the other events")
    func theQueueComesFirst() throws {
        let test = try TestStore()
        for sql in [
            "SELECT * FROM unlocated_v1", "SELECT count(*) FROM unlocated_v1",
            "SELECT u.reason, e.title FROM unlocated_v1 u JOIN events_v1 e USING (public_id) ORDER BY e.time_ms DESC",
        ] {
            let plan = try test.rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] }
            #expect(plan.first?.hasPrefix("SCAN q") == true, "\(sql): \(plan)")
        }
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
