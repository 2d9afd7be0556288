import GRDBSQLite

/// A file that is opened to be written by this process alone, and closed with this object; for one thread at a time.
package final class DatabaseFile {
    /// The connection to it.
    package let connection: Connection

    /// Opens a file that is there, be it empty.
    /// - Throws: `SQLiteError`.
    package init(path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(result: code, detail: "")
        }
        connection = Connection(handle: handle)
    }

    // Closed once its statements are finalised, which may be after this.
    deinit { sqlite3_close_v2(connection.handle) }
}
