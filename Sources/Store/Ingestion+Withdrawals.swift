import Model
import Reconciling
import SQLite

// What is kept of withdrawals, and what erasure reaches.
extension Ingestion {
    /// Keeps a withdrawal; the stored one of its name counts for its source still.
    func keep(_ kept: StoredWithdrawal, of withdrawal: Withdrawal) throws {
        let known = try ownedWithdrawal(of: withdrawal.id, by: withdrawal.provider)
        hasWithdrawals = true
        try connection.run(
            """
            INSERT INTO withdrawal
              (provider, upstream_id, takes_family, reason, time_ms, evidence, erases, replacements, at_ms, source_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (provider, upstream_id) DO UPDATE SET takes_family = excluded.takes_family,
              reason = excluded.reason, time_ms = excluded.time_ms, evidence = excluded.evidence,
              erases = excluded.erases, replacements = excluded.replacements, at_ms = excluded.at_ms
            """, withdrawal.provider, withdrawal.id, kept.takesFamily, kept.standing.reason, kept.standing.time,
            kept.standing.evidence, kept.standing.erases, kept.replacements.joined(separator: "\n"),
            writer.stamp(now, isClockTrusted: step.isClockTrusted), source.id)
        func bytes(_ stored: StoredWithdrawal) -> Int {
            StoredBytes.of(stored, named: withdrawal.id, by: withdrawal.provider)
        }
        guard let known else { return writer.count(StoredAmount(rows: 1, bytes: bytes(kept)), for: source.id) }
        guard let owner = known.source else { return }
        writer.count(StoredAmount(bytes: bytes(kept) - bytes(known.withdrawal)), for: owner)
    }

    // MARK: - Erasure

    /// Removes the services' answers about places in the words of an erased text, and the correction of its place.
    func forgetAnswers(about row: EventRow) throws {
        try connection.run(
            """
            DELETE FROM place_cache
            WHERE text = ?2 OR text = (SELECT place_text FROM geocode_queue WHERE event_id = ?1)
              OR text = (SELECT sought_text FROM place_correction WHERE public_id = ?3)
            """, row.id, row.location?.matchedText, row.publicID)
        try forgetCorrection(of: row.publicID)
    }

    /// Removes a deleted text from revisions and failed bodies; truncation cleans index segments and the WAL.
    func eraseTraces(of row: EventRow) throws {
        // An event that was split from another's row may have left words there.
        let taken = "SELECT event_id FROM history WHERE merged_id = ?1"
        let events = try connection.prepare(taken + " UNION SELECT ?2", row.publicID, row.id).map { $0.int64(0) }
        for event in events { try grow(event, by: -history(of: event)) }
        for sql in [
            "DELETE FROM history WHERE event_id = ?1",
            "DELETE FROM failed_body WHERE source_id IN (SELECT source_id FROM link WHERE event_id = ?1)",
        ] { try connection.run(sql, row.id) }
        for sql in [
            "DELETE FROM history WHERE owner = ?1 AND event_id IN (\(taken))",
            "UPDATE history SET merged = NULL WHERE merged_id = ?1",
        ] { try connection.run(sql, row.publicID) }
        for event in events { try grow(event, by: history(of: event)) }
        try writer.connection.set(Meta.erasure, to: .asked)
    }

    /// What the revisions of an event count.
    private func history(of event: Int64) throws -> StoredAmount {
        let find = try connection.prepare(
            "SELECT count(*), total(\(StoredBytes.ofRevision)) FROM history WHERE event_id = ?", event)
        return try find.first { StoredAmount(rows: Int($0.int64(0)), bytes: Int($0.int64(1))) } ?? StoredAmount()
    }
}
