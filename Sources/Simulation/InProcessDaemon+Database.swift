package import Model
package import Store

extension InProcessDaemon {
    /// Rows of any query, all values as text, NULL as `NULL`. Throws `StoreError`, such as for faulty SQL.
    package func rows(_ sql: String) throws -> [[String]] { try store.rows(sql) }

    /// The first column of all rows of a query, as by `rows`.
    package func column(_ sql: String) throws -> [String] { try rows(sql).compactMap(\.first) }

    /// The first column of the first row as an integer; -1 if there is no row or it is no integer. Throws like `rows`.
    package func number(_ sql: String) throws -> Int { Int(try column(sql).first ?? "") ?? -1 }

    private static let visible = (
        events: [
            "SELECT * FROM events_v1 ORDER BY public_id",
            "SELECT * FROM event_sources_v1 ORDER BY public_id, source",
            "SELECT * FROM aliases_v1 ORDER BY provider, upstream_id",
            "SELECT * FROM merged_events_v1 ORDER BY public_id",
        ],
        history: ["SELECT * FROM event_history_v1 ORDER BY public_id, revision"],
        changes: ["SELECT * FROM changes_v1 ORDER BY seq"]
    )

    /// All that users can see of events, history, names and changes, as rows in a fixed order. If it stays equal, no
    /// event row was written in between. Throws `StoreError`.
    package func visibleEvents() throws -> [[String]] {
        try (Self.visible.events + Self.visible.history + Self.visible.changes).flatMap(rows)
    }

    /// Hashes of what `visibleEvents` reads, in hexadecimal digits: `EVENTS HISTORY CHANGES`, of which the first has
    /// names, sources and merges, too. Throws `StoreError`.
    package func visibleHashes() throws -> String {
        try [Self.visible.events, Self.visible.history, Self.visible.changes].map { queries in
            let values = try queries.flatMap(rows).joined()
            return FNV64.hex(values.reduce(FNV64.basis) { FNV64.hash("\($1)\u{1F}".utf8, after: $0) })
        }.joined(separator: " ")
    }

    /// Number of rows written to any table since the database was opened, that is in this life. Throws `StoreError`.
    package func writtenRows() throws -> Int64 {
        var count: Int64 = 0
        try store.maintain { count = try $0.firstInt64("SELECT total_changes()") ?? 0 }
        return count
    }

    /// The stored state of the sources, by name, as by `EventStore.sources`. Throws `StoreError`.
    package func records() throws -> [String: SourceRecord] {
        Dictionary(try store.sources().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension EventStore {
    /// Rows of any query, all values as text, NULL as `NULL`. Throws `StoreError`, such as for faulty SQL.
    package func rows(_ sql: String) throws -> [[String]] {
        try read { connection in
            let statement = try connection.prepare(sql)
            var rows: [[String]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" })
            }
            return rows
        }
    }

    /// Runs statements directly on the database, unknown to the daemon. Throws `StoreError` at the first that fails.
    package func tamper(_ sql: String...) throws {
        try maintain { connection in for statement in sql { try connection.run(statement) } }
    }
}
