import GRDB
import GRDBSQLite

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
        /// Changes after the cursor have been pruned, or the cursor belongs to another database; start again from
        /// the events themselves. `oldest` is the oldest change still kept.
        case cursorTooOld(oldest: Int64)
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
        case .cannotCreate, .corrupt, .notADatabase, .newerSchema, .olderSchema, .cursorTooOld, .unknownSource,
            .noFullText, .other:
            false
        }
    }

    public var description: String { message }
}

extension StoreError {
    /// The error for an SQLite result code (<https://www.sqlite.org/rescode.html>).
    package init(result: Int32, detail: String) {
        let known: (Code, String) =
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
        self.init(known.0, detail.isEmpty ? known.1 : "\(known.1) (SQLite: \(detail))")
    }

    /// Any error thrown below, as a `StoreError`.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
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
