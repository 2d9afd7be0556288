import Foundation
public import Model
import Reconciling
import SQLite

extension EventStore {
    /// Everything kept of one event, withdrawn or not, read in one snapshot; nil if there is none. The former public
    /// id of a merged event finds it, too. Throws `StoreError`.
    public func details(of publicID: String) throws(StoreError) -> EventDetails? {
        try read { connection -> EventDetails? in
            guard let id = try connection.firstInt64(Self.rowOfPublicID, publicID) else { return nil }
            return try connection.details(ofRow: id)
        }
    }

    /// Selects the row of the event ?1, or of the event into which it was merged.
    static let rowOfPublicID = """
        SELECT id FROM event WHERE public_id = ?1
        UNION ALL SELECT event_id FROM merged_event WHERE public_id = ?1 LIMIT 1
        """

    /// The last kept change of a public id, which may have no event any more; nil if none is kept. Throws
    /// `StoreError`.
    public func lastChange(of publicID: String) throws(StoreError) -> EventChange? {
        try read { connection -> EventChange? in
            let find = try connection.prepare(
                "SELECT seq, kind, at_ms FROM change WHERE public_id = ? ORDER BY seq DESC LIMIT 1", publicID)
            return try find.first { row in
                EventChange.Kind(rawValue: row.string(1)).map {
                    EventChange(
                        sequence: row.int64(0), kind: $0, publicID: publicID, at: Date(milliseconds: row.int64(2)))
                }
            }
        }
    }
}

extension Connection {
    /// Everything kept of the event in a row; nil if there is none.
    func details(ofRow id: Int64) throws -> EventDetails? {
        let load = try prepare("SELECT id, \(EventRow.columns) FROM event WHERE id = ?", id)
        guard let row = try load.first({ EventRow(row: $0) }) else { return nil }
        var details = EventDetails(stored: StoredEvent(row))
        details.upstreamIDs = try texts(
            "SELECT upstream_id FROM upstream_id WHERE event_id = ? ORDER BY upstream_id", id)
        details.stored.event.aliases = details.upstreamIDs.filter { $0 != row.upstreamID }
        details.mergedIDs = try texts("SELECT public_id FROM merged_event WHERE event_id = ? ORDER BY public_id", id)
        details.sources = try sightings(of: id)
        details.stored.sources = details.sources.map(\.source).sorted()
        details.history = try revisions(of: id)
        if row.location == nil { details.search = try search(for: id) }
        details.correction = try correction(of: row.publicID)
        return details
    }

    private func texts(_ sql: String, _ id: Int64) throws -> [String] {
        try prepare(sql, id).map { $0.string(0) }
    }

    private func sightings(of id: Int64) throws -> [EventDetails.Sighting] {
        let find = try prepare(
            """
            SELECT s.name, l.first_seen_ms, l.missing_since_ms FROM link l JOIN source s ON s.id = l.source_id
            WHERE l.event_id = ? ORDER BY l.first_seen_ms, s.name
            """, id)
        return try find.map {
            EventDetails.Sighting(
                source: $0.string(0), firstSeen: Date(milliseconds: $0.int64(1)), missingSince: $0.date(2))
        }
    }

    private func revisions(of id: Int64) throws -> [EventDetails.Revision] {
        let find = try prepare(
            """
            SELECT h.revision, h.at_ms, s.name, h.previous FROM history h LEFT JOIN source s ON s.id = h.source_id
            WHERE h.event_id = ? ORDER BY h.revision
            """, id)
        return try find.map {
            EventDetails.Revision(
                revision: Int($0.int64(0)), at: Date(milliseconds: $0.int64(1)), source: $0.text(2),
                previous: $0.string(3))
        }
    }

    private func correction(of publicID: String) throws -> EventDetails.Correction? {
        let find = try prepare(
            "SELECT made_by, made_ms FROM place_correction WHERE public_id = ? AND gone_ms IS NULL", publicID)
        return try find.first {
            EventDetails.Correction(user: $0.string(0), at: Date(milliseconds: $0.int64(1)))
        }
    }

    /// The columns of `unlocated_v1`. The view cannot be read here: it calls `json_object`, which SQLite refuses in a
    /// schema that is not trusted (`ReadBounds`).
    private func search(for id: Int64) throws -> EventDetails.Search? {
        let find = try prepare(
            """
            SELECT iif(j.state = 'unresolved', j.state, q.state), q.enqueued_ms, coalesce(q.place_text, e.place),
              iif(j.state = 'unresolved', 'no configured service knows the place', q.reason)
            FROM geocode_queue q JOIN event e ON e.id = q.event_id LEFT JOIN geocode_job j ON j.id = q.job_id
            WHERE q.event_id = ?
            """, id)
        let found = try find.first {
            EventDetails.Search(
                state: $0.string(0), since: Date(milliseconds: $0.int64(1)), placeText: $0.text(2), reason: $0.text(3))
        }
        guard var search = found else { return nil }
        let misses = try prepare(
            """
            SELECT c.provider, c.reason, c.stored_ms, c.expires_ms
            FROM geocode_queue q JOIN geocode_job j ON j.id = q.job_id JOIN place_cache c ON c.key = j.key
            WHERE q.event_id = ? AND c.answer IS NULL ORDER BY c.provider
            """, id)
        search.misses = try misses.map {
            EventDetails.Search.Miss(
                provider: $0.string(0), reason: $0.string(1), at: Date(milliseconds: $0.int64(2)),
                until: Date(milliseconds: $0.int64(3)))
        }
        return search
    }
}
