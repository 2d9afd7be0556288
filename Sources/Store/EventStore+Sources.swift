public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Brings the stored sources in line with the configuration at a start. Throws `StoreError`; nothing is changed
    /// then.
    ///
    /// A stream that was open when the program ended gets the due reason `reconnect` and no due time. A source that is
    /// no longer configured is disabled. Its events, state and `max_age` stay, so its events expire as before. A
    /// source with another identity forgets its permanent redirect and its home. One with a longer `max_age` asks
    /// without validators and state at its next poll, once, unless it has made paid reads.
    /// - Parameter authorities: For whom each of them may speak, by name. What an earlier version took on the word of
    ///   documents is judged by it once, else it is not asked for. Nil, the default: later.
    public func reconcile(
        _ sources: [SourceSettings], authorities: @autoclosure () -> [String: Authority]? = nil, at now: Date
    ) throws(StoreError) {
        try transaction { writer in
            try writer.reconcile(sources)
            if try writer.connection.isAuthorityPending(), let authorities = authorities() {
                var upgrade = try AuthorityUpgrade(writer, authorities, at: now.milliseconds)
                try upgrade.run()
            }
            try writer.connection.run(
                "UPDATE source SET due_reason = ?, next_due_ms = NULL WHERE due_reason = ?",
                DueReason.reconnect.rawValue, DueReason.stream.rawValue)
            try writer.noteReconciled(at: now)
        }
    }

    /// The number of events by source that `truncate` would remove under these settings; changes nothing. As in
    /// `TruncationResult.events` an event counts for the first of its sources by name. Throws `StoreError`.
    /// - Parameters:
    ///   - now: A trusted wall time.
    ///   - sources: The settings; a stored source that is not among them keeps its stored `max_age`.
    public func truncationForecast(asOf now: Date, under sources: [SourceSettings]) throws(StoreError) -> [String: Int]
    {
        let ages = Dictionary(
            sources.map { ($0.name, $0.maxAge.milliseconds) }, uniquingKeysWith: { first, _ in first })
        return try read { connection in
            try Expired(at: now.milliseconds, on: connection).counts(keeping: ages)
        }
    }

    /// All sources sorted by name, including those no longer configured. Adds the refused items by reason, issues, the
    /// paid reads of the last month that has any, the use of the budget, and the remark of the last poll. Throws
    /// `StoreError`.
    public func sources() throws(StoreError) -> [SourceRecord] {
        try read { connection -> [SourceRecord] in
            var records = try SourceRecord.all(on: connection)
            let places = Dictionary(
                records.indices.map { (records[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
            /// Adds the rows of a query whose first column names the source.
            func add(_ sql: String, _ body: (_ record: inout SourceRecord, _ row: Statement) -> Void) throws {
                let find = try connection.prepare(sql)
                while try find.step() {
                    if let place = places[find.string(0)] { body(&records[place], find) }
                }
            }
            try add(
                """
                SELECT s.name, r.reason, r.items, iif(r.attempt = s.answered, r.last_items, 0)
                FROM refusal r JOIN source s ON s.id = r.source_id
                """
            ) { record, row in
                let (reason, last) = (row.string(1), Int(row.int64(3)))
                record.refused[reason] = Int(row.int64(2))
                if last > 0 { record.lastRefused[reason] = last }
            }
            try add(
                """
                SELECT s.name, i.code, i.items, i.sample
                FROM issue i JOIN source s ON s.id = i.source_id WHERE i.attempt = s.answered
                """
            ) { record, row in
                record.issues[row.string(1)] = IssueCount(items: Int(row.int64(2)), sample: row.string(3))
            }
            // The columns beside max() are those of its row (<https://www.sqlite.org/lang_select.html#bareagg>).
            try add(
                "SELECT s.name, p.reads, max(p.month) FROM spend p JOIN source s ON s.id = p.source_id GROUP BY s.id"
            ) { record, row in
                record.paidReads = Int(row.int64(1))
            }
            try add(
                """
                SELECT s.name, c.provider, c.items, (
                  SELECT group_concat(h.name, ', ') FROM sender_binding b JOIN source h ON h.provider = b.identity
                  WHERE b.sender = c.provider)
                FROM unproved_claim c JOIN source s ON s.id = c.source_id
                """
            ) { record, row in
                record.unproved[row.string(1)] = UnprovedClaim(items: Int(row.int64(2)), holders: row.text(3))
            }
            try add("SELECT s.name, \(SourceUse.columns) FROM source_use u JOIN source s ON s.id = u.source_id") {
                record, row in
                record.use = SourceUse(row: row, from: 1)
            }
            for place in records.indices {
                records[place].remark = try connection.value(of: Meta.remark(on: records[place].name))
            }
            return records
        }
    }

    /// The number of stored events that a source first showed at `since` or later; 0 for an unknown source. Throws
    /// `StoreError`.
    public func arrivals(of source: String, since: Date) throws(StoreError) -> Int {
        try read { connection in
            let count = try connection.firstInt64(
                """
                SELECT count(*) FROM link
                WHERE source_id = (SELECT id FROM source WHERE name = ?) AND first_seen_ms >= ?
                """, source, since.milliseconds)
            return Int(count ?? 0)
        }
    }

    /// Turns the full-text index on or off: indexes all events, or empties the index. Throws `StoreError`.
    /// - Returns: Whether this was a change. Indexing a million events takes about ten seconds.
    @discardableResult
    public func setFullText(_ isOn: Bool) throws(StoreError) -> Bool {
        try transaction { writer in
            guard writer.keepsFullText != isOn else { return false }
            if isOn {
                try EventWords.build(on: writer.connection)
            } else {
                try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('delete-all')")
            }
            try writer.connection.set(Meta.fullText, to: isOn)
            return true
        }
    }

    /// Keeps the first 64 KiB of a body that could not be used; replaces the source's last one.
    /// - Throws: `StoreError`; `unknownSource` if the source is not stored.
    public func keepFailedBody(source name: String, url: String, at: Date, failure: Failure, body: Data)
        throws(StoreError)
    {
        try transaction { writer in
            let source = try StoredSource(named: name, on: writer.connection)
            var failure = failure
            failure.excerpt = nil
            try writer.connection.run(
                "INSERT OR REPLACE INTO failed_body (source_id, url, at_ms, failure, body) VALUES (?, ?, ?, ?, ?)",
                source.id, url.withoutQuery, at.milliseconds, StoredJSON.encoded(failure), Data(body.prefix(64 << 10)))
        }
    }

    /// The source's last body that could not be used; nil if there is none, or no such source. Throws `StoreError`.
    public func failedBody(source name: String) throws(StoreError) -> FailedBody? {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT b.url, b.at_ms, b.failure, b.body FROM failed_body b JOIN source s ON s.id = b.source_id
                WHERE s.name = ?
                """, name)
            let unreadable = Failure(.feed, "unknown", "the reason can no longer be read")
            return try find.first {
                FailedBody(
                    url: $0.string(0), at: Date(milliseconds: $0.int64(1)),
                    failure: StoredJSON.decoded(Failure.self, from: $0.text(2)) ?? unreadable, body: $0.data(3))
            }
        }
    }
}

extension Writer {
    /// Upserts the configured sources and disables all others, whose issues and refused items go. A source with a longer
    /// `max_age` is renewed.
    func reconcile(_ sources: [SourceSettings]) throws {
        try connection.run("UPDATE source SET is_enabled = 0 WHERE is_enabled")
        let upsert = """
            INSERT INTO source (name, kind, provider, is_enabled, max_age_ms) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, provider = excluded.provider,
              is_enabled = excluded.is_enabled, max_age_ms = excluded.max_age_ms,
              moved_from = iif(provider = excluded.provider, moved_from, NULL),
              moved_to = iif(provider = excluded.provider, moved_to, NULL),
              home = iif(provider = excluded.provider, home, NULL),
              home_until = iif(provider = excluded.provider, home_until, (SELECT coalesce(max(id), 0) FROM event))
            """
        let budget = """
            INSERT INTO source_use (source_id, most_rows, most_bytes, most_daily_rows, most_daily_bytes)
            SELECT id, ?2, ?3, ?4, ?5 FROM source WHERE name = ?1
            ON CONFLICT (source_id) DO UPDATE SET most_rows = excluded.most_rows, most_bytes = excluded.most_bytes,
              most_daily_rows = excluded.most_daily_rows, most_daily_bytes = excluded.most_daily_bytes
            """
        for source in sources {
            let age = source.maxAge.milliseconds
            let kept = try connection.firstInt64(
                "SELECT id FROM source WHERE name = ? AND max_age_ms < ?", source.name, age)
            // What was refused as expired may be wanted now.
            if let kept { try renew(kept) }
            try connection.run(upsert, source.name, source.kind, source.identity, source.isEnabled, age)
            let (total, daily) = (source.budget.total, source.budget.daily)
            try connection.run(budget, source.name, total.rows, total.bytes, daily.rows, daily.bytes)
        }
        let names = try StoredJSON.encoded(sources.map(\.name))
        for table in ["issue", "refused_item"] {
            try connection.run(
                """
                DELETE FROM \(table) WHERE source_id NOT IN (
                  SELECT id FROM source WHERE name IN (SELECT value FROM json_each(?)))
                """, names)
        }
    }

    /// Has a source ask without validators and state at its next poll, once. Paid reads are not made again.
    func renew(_ id: Int64) throws {
        for sql in [
            """
            UPDATE source SET fingerprint = 'renewed'
            WHERE id = ? AND NOT EXISTS (SELECT 1 FROM spend WHERE source_id = source.id)
            """,
            "DELETE FROM validator WHERE source_id = ?",
            // A snapshot of the same time counts again.
            "UPDATE coverage SET fingerprint = '' WHERE source_id = ?",
        ] { try connection.run(sql, id) }
    }
}
