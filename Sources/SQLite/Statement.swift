package import Foundation
import GRDBSQLite

/// SQLITE_TRANSIENT: SQLite copies bound values (<https://www.sqlite.org/c3ref/c_static.html>).
private let copied = unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)

/// SQLITE_CONSTRAINT_UNIQUE; Swift does not import the macro.
private let uniqueViolation: Int32 = SQLITE_CONSTRAINT | (8 << 8)

/// A prepared statement, for use on its connection's queue only.
///
/// Values are bound in the order of the parameters. A failed binding makes the next step throw. All errors are
/// `SQLiteError`. Ingestion binds some forty values an event, and `GRDB.Statement` takes twice as long for them.
package final class Statement {
    private let connection: OpaquePointer
    private let handle: OpaquePointer
    private let sql: String
    private let pool: StatementPool?
    private var bound: Int32 = 0
    private var bindFailure: Int32 = SQLITE_OK

    /// Compiles one statement, or takes it from the pool, to which `deinit` returns it. Text after the first statement
    /// is ignored. Throws for faulty SQL.
    package init(_ sql: String, on connection: OpaquePointer, pool: StatementPool? = nil) throws {
        self.sql = sql
        self.pool = pool
        if let compiled = pool?.take(sql) {
            self.connection = connection
            handle = compiled
            return
        }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(connection)))
        }
        self.connection = connection
        self.handle = handle
    }

    deinit {
        if let pool { pool.keep(handle, of: sql) } else { sqlite3_finalize(handle) }
    }

    // MARK: - Binding

    /// Binds an integer to the next parameter; nil binds NULL.
    package func bind(_ value: Int64?) {
        bound += 1
        check(value.map { sqlite3_bind_int64(handle, bound, $0) } ?? sqlite3_bind_null(handle, bound))
    }

    /// Binds an integer to the next parameter; there is no NULL.
    package func bind(_ value: Int) { bind(Int64(value)) }

    /// Binds 1 for true, or 0 for false, to the next parameter.
    package func bind(_ flag: Bool) { bind(Int64(flag ? 1 : 0)) }

    /// Binds a real number to the next parameter; nil binds NULL.
    package func bind(_ value: Double?) {
        bound += 1
        check(value.map { sqlite3_bind_double(handle, bound, $0) } ?? sqlite3_bind_null(handle, bound))
    }

    /// Binds a UTF-8 text to the next parameter; nil binds NULL.
    package func bind(_ value: String?) {
        bound += 1
        guard var value else { return check(sqlite3_bind_null(handle, bound)) }
        let code = value.withUTF8 { bytes -> Int32 in
            guard let base = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_text(handle, bound, "", 0, copied)
            }
            let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
            return sqlite3_bind_text(handle, bound, text, Int32(clamping: bytes.count), copied)
        }
        check(code)
    }

    /// Binds a blob to the next parameter; empty data are an empty blob, not NULL.
    package func bind(_ value: Data) {
        bound += 1
        let code = value.withUnsafeBytes { bytes -> Int32 in
            guard let base = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, bound, 0) }
            return sqlite3_bind_blob(handle, bound, base, Int32(clamping: bytes.count), copied)
        }
        check(code)
    }

    private func check(_ code: Int32) {
        if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
    }

    // MARK: - Running

    /// Advances to the next row; true: its columns can be read. At the end it returns false and resets the statement
    /// for the next use, as it does before it throws.
    package func step() throws -> Bool {
        guard bindFailure == SQLITE_OK else {
            let code = bindFailure
            reset()
            throw SQLiteError(result: code, detail: "a value could not be bound")
        }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(connection)))
            reset()
            throw error
        }
        reset()
        return false
    }

    /// Runs the statement to its end, ignores its rows and resets it, also before it throws.
    package func run() throws {
        while try step() {}
    }

    /// Runs an insert once and resets it: true if the row is stored, false if a UNIQUE constraint refuses it. A taken
    /// primary key throws. Needs extended result codes, which GRDB enables.
    package func runUnlessTaken() throws -> Bool {
        do {
            try run()
            return true
        } catch {
            guard sqlite3_extended_errcode(connection) == uniqueViolation else { throw error }
            return false
        }
    }

    /// The first column of the first row; nil without a row or for NULL. Resets the statement for the next use.
    package func firstInt64() throws -> Int64? {
        guard try step() else { return nil }
        defer { reset() }
        return optionalInt64(0)
    }

    /// Makes the statement ready to be bound and run again. Values bound before stay until they are bound anew.
    package func reset() {
        sqlite3_reset(handle)
        bound = 0
        bindFailure = SQLITE_OK
    }

    // MARK: - Columns of the current row

    /// Whether the column, counted from 0, is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The integer in a column, counted from 0; 0 for NULL. Other types are converted as SQLite does.
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The integer in a column, counted from 0; nil for NULL.
    package func optionalInt64(_ column: Int32) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(handle, column)
    }

    /// The real number in a column, counted from 0; nil for NULL.
    package func double(_ column: Int32) -> Double? { isNull(column) ? nil : sqlite3_column_double(handle, column) }

    /// The text in a column, counted from 0; nil for NULL. Numbers become text. Invalid UTF-8 becomes U+FFFD.
    package func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The UTF-8 text in a column, counted from 0, without a copy; empty for NULL. Valid until the next step or reset.
    package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let text = sqlite3_column_text(handle, column)
        return UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// The text in a column, counted from 0; empty for NULL. Invalid UTF-8 becomes U+FFFD.
    package func string(_ column: Int32) -> String { text(column) ?? "" }

    /// A copy of the blob in a column, counted from 0; empty for NULL.
    package func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The number of columns of a row; 0 for a statement without rows.
    package var columnCount: Int32 { sqlite3_column_count(handle) }
}
