public import Foundation
public import Model
import SQLite

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
    /// Brings the stored sources into line with the configuration, at a start.
    ///
    /// Streams that were open when the program last ended are so no more: their `dueReason` becomes `reconnect`, without
    /// a due time.
    ///
    /// Sources that are no longer configured are disabled; their events, state and `max_age` stay, so that their events
    /// go on expiring as promised. A source whose identity changed forgets where its old URL had moved to.
    public func reconcile(_ sources: [SourceSettings], at now: Date) throws(StoreError) {
        try transaction { writer in
            try writer.reconcile(sources)
            try writer.connection.run(
                "UPDATE source SET due_reason = ?, next_due_ms = NULL WHERE due_reason = ?",
                DueReason.reconnect.rawValue, DueReason.stream.rawValue)
            try writer.noteReconciled(at: now)
        }
    }

    /// What `truncate` would remove under these settings, by source; nothing is changed.
    /// - Parameter now: a wall time that is trusted.
    public func truncationForecast(asOf now: Date, under sources: [SourceSettings]) throws(StoreError) -> [String: Int]
    {
        let ages = Dictionary(
            sources.map { ($0.name, $0.maxAge.milliseconds) }, uniquingKeysWith: { first, _ in first })
        return try read { connection in
            try Expired(at: now.milliseconds, on: connection).counts(keeping: ages)
        }
    }

    /// All sources by name, also those no longer configured, with refusals by reason, the paid reads of the last month in
    /// which there were any, and what the documents of the last poll held in place of events.
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
                records[index].remark = try EventStore.value(MetaKey.remark(on: records[index].name), connection)
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
            upsert.bind(try StoredJSON.encoded(failure))
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
            let failure = StoredJSON.decoded(Failure.self, from: find.text(2))
            return FailedBody(
                url: find.string(0), at: Date(milliseconds: find.int64(1)),
                failure: failure ?? Failure(.feed, "unknown", "the reason can no longer be read"), body: find.data(3))
        }
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
