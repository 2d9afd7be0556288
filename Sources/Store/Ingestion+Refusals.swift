import Model
import Reconciling
import SQLite

// What is kept of refused items (`Refusals`), for `visiventd refused`: the last hundred of a source, which count for no
// budget.
extension Ingestion {
    /// Keeps the refused items of the answer, and forgets those of the source that are stored now. An item that comes
    /// again for the same reason changes nothing.
    func keepRefused(_ issues: [FeedIssue]) throws {
        if hasRefused { try forgetStored() }
        let refused = reconciliation.refused
        guard !refused.isEmpty || issues.contains(where: \.costsItem) else { return }
        let kept = try connection.firstInt64("SELECT refused_kept FROM source WHERE id = ?", source.id)
        let room = Refusals.most - Int(kept ?? 0)
        guard room > 0 else { return }
        let time = try writer.stamp(now, isClockTrusted: step.isClockTrusted)
        let items = try Refusals.kept(refused, issues, room: room) {
            try reconciliation.withdrawal(of: $0, version: Int64.max, in: self) != nil
        }
        var isChanged = false
        for item in items {
            try connection.run(
                """
                INSERT INTO refused_item (source_id, provider, upstream_id, aliases, title, reason, at_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (source_id, provider, upstream_id) DO UPDATE
                SET aliases = excluded.aliases, title = excluded.title, reason = excluded.reason, at_ms = excluded.at_ms
                WHERE reason <> excluded.reason
                """, source.id, item.provider, item.id, item.aliases, item.title, item.reason, time)
            if connection.changedRows > 0 { isChanged = true }
        }
        try connection.run("UPDATE source SET refused_kept = refused_kept + ? WHERE id = ?", items.count, source.id)
        guard isChanged else { return }
        hasRefused = true
        try connection.run(
            """
            DELETE FROM refused_item WHERE source_id = ?1 AND id NOT IN (
              SELECT id FROM refused_item WHERE source_id = ?1 ORDER BY at_ms DESC, id LIMIT ?2)
            """, source.id, Refusals.most)
    }

    /// Forgets refused items of the source that have become events, for instance with another filter. A name that may
    /// be cut, into 1021 to 1024 bytes, stands for those that begin with it.
    private func forgetStored() throws {
        try connection.run(
            """
            DELETE FROM refused_item WHERE source_id = ?1 AND EXISTS (
              SELECT 1 FROM upstream_id u JOIN link l ON l.event_id = u.event_id AND l.source_id = ?1
              WHERE u.provider = refused_item.provider AND u.upstream_id BETWEEN refused_item.upstream_id
                AND refused_item.upstream_id
                  || iif(length(CAST(refused_item.upstream_id AS BLOB)) > 1020, char(1114111), ''))
            """, source.id)
    }

    /// ?1: the provider; ?2: the id, cut.
    static let eraseUnderID = "DELETE FROM refused_item WHERE provider = ?1 AND upstream_id = ?2"
    /// ?1: the provider; ?2: the id.
    static let eraseUnderAlias = """
        DELETE FROM refused_item
        WHERE provider = ?1 AND aliases IS NOT NULL AND instr(aliases, char(10) || ?2 || char(10))
        """

    /// Removes a deleted text from the refused items. What sources of this kind have shown without an id may quote it,
    /// and so may samples of their issues, also of this answer.
    /// - Parameter samples: Whether what has no id goes, too.
    func eraseRefused(_ withdrawal: Withdrawal, samples: Bool) throws {
        if hasRefused {
            let provider = Refusals.cut(withdrawal.provider)
            try connection.run(Self.eraseUnderID, provider, Refusals.cut(withdrawal.id))
            try connection.run(Self.eraseUnderAlias, provider, withdrawal.id)
        }
        guard samples else { return }
        let ofKind = "source_id IN (SELECT id FROM source WHERE kind = (SELECT kind FROM source WHERE id = ?))"
        for sql in [
            "DELETE FROM refused_item WHERE provider = '' AND \(ofKind)",
            "UPDATE issue SET sample = '' WHERE sample <> '' AND \(ofKind)",
        ] { try connection.run(sql, source.id) }
    }
}
