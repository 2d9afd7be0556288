import GRDBSQLite

/// An error of SQLite, worded for the operator.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's primary result code (<https://www.sqlite.org/rescode.html>), never an extended one.
    public var result: Int32
    /// What the message speaks of, with a capital.
    package var subject = "The database"
    private var detail: String

    /// `message` alone, without the code.
    public var description: String { message }

    /// Creates the error for a result code.
    /// - Parameters:
    ///   - result: A primary or an extended result code; the primary one is kept.
    ///   - detail: SQLite's own words (`sqlite3_errmsg`); may be empty.
    package init(result: Int32, detail: String) {
        self.result = result & 0xff
        self.detail = detail
    }

    /// One sentence: what happened, the remedy if there is one, then SQLite's own words in parentheses.
    public var message: String {
        let words =
            switch result {
            case SQLITE_NOMEM, SQLITE_INTERRUPT: "\(subject) could not finish the operation; it is tried again"
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                "\(subject) is locked by another process; try again, or stop that process"
            case SQLITE_FULL: "The disk is full; free some space and writing goes on by itself"
            case SQLITE_READONLY, SQLITE_PERM:
                "\(subject) cannot be written; check the permissions of the file and its folder"
            case SQLITE_IOERR: "The disk reported an error; check the file system"
            case SQLITE_CANTOPEN:
                "\(subject) cannot be opened; check that its folder exists and may be entered, and that descriptors are "
                    + "left (ulimit -n)"
            case SQLITE_CORRUPT:
                "\(subject) is damaged; keep a copy, then restore a backup, recover it, or begin anew "
                    + "(docs/operations.md)"
            case SQLITE_NOTADB: "The file is not an SQLite database"
            default: "\(subject) refused the operation"
            }
        return detail.isEmpty ? words : "\(words) (SQLite: \(detail))"
    }
}
