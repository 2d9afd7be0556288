import Files
import GRDB
import GRDBSQLite
package import SQLite

extension StoreError {
    /// The error for a result code (<https://www.sqlite.org/rescode.html>).
    init(result: Int32, detail: String) { self.init(SQLiteError(result: result, detail: detail)) }

    /// Converts an error of SQLite: keeps the message and maps the result code, `other` by default
    /// (<https://www.sqlite.org/rescode.html>).
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

    /// Converts any error of this target and of those that it uses.
    package init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(error)
        case let error as DatabaseError:
            self.init(result: error.extendedResultCode.rawValue, detail: error.message ?? "")
        case let error as FileError:
            let codes: [FileError.Code: Code] = [.full: .full, .io: .io, .cannotCreate: .cannotCreate]
            self.init(codes[error.code] ?? .busy, error.message)
        default: self.init(.other, "The database could not be used: \(error)")
        }
    }
}

/// Runs `body` and converts its error to a `StoreError`.
func reporting<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do { return try body() } catch { throw StoreError(error) }
}
