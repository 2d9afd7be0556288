import GRDBSQLite

/// An existing database file, opened by one thread. The connection closes with this object.
package final class DatabaseFile {
    /// The connection, without a statement pool. Keep this object alive while using it.
    package let connection: Connection

    /// Opens an existing file, which may be empty, for reading and writing; creates none. The content is read only by
    /// the first statement.
    /// - Parameter vfs: The name of SQLite's layer to the file system; nil: the default one.
    /// - Throws: `SQLiteError`, such as SQLITE_CANTOPEN for a missing file.
    package convenience init(path: String, vfs: String? = nil) throws {
        try self.init(path, SQLITE_OPEN_READWRITE, vfs: vfs)
    }

    /// Opens an existing file for reading alone, beside others that may write. The content is read only by the first
    /// statement.
    /// - Throws: As `init(path:)`.
    package convenience init(readOnly path: String) throws { try self.init(path, SQLITE_OPEN_READONLY) }

    /// Opens an existing file that nobody writes to, for reading alone: no lock is taken and no file made beside it
    /// (`immutable`, <https://www.sqlite.org/uri.html>). The content is read only by the first statement.
    /// - Throws: As `init(path:)`.
    package convenience init(immutable path: String) throws {
        try self.init(Self.address(ofImmutable: path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    /// Opens a file for reading alone unless a link has taken its place, and waits up to 5 s for locks. The content is read
    /// only by the first statement.
    /// - Parameters:
    ///   - path: The file, resolved.
    ///   - isImmutable: As `init(immutable:)`, so the file is read without its log; false by default.
    /// - Throws: As `init(path:)`, with SQLite's words.
    package convenience init(unlinked path: String, isImmutable: Bool = false) throws {
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | (isImmutable ? SQLITE_OPEN_URI : 0)
        try self.init(isImmutable ? Self.address(ofImmutable: path) : path, flags, isDetailed: true)
        sqlite3_busy_timeout(connection.handle, 5000)
    }

    private init(_ name: String, _ flags: Int32, vfs: String? = nil, isDetailed: Bool = false) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard code == SQLITE_OK, let handle else {
            let detail = isDetailed ? handle.map { String(cString: sqlite3_errmsg($0)) } : nil
            sqlite3_close_v2(handle)
            throw SQLiteError(result: code, detail: detail ?? "")
        }
        connection = Connection(handle: handle)
    }

    /// The address of a file that nobody writes to, for opening and ATTACH.
    package static func address(ofImmutable path: String) -> String {
        let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3F").replacing("#", with: "%23")
        return "file:\(escaped)?immutable=1"
    }

    // sqlite3_close_v2 leaves the connection open until its last statement is finalised.
    deinit { sqlite3_close_v2(connection.handle) }
}
