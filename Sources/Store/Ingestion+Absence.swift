import Foundation
import Model
import Reconciling
import SQLite

// Withdraws events that complete snapshots no longer list. An event is withdrawn only if it is missing from every
// enabled source whose last snapshot covers its time. If many would go at once, a second, newer snapshot must confirm
// it.
extension Ingestion {
    func lastSnapshot(of provider: String) throws -> LastSnapshot? {
        let find = try connection.prepare(
            "SELECT generated_ms, fingerprint, settled_fingerprint FROM coverage WHERE source_id = ? AND provider = ?")
        find.bind(source.id)
        find.bind(provider)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return LastSnapshot(
            generated: find.int64(0), fingerprint: find.string(1), settledFingerprint: find.string(2))
    }

    /// Stores the snapshot's coverage and withdraws the events missing from it.
    func judge(_ coverage: Coverage, after last: LastSnapshot?) throws {
        let isSameFeed = last.map { $0.settledFingerprint == fingerprint } ?? true
        // After a change of settings, the first complete snapshot settles which events are no longer promised.
        try keep(coverage, settled: isSameFeed || coverage.window != nil)
        guard let window = coverage.window else { return }
        let generated = coverage.generated.milliseconds
        var inside = 0
        var missing: [Int64] = []
        let scan = try connection.prepare(
            "SELECT event_id FROM link WHERE source_id = ? AND time_ms BETWEEN ? AND ? AND is_promised = 1")
        scan.bind(source.id)
        scan.bind(window.lowerBound.milliseconds)
        scan.bind(window.upperBound.milliseconds)
        while try scan.step() {
            inside += 1
            let id = scan.int64(0)
            if shown[id] == nil { missing.append(id) }
        }
        guard !missing.isEmpty else { return }
        guard isSameFeed else { return try forget(missing) }

        let present = Set(coverage.present)
        let findMissing = try connection.prepare(
            "SELECT missing_since_ms FROM link WHERE event_id = ? AND source_id = ?")
        var gone: [(row: EventRow, since: Int64)] = []
        for id in missing {
            guard let row = try load(id), row.provider == coverage.provider else {
                inside -= 1
                continue
            }
            findMissing.bind(id)
            findMissing.bind(source.id)
            let since = try findMissing.firstInt64()
            if try names(of: id).contains(where: { present.contains($0) }) {
                if since != nil { try setMissing(id, since: nil) }
                continue
            }
            if since == nil { try setMissing(id, since: generated) }
            if row.withdrawnReason != nil {
                inside -= 1
            } else if try isMissingEverywhere(row) {
                gone.append((row, since ?? generated))
            }
        }
        let isMass = gone.count > 5 && gone.count * 10 > inside
        for (old, since) in gone where !isMass || since < generated {
            var row = old
            row.withdrawnReason = WithdrawalReason.absent
            row.withdrawnAt = generated
            row.withdrawnEvidence =
                "missing from \(source.name) since \(Date(milliseconds: since).rfc3339); "
                + "it may only have fallen below the feed's threshold"
            try withdraw(&row, replacing: old)
            try renewLinks(of: row.id)
        }
    }

    /// Extends the source's coverage to the oldest listed event, until the next snapshot. Needed where no absence is
    /// judged: at the old end of a window, and for a document that is incomplete or was made under an untrusted clock.
    func cover(_ events: [Event]) throws {
        guard let oldest = events.lazy.compactMap(\.time).min() else { return }
        let update = try connection.prepare("UPDATE coverage SET from_ms = ?2 WHERE source_id = ?1 AND from_ms > ?2")
        update.bind(source.id)
        update.bind(oldest.milliseconds)
        try update.run()
    }

    /// Marks events as no longer promised, so that their absence proves nothing; they stay until they expire.
    private func forget(_ events: [Int64]) throws {
        let update = try connection.prepare(
            "UPDATE link SET is_promised = 0, missing_since_ms = NULL WHERE event_id = ? AND source_id = ?")
        for id in events {
            update.bind(id)
            update.bind(source.id)
            try update.run()
        }
    }

    /// Lets the next listing by any source restore the event, even with unchanged words.
    private func renewLinks(of id: Int64) throws {
        let update = try connection.prepare("UPDATE link SET seen_hash = ?2 WHERE event_id = ?1")
        update.bind(id)
        update.bind(ContentHash.ofNothing)
        try update.run()
    }

    private func keep(_ coverage: Coverage, settled: Bool) throws {
        let upsert = try connection.prepare(
            """
            INSERT INTO coverage (source_id, provider, generated_ms, fingerprint, settled_fingerprint, from_ms, to_ms)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)
            ON CONFLICT (source_id, provider) DO UPDATE SET generated_ms = excluded.generated_ms,
              fingerprint = excluded.fingerprint,
              settled_fingerprint = iif(?7, excluded.settled_fingerprint, settled_fingerprint),
              from_ms = coalesce(excluded.from_ms, from_ms),
              to_ms = coalesce(excluded.to_ms, to_ms)
            """)
        upsert.bind(source.id)
        upsert.bind(coverage.provider)
        // Items that wait come with the same document again.
        upsert.bind(coverage.generated.milliseconds - (isWaiting ? 1 : 0))
        upsert.bind(fingerprint)
        upsert.bind(coverage.window?.lowerBound.milliseconds)
        upsert.bind(coverage.window?.upperBound.milliseconds)
        upsert.bind(settled)
        try upsert.run()
    }

    private func setMissing(_ id: Int64, since: Int64?) throws {
        let update = try connection.prepare(
            "UPDATE link SET missing_since_ms = ? WHERE event_id = ? AND source_id = ?")
        update.bind(since)
        update.bind(id)
        update.bind(source.id)
        try update.run()
    }

    /// Whether the event is missing from every source that covers its time. A source also covers events newer than its
    /// last snapshot, which it may have listed since: in an incomplete document, or under a clock by which no snapshot
    /// could be judged.
    private func isMissingEverywhere(_ row: EventRow) throws -> Bool {
        let find = try connection.prepare(
            """
            SELECT EXISTS (
              SELECT 1 FROM link l JOIN source s ON s.id = l.source_id
                JOIN coverage c ON c.source_id = l.source_id AND c.provider = ?2
              WHERE l.event_id = ?1 AND s.is_enabled AND l.is_promised = 1 AND l.missing_since_ms IS NULL
                AND ?3 >= c.from_ms)
            """)
        find.bind(row.id)
        find.bind(row.provider)
        find.bind(row.time)
        return try find.firstInt64() == 0
    }
}
