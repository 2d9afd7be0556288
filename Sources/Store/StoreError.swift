import GRDB
import GRDBSQLite
package import SQLite

/// Why the database could not be used, in words for the operator.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What to switch on.
    public enum Code: Sendable, Hashable {
        /// Another process holds the write lock for longer than the busy time-out (5 s).
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
        /// The file that is open is no longer the one of its name: it was moved, replaced or removed.
        case replaced
        /// A copy cannot be made under that name.
        case cannotCreate
        /// The file is damaged.
        case corrupt
        /// The file is no SQLite database, or that of another program.
        case notADatabase
        /// The file was written by a newer version of this program.
        case newerSchema(found: Int, known: Int)
        /// The file was written by an older version of this program, and opened for reading only.
        case olderSchema(found: Int, known: Int)
        /// No such source is stored.
        case unknownSource
        /// Words were looked for, but the full-text index is switched off.
        case noFullText
        /// Anything else SQLite reports.
        case other
    }

    /// What to switch on.
    public var code: Code
    /// One sentence with what happened and, where there is one, the remedy.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same call can succeed later without anybody changing the program or the file.
    ///
    /// Polls pause and go on by themselves after such an error (a full or failing disk, a lock held elsewhere).
    public var isTemporary: Bool {
        switch code {
        case .busy, .interrupted, .full, .readOnly, .io, .cannotOpen, .replaced: true
        case .cannotCreate, .corrupt, .notADatabase, .newerSchema, .olderSchema, .unknownSource, .noFullText, .other:
            false
        }
    }

    public var description: String { message }
}

extension StoreError {
    /// The error for an SQLite result code (<https://www.sqlite.org/rescode.html>).
    init(result: Int32, detail: String) { self.init(SQLiteError(result: result, detail: detail)) }

    package init(_ error: SQLiteError) {
        let code: Code =
            switch error.result {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
            case SQLITE_NOMEM, SQLITE_INTERRUPT: .interrupted
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            case SQLITE_IOERR: .io
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            default: .other
            }
        self.init(code, error.message)
    }

    /// Any error thrown below, as a `StoreError`.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(error)
        case let error as DatabaseError:
            self.init(result: error.extendedResultCode.rawValue, detail: error.message ?? "")
        default: self.init(.other, "The database could not be used: \(error)")
        }
    }
}

/// Runs `body` and turns whatever it throws into a `StoreError`.
func reporting<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do { return try body() } catch { throw StoreError(error) }
}
