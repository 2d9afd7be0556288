import Model
import Reconciling
import SQLite

extension Ingestion {
    /// Withdraws the matching events, and stores the withdrawal for later ones if the budget has room.
    func take(_ withdrawal: Withdrawal) throws {
        if withdrawal.erases { try eraseRefused(withdrawal) }
        try writer.forgetWaitingCorrections(of: withdrawal)
        var matched: Set<Int64> = []
        if let row = try self.row(named: withdrawal.id, of: withdrawal.provider) { matched.insert(row) }
        if withdrawal.takesFamily {
            let find = try connection.prepare(
                """
                SELECT upstream_id, event_id FROM upstream_id
                WHERE provider = ?1 AND upstream_id >= ?2 || ' ' AND upstream_id < ?2 || '!'
                """)
            find.bind(withdrawal.provider)
            find.bind(withdrawal.id)
            while try find.step() { matched.insert(find.int64(1)) }
        }
        let known = try storedWithdrawal(of: withdrawal.id, by: withdrawal.provider)
        let isNew = known == nil && matched.isEmpty && !withdrawal.erases
        let isKept = mayStore(isNew ? .new : .known)
        if isKept { try keep(withdrawal, replacing: known) } else if matched.isEmpty { return }
        let isReplaced = try !withdrawal.replacements.isEmpty || isSuperseded(withdrawal.id, of: withdrawal.provider)
        var standing = StandingWithdrawal(withdrawal, at: now)
        if !isKept { standing.evidence = "" }
        for id in matched.sorted() {
            guard let old = try load(id) else { continue }
            let isListed = isSnapshot && listed[ContentHash.name(old.upstreamID, of: old.provider)] != nil
            let isTaken = try Withdrawing.takes(
                withdrawal, old, isReplaced: isReplaced, isListed: isListed, names: { try names(of: id) })
            if isTaken { try withdraw(old, by: standing) }
        }
    }

    /// Withdraws an event and, if the provider has deleted its words, erases every copy of them.
    func withdraw(_ old: EventRow, by withdrawal: StandingWithdrawal) throws {
        var row = old
        row.withdraw(by: withdrawal)
        if withdrawal.erases {
            try forgetAnswers(about: old)
            try forgetCorrection(of: old.publicID)
        }
        try withdraw(&row, replacing: old)
        if withdrawal.erases { try eraseTraces(of: row) }
    }

    /// Stores a row that is marked as withdrawn.
    func withdraw(_ row: inout EventRow, replacing old: EventRow) throws {
        if try save(&row, replacing: old, as: .withdrawn) { result.withdrawn += 1 }
        if old.location == nil {
            statements.dequeue.bind(row.id)
            try statements.dequeue.run()
        }
    }

    /// Removes the services' answers about places in the words of an erased text.
    func forgetAnswers(about row: EventRow) throws {
        try connection.run(
            """
            DELETE FROM place_cache
            WHERE text = ?2 OR text = (SELECT place_text FROM geocode_queue WHERE event_id = ?1)
              OR text = (SELECT sought_text FROM place_correction WHERE public_id = ?3)
            """, row.id, row.location?.matchedText, row.publicID)
    }

    /// Removes a deleted text from revisions and failed bodies; truncation cleans index segments and the WAL.
    private func eraseTraces(of row: EventRow) throws {
        // An event that was split from another's row may have left words there.
        let taken = "SELECT event_id FROM history WHERE merged_id = ?1"
        let find = try connection.prepare(taken + " UNION SELECT ?2")
        find.bind(row.publicID)
        find.bind(row.id)
        var events: [Int64] = []
        while try find.step() { events.append(find.int64(0)) }
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
            "SELECT count(*), total(\(StoredBytes.ofRevision)) FROM history WHERE event_id = ?")
        find.bind(event)
        guard try find.step() else { return StoredAmount() }
        defer { find.reset() }
        return StoredAmount(rows: Int(find.int64(0)), bytes: Int(find.int64(1)))
    }

    /// Stores a withdrawal, unless the known one says as much.
    private func keep(
        _ withdrawal: Withdrawal, replacing known: (withdrawal: StoredWithdrawal, source: Int64?)?
    ) throws {
        guard let kept = Withdrawing.kept(withdrawal, over: known?.withdrawal, at: now) else { return }
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
            writer.stamp(now, isClockTrusted: isClockTrusted), source.id)
        func bytes(_ stored: StoredWithdrawal) -> Int {
            StoredBytes.of(stored, named: withdrawal.id, by: withdrawal.provider)
        }
        guard let known else { return writer.count(StoredAmount(rows: 1, bytes: bytes(kept)), for: source.id) }
        guard let owner = known.source else { return }
        writer.count(StoredAmount(bytes: bytes(kept) - bytes(known.withdrawal)), for: owner)
    }

    /// The stored withdrawal that applies to a newly arrived event; nil if there is none or the version is newer.
    func standingWithdrawal(of event: Event, version: Int64?) throws -> StandingWithdrawal? {
        try Acceptance.withdrawal(of: event, version: version) {
            try storedWithdrawal(of: $0, by: event.provider)?.withdrawal
        }
    }

    /// Whether other events have replaced the event of this name, or the family it belongs to.
    func isSuperseded(_ name: String, of provider: String) throws -> Bool {
        try Withdrawing.isSuperseded(name) { try storedWithdrawal(of: $0, by: provider)?.withdrawal }
    }

    /// The stored withdrawal of a name, and the source that it counts for; nil if there is none.
    private func storedWithdrawal(
        of name: String, by provider: String
    ) throws -> (withdrawal: StoredWithdrawal, source: Int64?)? {
        let find = statements.findWithdrawal
        find.bind(provider)
        find.bind(name)
        guard try find.step() else { return nil }
        defer { find.reset() }
        let standing = StandingWithdrawal(
            reason: find.string(0), time: find.int64(1), evidence: find.string(2), erases: find.int64(3) != 0)
        let withdrawal = StoredWithdrawal(
            standing: standing, takesFamily: find.int64(5) != 0,
            replacements: find.string(4).split(separator: "\n").map(String.init))
        return (withdrawal, find.optionalInt64(6))
    }
}
