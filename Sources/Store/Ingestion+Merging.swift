import Model
import Reconciling
import SQLite

extension Ingestion {
    /// Merges two rows of one event. The older row keeps its public id and takes the younger's names, links, revisions
    /// and first sight; the younger's public id then leads to it. The history keeps the younger's last state.
    ///
    /// If the provider has deleted the words of one, the words of both are erased.
    func merge(_ youngerID: Int64, into olderID: Int64) throws {
        guard let younger = try load(youngerID), let old = try load(olderID) else {
            throw StoreError(.corrupt, "An upstream id leads to no event")
        }
        var older = old
        let deletion = [old, younger].first { $0.isErased }.map {
            StandingWithdrawal(
                reason: $0.withdrawnReason ?? Withdrawal.Reason.deleted.rawValue, time: $0.withdrawnAt ?? now,
                evidence: $0.withdrawnEvidence ?? "", erases: true)
        }
        if deletion != nil {
            try forgetAnswers(about: younger)
            try forgetCorrection(of: younger.publicID)
        }
        try moveHistory(from: younger, into: &older)
        for sql in [
            "UPDATE upstream_id SET event_id = ?1 WHERE event_id = ?2",
            """
            INSERT INTO link (event_id, source_id, time_ms, seen_hash, first_seen_ms, missing_since_ms, is_promised)
            SELECT ?1, source_id, ?3, seen_hash, first_seen_ms, missing_since_ms, is_promised FROM link
            WHERE event_id = ?2
            ON CONFLICT (event_id, source_id) DO UPDATE SET first_seen_ms = min(first_seen_ms, excluded.first_seen_ms),
              missing_since_ms = NULL, is_promised = max(is_promised, excluded.is_promised)
            """,
            "DELETE FROM link WHERE event_id = ?2",
            "DELETE FROM topic_seen WHERE event_id = ?2",
            "UPDATE merged_event SET event_id = ?1 WHERE event_id = ?2",
        ] {
            let statement = try connection.prepare(sql)
            statement.bind(olderID)
            statement.bind(youngerID)
            if sql.contains("?3") { statement.bind(older.time) }
            try statement.run()
        }
        let redirect = try connection.prepare("INSERT OR REPLACE INTO merged_event (public_id, event_id) VALUES (?, ?)")
        redirect.bind(younger.publicID)
        redirect.bind(olderID)
        try redirect.run()
        try removeRow(younger)
        statements.removeShare.bind(youngerID)
        var growth = try writer.uncount(statements.removeShare)
        growth += StoredAmount(rows: -1, bytes: -younger.storedBytes)

        older.firstSeen = min(older.firstSeen, younger.firstSeen)
        older.isFirstSeenProvisional = older.isFirstSeenProvisional && younger.isFirstSeenProvisional
        older.lastChanged = now
        try writer.appendChange(.merged, of: younger.publicID, at: now)
        older.changeSequence = try writer.appendChange(.merged, of: older.publicID, at: now)
        older.revision += 1
        let sight = older.firstSeen == old.firstSeen ? "" : ",\"first_seen_ms\":\(old.firstSeen)"
        growth += try addHistory(
            of: older, previous: "{\"merged_public_id\":\(younger.publicID.jsonQuoted)\(sight)}",
            merged: younger)
        try grow(olderID, by: growth)
        older.bind(to: statements.updateEvent)
        statements.updateEvent.bind(older.id)
        try statements.updateEvent.run()
        result.merged += 1
        if let deletion { return try withdraw(older, by: deletion) }
        try Correcting(writer: writer, now: now).join(younger.publicID, into: older)
    }

    /// Gives the older row the younger's revisions, behind its own and with the same gaps, and the numbers of them all.
    private func moveHistory(from younger: EventRow, into older: inout EventRow) throws {
        let move = try connection.prepare(
            """
            UPDATE history SET event_id = ?1, revision = revision + ?2, owner = coalesce(owner, ?3)
            WHERE event_id = ?4
            """)
        move.bind(older.id)
        move.bind(older.revision - 1)
        move.bind(younger.publicID)
        move.bind(younger.id)
        try move.run()
        older.revision += younger.revision - 1
    }

    /// Deletes a row with its full text, position and queue item, but not its names and links.
    private func removeRow(_ row: EventRow) throws {
        try removeText(of: row)
        try statements.positions.remove(row.id, hasShape: row.geometry != nil)
        statements.dequeue.bind(row.id)
        try statements.dequeue.run()
        let delete = try connection.prepare("DELETE FROM event WHERE id = ?")
        delete.bind(row.id)
        try delete.run()
    }
}
