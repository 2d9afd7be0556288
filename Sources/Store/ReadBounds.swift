import CSQLiteSettings
import GRDBSQLite
import SQLite
import Synchronization

/// The bounds of a store that answers strangers: its connections only read, each request has a budget, and none sees a
/// schema of another version.
package final class ReadBounds: Sendable {
    /// The most reads at a time.
    let readers: Int
    private let moved = Mutex(false)

    /// SQLite VM steps between two looks at the budget, some ten microseconds
    /// (<https://www.sqlite.org/c3ref/progress_handler.html>).
    private static let steps: Int32 = 1000

    init(readers: Int) { self.readers = readers }

    /// Whether `noteMove` was called.
    var hasSchemaMoved: Bool { moved.withLock { $0 } }

    /// Notes that a newer program has migrated the file while this one reads it.
    func noteMove() { moved.withLock { $0 = true } }

    /// Prepares a connection that has just been opened.
    func prepare(_ connection: Connection) throws {
        try connection.run("PRAGMA query_only = ON")
        // Functions and virtual tables are used by our SQL only, not by that in the file.
        try connection.run("PRAGMA trusted_schema = OFF")
        let code = makeDefensive(connection.handle)
        guard code == SQLITE_OK else { throw SQLiteError(result: code, detail: "no defensive mode") }
    }

    /// Runs `body` in the present read transaction, and interrupts the statement that is running when the budget is
    /// over.
    /// - Parameter budget: Nil: there is none.
    /// - Throws: `StoreError`: `tooCostly` or `interrupted`, or `newerSchema` or `olderSchema` in place of `body`; and
    ///   the errors of `body`.
    func run<T>(on connection: Connection, within budget: ReadBudget?, _ body: (Connection) throws -> T) throws -> T {
        let found = Int(try connection.firstInt64("PRAGMA user_version") ?? 0)
        try Migrations.checkNovelty(found)
        try Migrations.checkAge(found, Migrations.newest)
        guard let budget else { return try body(connection) }
        // A result other than 0 interrupts the statement.
        let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context else { return 0 }
            return Unmanaged<ReadBudget>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
        }
        return try withExtendedLifetime(budget) {
            sqlite3_progress_handler(
                connection.handle, Self.steps, look, Unmanaged.passUnretained(budget).toOpaque())
            defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
            do {
                return try body(connection)
            } catch {
                guard budget.isOver else { throw error }
                throw budget.overrun
            }
        }
    }
}
