import GRDBSQLite

/// An existing database file, opened for reading and writing by one thread. The connection closes with this object.
package final class DatabaseFile {
    /// The connection, without a statement pool. Keep this object alive while using it.
    package let connection: Connection

    /// Opens an existing file, which may be empty; creates none. The content is read only by the first statement.
    /// - Throws: `SQLiteError`, such as SQLITE_CANTOPEN for a missing file.
    package init(path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(result: code, detail: "")
        }
        connection = Connection(handle: handle)
    }

    // sqlite3_close_v2 leaves the connection open until its last statement is finalised.
    deinit { sqlite3_close_v2(connection.handle) }
}
