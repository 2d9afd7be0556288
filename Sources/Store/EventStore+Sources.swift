public import Foundation
public import Model

/// The last body of a source that could not be used.
public struct FailedBody: Sendable, Hashable {
    /// Where it came from, without query.
    public var url: String
    /// When.
    public var at: Date
    /// Why it could not be used.
    public var failure: Failure
    /// Its first 64 KiB.
    public var body: Data
}

extension EventStore {
    /// Brings the stored sources into line with the configuration.
    ///
    /// Sources that are no longer configured are disabled; their events, state and `max_age` stay, so that their events
    /// go on expiring as promised. A source whose identity changed forgets where its old URL had moved to.
    public func reconcile(_ sources: [SourceSettings], at now: Date) throws(StoreError) {
        try transaction { writer in
            try writer.reconcile(sources)
            try writer.noteReconciled(at: now)
        }
    }

    /// What `truncate` would remove under these settings, by source; nothing is changed.
    /// - Parameter now: a wall time known to be sound.
    public func truncationForecast(asOf now: Date, under sources: [SourceSettings]) throws(StoreError) -> [String: Int]
    {
        var counts: [String: Int]?
        do throws(StoreError) {
            try transaction { writer in
                try writer.reconcile(sources)
                counts = try EventStore.expired(asOf: now, on: writer.connection)
                throw StoreError(.other, "The transaction was for counting only")  // rolls it back
            }
        } catch {
            guard counts != nil else { throw error }
        }
        return counts ?? [:]
    }

    /// All sources by name, also those no longer configured, with refusals by reason and the paid reads of the last
    /// month in which there were any.
    public func sources() throws(StoreError) -> [SourceRecord] {
        try read { connection in
            var records = try SourceRecord.all(on: connection)
            let refusals = try connection.prepare(
                "SELECT r.reason, r.items FROM refusal r JOIN source s ON s.id = r.source_id WHERE s.name = ?")
            let spend = try connection.prepare(
                """
                SELECT p.reads FROM spend p JOIN source s ON s.id = p.source_id WHERE s.name = ?
                ORDER BY p.month DESC LIMIT 1
                """)
            for index in records.indices {
                refusals.bind(records[index].name)
                while try refusals.step() { records[index].refused[refusals.string(0)] = Int(refusals.int64(1)) }
                spend.bind(records[index].name)
                records[index].paidReads = Int(try spend.firstInt64() ?? 0)
            }
            return records
        }
    }

    /// How many events a source has shown for the first time since a time, those that have gone since left out.
    public func arrivals(of source: String, since: Date) throws(StoreError) -> Int {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT count(*) FROM link
                WHERE source_id = (SELECT id FROM source WHERE name = ?) AND first_seen_ms >= ?
                """)
            find.bind(source)
            find.bind(since.milliseconds)
            return Int(try find.firstInt64() ?? 0)
        }
    }

    /// Forgets what a source knows of its feed: state, work list, validators, snapshots, failures, refusals, due time.
    ///
    /// With `includingEvents` its links go too, and the events that no other source shows. Horizon and tombstones stay,
    /// so what has been truncated does not come back. Money spent stays counted. Returns the number of events removed.
    public func reset(source name: String, includingEvents: Bool) throws(StoreError) -> Int {
        let source = try transaction { writer in
            let connection = writer.connection
            let source = try StoredSource(named: name, on: connection)
            for sql in [
                """
                UPDATE source SET state = NULL, work = NULL, next_due_ms = NULL, due_reason = NULL, attempts = 0,
                  last_attempt_ms = NULL, last_success_ms = NULL, last_new_ms = NULL, failures = 0,
                  failing_since_ms = NULL, last_failure = NULL, last_failure_ms = NULL, partial_failures = NULL,
                  moved_from = NULL, moved_to = NULL, requested_interval_ms = NULL
                WHERE id = ?
                """,
                "DELETE FROM validator WHERE source_id = ?", "DELETE FROM coverage WHERE source_id = ?",
                "DELETE FROM refusal WHERE source_id = ?", "DELETE FROM failed_body WHERE source_id = ?",
            ] {
                let statement = try connection.prepare(sql)
                statement.bind(source.id)
                try statement.run()
            }
            return source
        }
        guard includingEvents else { return 0 }
        var removed = 0
        while let count = try transaction({ try $0.removeSomeEvents(of: source) }) { removed += count }
        return removed
    }

    /// Switches the full-text index on or off: what is stored is indexed, or the index emptied.
    /// - Returns: Whether that was a change; to index a million events takes some ten seconds.
    @discardableResult
    public func setFullText(_ isOn: Bool) throws(StoreError) -> Bool {
        try transaction { writer in
            guard writer.keepsFullText != isOn else { return false }
            let command = isOn ? "rebuild" : "delete-all"
            try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('\(command)')")
            try writer.setMeta(MetaKey.fullText, isOn ? "1" : "0")
            return true
        }
    }

    /// Keeps the first 64 KiB of a body that could not be used, in place of the last one of that source.
    public func keepFailedBody(source name: String, url: String, at: Date, failure: Failure, body: Data)
        throws(StoreError)
    {
        try transaction { writer in
            let source = try StoredSource(named: name, on: writer.connection)
            var failure = failure
            failure.excerpt = nil
            let upsert = try writer.connection.prepare(
                "INSERT OR REPLACE INTO failed_body (source_id, url, at_ms, failure, body) VALUES (?, ?, ?, ?, ?)")
            upsert.bind(source.id)
            upsert.bind(url.withoutQuery)
            upsert.bind(at.milliseconds)
            upsert.bind(try JSONText.encoded(failure))
            upsert.bind(Data(body.prefix(64 << 10)))
            try upsert.run()
        }
    }

    /// The last body of the source that could not be used; nil when there is none.
    public func failedBody(source name: String) throws(StoreError) -> FailedBody? {
        try read { connection in
            let find = try connection.prepare(
                """
                SELECT b.url, b.at_ms, b.failure, b.body FROM failed_body b JOIN source s ON s.id = b.source_id
                WHERE s.name = ?
                """)
            find.bind(name)
            guard try find.step() else { return nil }
            let failure = JSONText.decoded(Failure.self, from: find.text(2))
            return FailedBody(
                url: find.string(0), at: Date(milliseconds: find.int64(1)),
                failure: failure ?? Failure(.feed, "unknown", "the reason can no longer be read"), body: find.data(3))
        }
    }
}

extension Writer {
    /// Removes up to 5 000 links of the source, and their events where it was the only one; nil when none are left.
    ///
    /// The more they are, the fewer times a page is changed; so many take half a second.
    fileprivate func removeSomeEvents(of source: StoredSource) throws -> Int? {
        let find = try connection.prepare(
            """
            SELECT event_id, NOT EXISTS (SELECT 1 FROM link o WHERE o.event_id = l.event_id AND o.source_id <> ?1)
            FROM link l WHERE source_id = ?1 LIMIT 5000
            """)
        find.bind(source.id)
        var events: [(id: Int64, isOnly: Bool)] = []
        while try find.step() { events.append((find.int64(0), find.int64(1) != 0)) }
        guard !events.isEmpty else { return nil }
        // A reset has no time of its own; its changes carry the last one's.
        let now = try connection.firstInt64("SELECT at_ms FROM change ORDER BY seq DESC LIMIT 1") ?? 0
        let unlink = try connection.prepare("DELETE FROM link WHERE event_id = ? AND source_id = ?")
        let removal = try EventRemoval(self)
        var removed = 0
        for event in events {
            unlink.bind(event.id)
            unlink.bind(source.id)
            try unlink.run()
            guard event.isOnly else { continue }
            try removal.remove(event.id, at: now)
            removed += 1
        }
        return removed
    }
}

extension Writer {
    /// Brings the sources' rows in step with the configuration.
    func reconcile(_ sources: [SourceSettings]) throws {
        try connection.run("UPDATE source SET is_enabled = 0 WHERE is_enabled")
        let upsert = try connection.prepare(
            """
            INSERT INTO source (name, kind, provider, is_enabled, max_age_ms) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, provider = excluded.provider,
              is_enabled = excluded.is_enabled, max_age_ms = excluded.max_age_ms,
              moved_from = iif(provider = excluded.provider, moved_from, NULL),
              moved_to = iif(provider = excluded.provider, moved_to, NULL)
            """)
        for source in sources {
            upsert.bind(source.name)
            upsert.bind(source.kind)
            upsert.bind(source.identity)
            upsert.bind(source.isEnabled)
            upsert.bind(source.maxAge.milliseconds)
            try upsert.run()
        }
    }
}
