import Foundation
import GRDBSQLite
import SQLite
import TestSupport
import Testing

@testable import Serving

@Suite struct MBTilesTests {
    private let directory = TemporaryDirectory()

    /// Makes a file with three tiles of zoom level 2, of which one is empty.
    private func make(_ name: String) throws -> MBTiles {
        let path = "\(directory.path)/\(name)"
        var opened: OpaquePointer?
        try #require(sqlite3_open(path, &opened) == SQLITE_OK)
        let database = try #require(opened)
        defer { sqlite3_close_v2(database) }
        let sql = """
            CREATE TABLE metadata (name TEXT, value TEXT);
            CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
            INSERT INTO tiles VALUES (2, 3, 0, x'01'), (2, 0, 3, x'02'), (2, 1, 1, x'');
            """
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        return MBTiles(path: path)
    }

    @Test func rowsCountFromTheNorth() throws {
        let tiles = try make("a?b#c%20d.mbtiles")
        #expect(try tiles.tile(zoom: 2, x: 3, y: 3) == [1])
        #expect(try tiles.tile(zoom: 2, x: 0, y: 0) == [2])
        #expect(try tiles.tile(zoom: 2, x: 1, y: 2) == nil, "it is empty")
        #expect(try tiles.tile(zoom: 2, x: 3, y: 0) == nil)
        for (zoom, x, y) in [(2, 4, 0), (2, 0, 4), (2, -1, 0), (-1, 0, 0), (31, 0, 0), (Int.max, Int.max, Int.min)] {
            #expect(try tiles.tile(zoom: zoom, x: x, y: y) == nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a?b#c%20d.mbtiles"])
    }

    @Test(arguments: [("7", 7), ("0", 0), ("31", nil), ("-1", nil), ("deep", nil)] as [(String, Int?)])
    func theDeepestLevelIsWhatTheFileSays(value: String, zoom: Int?) throws {
        let tiles = try make("a.mbtiles")
        #expect(try tiles.maximumZoom() == nil)
        var opened: OpaquePointer?
        try #require(sqlite3_open("\(directory.path)/a.mbtiles", &opened) == SQLITE_OK)
        let database = try #require(opened)
        let code = sqlite3_exec(database, "INSERT INTO metadata VALUES ('maxzoom', '\(value)')", nil, nil, nil)
        sqlite3_close_v2(database)
        try #require(code == SQLITE_OK)
        #expect(try tiles.maximumZoom() == zoom)
    }

    @Test func aFileThatIsNoneIsAnError() throws {
        let path = directory.path + "/a.mbtiles"
        #expect(throws: SQLiteError.self) { try MBTiles(path: path).tile(zoom: 0, x: 0, y: 0) }
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data("no database, but long enough to be taken for one".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: SQLiteError.self) { try MBTiles(path: path).tile(zoom: 0, x: 0, y: 0) }
        #expect(throws: SQLiteError.self) { try MBTiles(path: path).maximumZoom() }
    }
}
