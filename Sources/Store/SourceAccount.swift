import Foundation
import Model
import SQLite

/// What the database knows of a source's budget. Beyond it new events wait (`Budget`), and so do withdrawals of events
/// that nobody has shown. Nothing that would make the server say "not modified" is stored then (`PollWriter`), so that
/// they come again.
struct SourceAccount {
    let source: Int64
    /// With the amount of the day of `at`.
    private(set) var use: SourceUse
    /// Whether items of the poll under way wait.
    private(set) var isWaiting = false

    /// Reads the account of a source at a wall time.
    init(of source: Int64, at: Date, on connection: Connection) throws {
        self.source = source
        use = SourceUse()
        let find = try connection.prepare(
            "SELECT \(SourceUse.columns), is_waiting FROM source_use WHERE source_id = ?", source)
        guard try find.step() else { return }
        defer { find.reset() }
        use = SourceUse(row: find)
        use.ofDay = use.today(at: at)
        use.day = SourceUse.day(of: at)
        isWaiting = find.int64(9) != 0
    }

    /// Stores what the source has added on the day, and that items wait.
    mutating func store(added: StoredAmount, isWaiting: Bool, on connection: Connection) throws {
        guard added.rows > 0 || added.bytes > 0 || isWaiting != self.isWaiting else { return }
        use.ofDay += StoredAmount(rows: max(0, added.rows), bytes: max(0, added.bytes))
        self.isWaiting = isWaiting
        try connection.run(
            "UPDATE source_use SET day = ?2, day_rows = ?3, day_bytes = ?4, is_waiting = ?5 WHERE source_id = ?1",
            source, use.day, use.ofDay.rows, use.ofDay.bytes, isWaiting)
    }

    /// Forgets that items of the last poll wait, since another poll begins.
    static func begin(_ source: Int64, on connection: Connection) throws {
        try connection.run("UPDATE source_use SET is_waiting = 0 WHERE source_id = ? AND is_waiting", source)
    }
}

extension SourceUse {
    /// The columns that `init(row:)` reads.
    static let columns =
        "rows, bytes, day, day_rows, day_bytes, most_rows, most_bytes, most_daily_rows, most_daily_bytes"

    /// Reads a row of `columns`, which begin with this column.
    init(row: Statement, from first: Int32 = 0) {
        func amount(_ column: Int32) -> StoredAmount {
            StoredAmount(rows: Int(row.int64(first + column)), bytes: Int(row.int64(first + column + 1)))
        }
        self.init(total: amount(0), ofDay: amount(3), day: row.int64(first + 2))
        if !row.isNull(first + 5) { budget = SourceBudget(daily: amount(7), total: amount(5)) }
    }
}
