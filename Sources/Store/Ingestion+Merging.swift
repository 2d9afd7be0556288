import Model
import Reconciling
import SQLite

extension Ingestion {
    /// Merges two rows of one event (`Merging`); the younger's public id then leads to the older row. The younger's
    /// revisions come behind the older's, with the same gaps.
    func merge(_ youngerID: Int64, into olderID: Int64) throws {
        let younger = try present(youngerID)
        let merging = try Merging(younger, into: present(olderID), at: now)
        var older = merging.row
        if merging.deletion != nil { try forgetAnswers(about: younger) }
        try connection.run(
            """
            UPDATE history SET event_id = ?1, revision = revision + ?2, owner = coalesce(owner, ?3)
            WHERE event_id = ?4
            """, olderID, merging.shift, younger.publicID, youngerID)
        try connection.run("UPDATE upstream_id SET event_id = ?1 WHERE event_id = ?2", olderID, youngerID)
        try connection.run(
            """
            INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms, missing_since_ms, is_promised)
            SELECT ?1, source_id, ?3, seen_hash, first_seen_ms, missing_since_ms, is_promised FROM link
            WHERE event_id = ?2
            ON CONFLICT (event_id, source_id) DO UPDATE SET first_seen_ms = min(first_seen_ms, excluded.first_seen_ms),
              missing_since_ms = NULL, is_promised = max(is_promised, excluded.is_promised)
            """, olderID, youngerID, older.time)
        try connection.run("DELETE FROM link WHERE event_id = ?", youngerID)
        try connection.run("DELETE FROM topic_seen WHERE event_id = ?", youngerID)
        try connection.run("UPDATE merged_event SET event_id = ?1 WHERE event_id = ?2", olderID, youngerID)
        try connection.run(
            "INSERT OR REPLACE INTO merged_event (public_id, event_id) VALUES (?, ?)", younger.publicID, olderID)
        try removeRow(younger)
        statements.removeShare.bind(youngerID)
        var growth = try writer.uncount(statements.removeShare)
        growth += StoredAmount(rows: -1, bytes: -younger.storedBytes)

        try writer.appendChange(.merged, of: younger.publicID, at: now)
        older.changeSequence = try writer.appendChange(.merged, of: older.publicID, at: now)
        growth += try addHistory(of: older, previous: merging.previous, merged: younger)
        try grow(olderID, by: growth)
        older.bind(to: statements.updateEvent)
        statements.updateEvent.bind(older.id)
        try statements.updateEvent.run()
        if let deletion = merging.deletion { return try write(reconciliation.withdraw(older, by: deletion)) }
        try Correcting(writer: writer, now: now).join(younger.publicID, into: older)
    }

    /// Deletes a row with its full text, position and queue item, but not its names and links.
    private func removeRow(_ row: EventRow) throws {
        try removeText(of: row)
        try statements.positions.remove(row.id, hasShape: row.geometry != nil)
        try dequeue(row.id)
        try connection.run("DELETE FROM event WHERE id = ?", row.id)
    }
}
