import GRDBSQLite

/// Why SQLite could not do what it was asked, in words for the operator.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to switch on: a group of SQLite's primary result codes (<https://www.sqlite.org/rescode.html>).
    public enum Code: Sendable, Hashable {
        /// Another process holds a lock for longer than the busy time-out.
        case busy
        /// There was no memory, or something interrupted the operation.
        case interrupted
        /// The disk or quota is full.
        case full
        /// The file, its folder or the file system cannot be written.
        case readOnly
        /// The disk failed.
        case io
        /// The file could not be opened at all.
        case cannotOpen
        /// The file is damaged.
        case corrupt
        /// The file is no SQLite database.
        case notADatabase
        /// Anything else.
        case other
    }

    /// What to switch on.
    public var code: Code
    /// One sentence with what happened and, where there is one, the remedy.
    public var message: String

    public var description: String { message }

    /// Creates the error for a result code.
    /// - Parameters:
    ///   - result: A primary or an extended result code.
    ///   - detail: SQLite's own words (`sqlite3_errmsg`); may be empty.
    package init(result: Int32, detail: String) {
        (code, message) =
            switch result & 0xff {
            case SQLITE_NOMEM, SQLITE_INTERRUPT:
                (.interrupted, "The database could not finish the operation; it is tried again")
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                (.busy, "The database is locked by another process; try again, or stop that process")
            case SQLITE_FULL:
                (.full, "The disk is full; free some space and writing goes on by itself")
            case SQLITE_READONLY, SQLITE_PERM:
                (.readOnly, "The database cannot be written; check the permissions of the file and its folder")
            case SQLITE_IOERR:
                (.io, "The disk reported an error; check the file system")
            case SQLITE_CANTOPEN:
                (
                    .cannotOpen,
                    "The database cannot be opened; check that its folder exists and may be entered, and that "
                        + "descriptors are left (ulimit -n)"
                )
            case SQLITE_CORRUPT:
                (
                    .corrupt,
                    "The database is damaged; keep a copy, then restore a backup, recover it, or begin anew "
                        + "(docs/operations.md)"
                )
            case SQLITE_NOTADB:
                (.notADatabase, "The file is not an SQLite database")
            default:
                (.other, "The database refused the operation")
            }
        if !detail.isEmpty { message += " (SQLite: \(detail))" }
    }
}
