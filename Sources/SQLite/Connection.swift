package import Foundation
import GRDBSQLite

/// A borrowed SQLite connection: a handle that its opener closes. For the opener's queue only; throws `SQLiteError`.
package struct Connection {
    /// The `sqlite3 *`; valid until the opener closes it.
    package let handle: OpaquePointer
    private let pool: StatementPool?

    /// Wraps an open connection, which the caller keeps open and closes.
    /// - Parameter pool: Keeps compiled statements for reuse; nil compiles each statement anew.
    package init(handle: OpaquePointer, pool: StatementPool? = nil) {
        self.handle = handle
        self.pool = pool
    }

    /// Called before each statement that is prepared on a connection with a pool, for tests; nil by default. What it
    /// throws comes out of `prepare`.
    package var whenPreparing: (() throws -> Void)? {
        get { pool?.whenPreparing }
        nonmutating set { pool?.whenPreparing = newValue }
    }

    /// Compiles one statement, or takes it from the pool, and binds values in order (nil binds NULL); further ones may be
    /// bound behind them. Text after the first statement is ignored. Throws for faulty SQL.
    package func prepare(_ sql: String, _ values: (any Bindable)?...) throws -> Statement {
        try prepared(sql, values)
    }

    /// Runs one statement with values bound in order (nil binds NULL) and ignores its rows. Parameters without a value
    /// are NULL.
    package func run(_ sql: String, _ values: (any Bindable)?...) throws { try prepared(sql, values).run() }

    private func prepared(_ sql: String, _ values: [(any Bindable)?]) throws -> Statement {
        try pool?.whenPreparing?()
        let statement = try Statement(sql, on: handle, pool: pool)
        for value in values {
            if let value { value.bind(to: statement) } else { statement.bind(nil as Int64?) }
        }
        return statement
    }

    /// Runs statements without parameters, up to the first that fails, and ignores their rows.
    package func execute(_ script: String) throws {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The first column of the first row of a query with values bound in order (nil binds NULL); nil without a row or for
    /// NULL.
    package func firstInt64(_ sql: String, _ values: (any Bindable)?...) throws -> Int64? {
        try prepared(sql, values).firstInt64()
    }
}

/// A value that a parameter takes.
package protocol Bindable {
    /// Binds the value to the statement's next parameter.
    func bind(to statement: Statement)
}

extension Int64: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}

extension Int: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}

extension Bool: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}

extension Double: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}

extension String: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}

extension Data: Bindable {
    package func bind(to statement: Statement) { statement.bind(self) }
}
