import GRDBSQLite
import Model
import Reconciling
import SQLite

// New rows of `event`, names and links.
extension Ingestion {
    /// Adds the names of a new event, and counts the event for the source.
    func addShare(of row: EventRow, under names: [String]) throws {
        let share = try StoredAmount(rows: 1, bytes: row.storedBytes) + addNames(names, of: row.provider, to: row.id)
        let insert = statements.insertShare
        insert.bind(row.id)
        insert.bind(source.id)
        insert.bind(share.rows)
        insert.bind(share.bytes)
        try insert.run()
        writer.count(share, for: source.id)
    }

    /// Records that the source shows the event, and its version's hash; the event is no longer missing there.
    func setLink(of row: EventRow, hash: Int64) throws {
        let upsert = statements.upsertLink
        upsert.bind(row.id)
        upsert.bind(source.id)
        upsert.bind(row.time)
        upsert.bind(hash)
        upsert.bind(now)
        try upsert.run()
    }

    /// Inserts a new row and fills in its id, public id and change number.
    func insert(_ row: inout EventRow) throws {
        row.firstSequence = writer.nextChange()
        row.changeSequence = row.withdrawnReason == nil ? row.firstSequence : writer.nextChange()
        var attempt: UInt64 = 0
        repeat {
            guard attempt < 16 else { throw StoreError(.other, "No free public id for an event of \(row.provider)") }
            row.publicID = PublicID.of(provider: row.provider, upstreamID: row.upstreamID, attempt: attempt)
            row.bind(to: statements.insertEvent)
            attempt += 1
        } while try !statements.insertEvent.runUnlessTaken()
        row.id = connection.lastInsertedRow
        try writer.appendChange(.new, of: row.publicID, at: now, as: row.firstSequence)
        if row.withdrawnReason != nil {
            try writer.appendChange(.withdrawn, of: row.publicID, at: now, as: row.changeSequence)
        }
        try addText(of: row)
        try addPosition(of: row)
        try enqueue(row)
    }
}

extension Connection {
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The rows that the last statement has inserted, updated or deleted.
    var changedRows: Int32 { sqlite3_changes(handle) }

    /// The sources that show an event.
    func sources(of event: Int64) throws -> [Int64] {
        let find = try prepare("SELECT source_id FROM link WHERE event_id = ?")
        find.bind(event)
        var sources: [Int64] = []
        while try find.step() { sources.append(find.int64(0)) }
        return sources
    }
}
