import Foundation
import Model
import Presenting
import SQLite
import TestSupport
import Testing

/// GeoPackages read by SQLite; `make test-clients` reads them with GDAL and QGIS.
@Suite struct GeoPackageTests {
    /// 2026-03-01T00:00:00Z.
    private static let start = Date(timeIntervalSince1970: 1_772_323_200)
    private let directory = TemporaryDirectory()

    /// A GeoPackage of the events.
    private func geoPackage(_ events: [StoredEvent]) throws -> DatabaseFile {
        let path = directory.path + "/events.gpkg"
        try Data().write(to: URL(fileURLWithPath: path))
        let made = try GeoPackage(path: path)
        for event in events { try made.add(event) }
        try made.finish(at: Self.start + 0.5)
        return try DatabaseFile(path: path)
    }

    /// Rows of a query, all values as text, NULL as `NULL`.
    private func rows(_ file: DatabaseFile, _ sql: String) throws -> [[String]] {
        let statement = try file.connection.prepare(sql)
        var rows: [[String]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" })
        }
        return rows
    }

    private func stored(
        _ id: String, at place: (Double, Double)? = nil,
        geometry: String? = nil
    ) -> StoredEvent {
        let coordinate = place.flatMap { Coordinate(latitude: $0.0, longitude: $0.1) }
        let event = Event(
            provider: "usgs", id: id, time: Self.start, category: .earthquake, title: "T'\"\u{1F30B}",
            location: coordinate.map { Location($0) }, geometry: geometry)
        return StoredEvent(
            publicID: "id-" + id, event: event, firstSeen: Self.start, lastChanged: Self.start, changeSequence: 1)
    }

    @Test func itSaysWhatItIs() throws {
        let file = try geoPackage([stored("a", at: (-20, 1.5)), stored("b"), stored("c", at: (10, -70.25))])
        #expect(try rows(file, "PRAGMA application_id") == [["\(0x4750_4B47)"]])
        #expect(try rows(file, "PRAGMA user_version") == [["10300"]])
        #expect(try rows(file, "PRAGMA integrity_check") == [["ok"]])
        #expect(try rows(file, "PRAGMA journal_mode") == [["delete"]])
        #expect(
            try rows(file, "SELECT srs_id FROM gpkg_spatial_ref_sys ORDER BY srs_id") == [["-1"], ["0"], ["4326"]])
        #expect(
            try rows(
                file, "SELECT table_name, data_type, last_change, min_x, min_y, max_x, max_y, srs_id FROM gpkg_contents"
            )
                == [["events", "features", "2026-03-01T00:00:00.500Z", "-70.25", "-20.0", "1.5", "10.0", "4326"]])
        #expect(
            try rows(file, "SELECT * FROM gpkg_geometry_columns") == [["events", "geom", "GEOMETRY", "4326", "0", "0"]])
        #expect(
            try rows(file, "SELECT table_name, column_name, extension_name, scope FROM gpkg_extensions")
                == [["events", "geom", "gpkg_rtree_index", "write-only"]])
        let triggers = ["delete", "insert"] + (1...4).map { "update\($0)" }
        #expect(
            try rows(file, "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
                == triggers.map { ["rtree_events_geom_" + $0] })
    }

    @Test func withoutEventsItIsWholeAllTheSame() throws {
        let file = try geoPackage([])
        #expect(try rows(file, "SELECT count(*) FROM events") == [["0"]])
        #expect(
            try rows(file, "SELECT min_x, min_y, max_x, max_y FROM gpkg_contents") == [
                ["NULL", "NULL", "NULL", "NULL"]
            ])
    }

    @Test func aRowHasTheColumnsOfCSV() throws {
        let coordinate = try #require(Coordinate(latitude: 37.5, longitude: 15))
        let event = Event(
            provider: "reuters", id: "a", time: Self.start + 0.25, category: .news, title: "Ash",
            link: "https://example.org/a", author: Author(name: "Ann"), magnitude: 4.5, depth: -1, status: "actual",
            place: "Catania",
            location: Location(
                coordinate, method: .gazetteer, precision: .region, matchedText: "Etna's towns", name: "Sicily, Italy",
                country: "IT", radius: 12.5),
            details: #"{"magType":"mww","magError":0.05}"#)
        let taken = StoredEvent(
            publicID: "0123456789abcdef", event: event, firstSeen: Self.start, lastChanged: Self.start, revision: 2,
            changeSequence: 7, withdrawal: StoredEvent.Withdrawal(reason: "deleted", at: Self.start, evidence: ""),
            sources: ["more", "news"])
        let file = try geoPackage([taken, stored("b")])
        let columns = try rows(file, "SELECT name, type FROM pragma_table_info('events')")
        #expect(
            columns.map { $0.joined(separator: " ") } == [
                "fid INTEGER", "geom GEOMETRY", "public_id TEXT", "provider TEXT", "upstream_id TEXT", "time DATETIME",
                "category TEXT", "title TEXT", "magnitude REAL", "depth_km REAL", "latitude REAL", "longitude REAL",
                "location_method TEXT", "location_precision TEXT", "place_text TEXT", "author_name TEXT", "link TEXT",
                "status TEXT", "revision INTEGER", "withdrawn TEXT", "summary TEXT", "updated DATETIME",
                "location_confidence REAL", "location_evidence TEXT", "sources TEXT", "time_source TEXT",
                "change_seq INTEGER", "location_country TEXT", "location_radius_km REAL", "location_matched_text TEXT",
                "location_name TEXT", "magnitude_type TEXT", "magnitude_error REAL", "first_seen DATETIME",
            ])
        #expect(columns.dropFirst(2).map { $0[0] } == EventCSV.head.split(separator: ",").map { String($0) })
        let values = columns.map { $0[0] }.filter { $0 != "geom" }.joined(separator: ", ")
        #expect(
            try rows(file, "SELECT \(values) FROM events ORDER BY fid") == [
                [
                    "1", "0123456789abcdef", "reuters", "a", "2026-03-01T00:00:00.250Z", "news", "Ash", "4.5", "-1.0",
                    "37.5", "15.0", "gazetteer", "region", "Catania", "Ann", "https://example.org/a", "actual", "2",
                    "deleted", "NULL", "NULL", "1.0", "NULL", "more;news", "feed", "7",
                    "IT", "12.5", "Etna's towns", "Sicily, Italy", "mww", "0.05", "2026-03-01T00:00:00.000Z",
                ],
                ["2", "id-b", "usgs", "b", "2026-03-01T00:00:00.000Z", "earthquake", "T'\"\u{1F30B}"]
                    + Array(repeating: "NULL", count: 10) + ["1"] + Array(repeating: "NULL", count: 5) + [
                        "", "feed", "1", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "2026-03-01T00:00:00.000Z",
                    ],
            ])
    }

    @Test func chosenColumnsAreItsOwn() throws {
        let path = directory.path + "/chosen.gpkg"
        try Data().write(to: URL(fileURLWithPath: path))
        let centre = try #require(Coordinate(latitude: -20, longitude: 2.5))
        let named = ["title", "first_seen"].compactMap { EventProperty.named($0) }
        let columns = named + [EventProperty.distance(from: centre)]
        let made = try GeoPackage(path: path, columns: columns)
        try made.add(stored("a", at: (-20, 1.5)))
        try made.add(stored("b"))
        try made.finish(at: Self.start)
        let file = try DatabaseFile(path: path)
        #expect(
            try rows(file, "SELECT name, type FROM pragma_table_info('events')").map { $0.joined(separator: " ") }
                == ["fid INTEGER", "geom GEOMETRY", "title TEXT", "first_seen DATETIME", "distance_km REAL"])
        #expect(
            try rows(file, "SELECT distance_km BETWEEN 104 AND 105 FROM events ORDER BY fid") == [["1"], ["NULL"]])
    }

    @Test func aGeometryIsTheShapeElseThePointElseNothing() throws {
        let line = #"{"type":"LineString","coordinates":[[1,2],[2,1]]}"#
        let file = try geoPackage([
            stored("point", at: (2, 1)), stored("shape", at: (1.5, 1.5), geometry: line), stored("nowhere"),
            stored("faulty", at: (2, 1), geometry: #"{"type":"Polygon","coordinates":[]}"#),
        ])
        let (one, two) = ("000000000000F03F", "0000000000000040")
        // "GP", version 0, flags, 4326; then the box, if any.
        let point = "475000" + "01" + "E6100000" + "0101000000" + one + two
        let shape =
            "475000" + "03" + "E6100000" + one + two + one + two + "0102000000" + "02000000" + one + two + two + one
        #expect(
            try rows(file, "SELECT upstream_id, hex(geom) FROM events WHERE geom IS NOT NULL ORDER BY fid")
                == [["point", point], ["shape", shape], ["faulty", point]])
        #expect(try rows(file, "SELECT upstream_id FROM events WHERE geom IS NULL") == [["nowhere"]])
        #expect(
            try rows(file, "SELECT * FROM rtree_events_geom ORDER BY id") == [
                ["1", "1.0", "1.0", "2.0", "2.0"], ["2", "1.0", "2.0", "1.0", "2.0"],
                ["4", "1.0", "1.0", "2.0", "2.0"],
            ])
        #expect(try rows(file, "SELECT rtreecheck('rtree_events_geom')") == [["ok"]])
    }

    @Test func aFileThatCannotBeWrittenIsAnError() throws {
        #expect(throws: SQLiteError.self) { try GeoPackage(path: directory.path + "/none.gpkg") }
        // Not a file of SQLite.
        let path = directory.path + "/text.gpkg"
        try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: path))
        #expect(throws: SQLiteError.self) { try GeoPackage(path: path) }
    }
}
