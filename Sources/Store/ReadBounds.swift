import CSQLiteSettings
import GRDBSQLite
import Model
import SQLite
import Synchronization

/// The bounds of a store that answers strangers: its connections only read, each read has a time limit, and none sees
/// a schema of another version.
package final class ReadBounds: Sendable {
    /// The most reads at a time.
    let readers: Int
    private let budget: Duration
    private let moved = Mutex(false)

    /// SQLite VM steps between two looks at the clock, some ten microseconds
    /// (<https://www.sqlite.org/c3ref/progress_handler.html>).
    private static let steps: Int32 = 1000

    init(readers: Int, budget: Duration) {
        self.readers = readers
        self.budget = budget
    }

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
    /// spent.
    /// - Throws: `StoreError`: `tooCostly`, or `newerSchema` or `olderSchema` in place of `body`; and the errors of
    ///   `body`.
    func run<T>(on connection: Connection, _ body: (Connection) throws -> T) throws -> T {
        let found = Int(try connection.firstInt64("PRAGMA user_version") ?? 0)
        try Migrations.checkNovelty(found)
        try Migrations.checkAge(found, Migrations.newest)
        // A result other than 0 interrupts the statement.
        let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let spending = context?.assumingMemoryBound(to: Spending.self),
                SuspendingClock.now >= spending.pointee.end
            else { return 0 }
            spending.pointee.isOver = true
            return 1
        }
        var spending = Spending(end: SuspendingClock.now.advanced(by: budget))
        return try withUnsafeMutablePointer(to: &spending) { spending in
            sqlite3_progress_handler(connection.handle, Self.steps, look, spending)
            defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
            do {
                return try body(connection)
            } catch {
                guard spending.pointee.isOver else { throw error }
                throw StoreError(
                    .tooCostly,
                    "The query was given up after \(budget.compact); ask for less, such as a shorter time or a "
                        + "smaller area")
            }
        }
    }
}

/// The time of one read.
private struct Spending {
    let end: SuspendingClock.Instant
    var isOver = false
}
