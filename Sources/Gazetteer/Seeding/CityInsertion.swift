import GRDBSQLite
import SQLite

/// The statement that inserts a city; only for its connection's thread. Unlike `Statement`, it does not copy texts.
final class CityInsertion {
    private let connection: OpaquePointer
    private let statement: OpaquePointer
    /// Whether a city had a district or a feature so far; these columns stay bound.
    private var hasDetails = false

    private static let sql = """
        INSERT OR IGNORE INTO city (id, key, population, country, region, latitude, longitude, name, district, feature)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """

    /// Bound for an empty text, because a null pointer would be NULL.
    private static let nothing: StaticString = ""

    /// Compiles the statement.
    init(on connection: OpaquePointer) throws(SQLiteError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, Self.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(connection)))
        }
        self.connection = connection
        self.statement = statement
    }

    deinit { sqlite3_finalize(statement) }

    /// Inserts a city; returns false if its id is taken. The texts need to live only during the call.
    func run(_ row: CityRow) throws(SQLiteError) -> Bool {
        sqlite3_bind_int64(statement, 1, row.id)
        sqlite3_bind_int64(statement, 2, row.key.rawValue)
        sqlite3_bind_int64(statement, 3, row.population)
        bind(4, row.country)
        bind(5, row.region)
        sqlite3_bind_int64(statement, 6, row.latitude)
        sqlite3_bind_int64(statement, 7, row.longitude)
        bind(8, row.name)
        if hasDetails || !row.district.isEmpty || !row.feature.isEmpty {
            hasDetails = true
            if row.district.isEmpty { sqlite3_bind_null(statement, 9) } else { bind(9, row.district) }
            if row.feature.isEmpty { sqlite3_bind_null(statement, 10) } else { bind(10, row.feature) }
        }
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(connection)))
        }
        return sqlite3_changes(connection) > 0
    }

    private func bind(_ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
        // Not copied: the text stays in place until the row is written.
        let bytes = UnsafeRawPointer(text.baseAddress ?? Self.nothing.utf8Start).assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text(statement, index, bytes, Int32(truncatingIfNeeded: text.count), nil)
    }
}
