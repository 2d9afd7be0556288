import Foundation
import Model
import Reconciling
import SQLite

// Withdraws events that complete snapshots no longer list. An event is withdrawn only if it is missing from every
// enabled source whose last snapshot covers its time. If many would go at once, a second, newer snapshot must confirm
// it.
extension Ingestion {
    /// The stored facts of the source's last snapshot.
    func lastSnapshot(of provider: String) throws -> LastSnapshot? {
        let find = try connection.prepare(
            """
            SELECT generated_ms, fingerprint, settled_fingerprint, from_ms, to_ms FROM coverage
            WHERE source_id = ? AND provider = ?
            """)
        find.bind(source.id)
        find.bind(provider)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return LastSnapshot(
            generated: find.int64(0), fingerprint: find.string(1), settledFingerprint: find.string(2),
            from: find.optionalInt64(3), to: find.optionalInt64(4))
    }

    /// Stores the snapshot's coverage and withdraws the events missing from it.
    func judge(_ coverage: Coverage, after last: LastSnapshot?) throws {
        let snapshot = LastSnapshot(coverage, after: last, under: fingerprint, isWaiting: isWaiting)
        try keep(snapshot, of: coverage.provider)
        guard let window = coverage.window else { return }
        var inside = 0
        var missing: [(id: Int64, since: Int64?)] = []
        let scan = try connection.prepare(
            """
            SELECT event_id, missing_since_ms FROM link
            WHERE source_id = ? AND time_ms BETWEEN ? AND ? AND is_promised = 1
            """)
        scan.bind(source.id)
        scan.bind(window.lowerBound.milliseconds)
        scan.bind(window.upperBound.milliseconds)
        while try scan.step() {
            inside += 1
            let id = scan.int64(0)
            if shown[id] == nil { missing.append((id, scan.optionalInt64(1))) }
        }
        guard !missing.isEmpty else { return }
        guard !LastSnapshot.isBaseline(after: last, under: fingerprint) else {
            return try forget(missing.map(\.id))
        }

        var absence = Absence(coverage, of: source.id, inside: inside)
        for (id, since) in missing {
            let note = try absence.judge(
                load(id), since: since, names: { try names(of: id) },
                links: { try links(of: id, by: coverage.provider) })
            switch note {
            case .keep: break
            case .set: try setMissing(id, since: coverage.generated.milliseconds)
            case .clear: try setMissing(id, since: nil)
            }
        }
        for (old, since) in absence.proved {
            var row = old
            row.withdraw(by: absence.withdrawal(from: source.name, since: Date(milliseconds: since).rfc3339))
            try withdraw(&row, replacing: old)
            try renewLinks(of: row.id)
        }
    }

    /// Extends the source's coverage to the oldest listed event, until the next snapshot. Needed where no absence is
    /// judged: at the old end of a window, and for a document that is incomplete or was made under an untrusted clock.
    func cover(_ events: [Event]) throws {
        guard let oldest = events.lazy.compactMap(\.time).min() else { return }
        try connection.run(
            "UPDATE coverage SET from_ms = ?2 WHERE source_id = ?1 AND from_ms > ?2", source.id, oldest.milliseconds)
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
        try connection.run("UPDATE link SET seen_hash = ?2 WHERE event_id = ?1", id, ContentHash.ofNothing)
    }

    private func keep(_ snapshot: LastSnapshot, of provider: String) throws {
        try connection.run(
            """
            INSERT INTO coverage (source_id, provider, generated_ms, fingerprint, settled_fingerprint, from_ms, to_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (source_id, provider) DO UPDATE SET generated_ms = excluded.generated_ms,
              fingerprint = excluded.fingerprint, settled_fingerprint = excluded.settled_fingerprint,
              from_ms = excluded.from_ms, to_ms = excluded.to_ms
            """, source.id, provider, snapshot.generated, snapshot.fingerprint, snapshot.settledFingerprint,
            snapshot.from, snapshot.to)
    }

    private func setMissing(_ id: Int64, since: Int64?) throws {
        try connection.run(
            "UPDATE link SET missing_since_ms = ? WHERE event_id = ? AND source_id = ?", since, id, source.id)
    }

    /// How the sources that cover the event's provider show it.
    private func links(of id: Int64, by provider: String) throws -> [Absence.Link] {
        let find = try connection.prepare(
            """
            SELECT l.source_id, s.is_enabled, l.is_promised, l.missing_since_ms, c.from_ms
            FROM link l JOIN source s ON s.id = l.source_id
              JOIN coverage c ON c.source_id = l.source_id AND c.provider = ?
            WHERE l.event_id = ?
            """)
        find.bind(provider)
        find.bind(id)
        var links: [Absence.Link] = []
        while try find.step() {
            links.append(
                Absence.Link(
                    source: find.int64(0), isEnabled: find.int64(1) != 0, isPromised: find.int64(2) != 0,
                    missingSince: find.optionalInt64(3), coveredFrom: find.optionalInt64(4)))
        }
        return links
    }
}
