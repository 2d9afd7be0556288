import GRDBSQLite

/// A connection of the pool, for use on its own queue only.
package struct Connection {
    /// The `sqlite3 *`.
    package let handle: OpaquePointer
    private let pool: StatementPool?

    /// Wraps a connection that its opener closes; with a pool, statements are compiled once.
    package init(handle: OpaquePointer, pool: StatementPool? = nil) {
        self.handle = handle
        self.pool = pool
    }

    /// Compiles a statement.
    package func prepare(_ sql: String) throws -> Statement { try Statement(sql, on: handle, pool: pool) }

    /// Runs a statement with texts bound in order.
    package func run(_ sql: String, _ values: String?...) throws {
        let statement = try prepare(sql)
        for value in values { statement.bind(value) }
        try statement.run()
    }

    /// Runs SQL of several statements without parameters, whose rows do not matter.
    package func execute(_ script: String) throws {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The first column of the first row of a query without parameters.
    package func firstInt64(_ sql: String) throws -> Int64? { try prepare(sql).firstInt64() }
}
