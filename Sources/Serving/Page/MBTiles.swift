import Foundation
import GRDBSQLite
import SQLite

/// A file of map tiles, MBTiles 1.3 (<https://github.com/mapbox/mbtiles-spec>). It is opened for each read, so another
/// file may take its place; nothing may write to it meanwhile.
struct MBTiles: Sendable {
    private let path: String

    /// SQLite VM steps of one read, a second or two: a file without an index on its tiles would be read through for each.
    private static let mostSteps: Int32 = 20_000_000

    /// Names the file at a path, which need not exist.
    init(path: String) { self.path = path }

    /// The bytes of a tile, in whatever format; nil if the file has none there. Blocks.
    /// - Parameters:
    ///   - zoom: The zoom level, 0…30.
    ///   - x: The column from the west, 0 to 2^zoom - 1.
    ///   - y: The row from the north, 0 to 2^zoom - 1; other numbers than these have no tile.
    /// - Throws: `SQLiteError`, such as SQLITE_CANTOPEN for a missing file.
    func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]? {
        guard (0...30).contains(zoom) else { return nil }
        let side = 1 << zoom
        guard (0..<side).contains(x), (0..<side).contains(y) else { return nil }
        return try read { connection -> [UInt8]? in
            let find = try connection.prepare(
                "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
            find.bind(zoom)
            find.bind(x)
            // Rows count from the south (section "Content").
            find.bind(side - 1 - y)
            guard try find.step() else { return nil }
            let data = find.data(0)
            return data.isEmpty ? nil : [UInt8](data)
        }
    }

    /// The deepest zoom level that the file says it has, 0…30; nil if it says none. Blocks.
    /// - Throws: As `tile`.
    func maximumZoom() throws -> Int? {
        try read { connection -> Int? in
            let find = try connection.prepare("SELECT value FROM metadata WHERE name = 'maxzoom'")
            guard try find.step(), let zoom = find.text(0).flatMap({ Int($0) }) else { return nil }
            return (0...30).contains(zoom) ? zoom : nil
        }
    }

    private func read<T>(_ body: (Connection) throws -> T) throws -> T {
        let file = try DatabaseFile(immutable: path)
        return try withExtendedLifetime(file) {
            let connection = file.connection
            // The file is not ours: what its views call is not trusted.
            try connection.run("PRAGMA trusted_schema = OFF")
            // A result other than 0 interrupts the statement.
            let end: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in 1 }
            sqlite3_progress_handler(connection.handle, Self.mostSteps, end, nil)
            return try body(connection)
        }
    }
}
