import SQLite

/// Finds expired events by the horizons as of `now`.
///
/// Events are read in the order of their age, some thousands in one read. No read lasts long, since a long one would
/// keep the WAL from restarting.
struct Expired {
    /// An event's position in the order of age.
    struct Position {
        var age: Int64
        var row: Int64

        /// Before all events.
        static let start = Position(age: .min, row: .min)
    }

    /// Events in one read.
    static let step = 20_000

    private let connection: Connection
    private let now: Int64

    init(at now: Int64, on connection: Connection) {
        self.connection = connection
        self.now = now
    }

    /// An event stays while one of its sources keeps it; one without sources stays for 72 h. Events that came under an
    /// untrusted clock wait until it is trusted.
    ///
    /// For an event that stays, only indexes are read.
    private static let condition = """
        e.age_base_ms < coalesce((
            SELECT min(max(coalesce(s.horizon_ms, ?1 - s.max_age_ms), ?1 - s.max_age_ms))
            FROM link l JOIN source s ON s.id = l.source_id WHERE l.event_id = e.id), ?2)
          AND \(isCertain)
        """

    /// The event did not come under a clock that is still untrusted.
    private static let isCertain =
        "NOT EXISTS (SELECT 1 FROM event p WHERE p.id = e.id AND p.first_seen_is_provisional = 1)"

    /// Before this time an event without a source expires.
    private var orphanHorizon: Int64 { now - Truncation.orphanAge }

    /// The expired rows among the next 20 000 events, and the position to continue from; nil at the end.
    func rows(after position: Position) throws -> (rows: [Int64], next: Position?) {
        let find = try connection.prepare(
            """
            SELECT e.age_base_ms, e.id, \(Expired.condition) FROM event e INDEXED BY event_age
            WHERE (e.age_base_ms, e.id) > (?3, ?4) AND e.age_base_ms < ?5
            ORDER BY e.age_base_ms, e.id LIMIT ?6
            """, now, orphanHorizon, position.age, position.row, newestHorizon(), Expired.step)
        var (rows, last, count) = ([Int64](), position, 0)
        while try find.step() {
            last = Position(age: find.int64(0), row: find.int64(1))
            if find.int64(2) != 0 { rows.append(last.row) }
            count += 1
        }
        return (rows, count < Expired.step ? nil : last)
    }

    /// Expired events by source name, under maximum ages in milliseconds by source name; a source left out keeps its
    /// stored one.
    func counts(keeping ages: [String: Int64]) throws -> [String: Int] {
        let find = try connection.prepare(
            """
            WITH kept (id, name, horizon_ms) AS MATERIALIZED (
              SELECT id, name, max(coalesce(horizon_ms, age_ms), age_ms) FROM (
                SELECT id, name, horizon_ms,
                  ?1 - coalesce((SELECT value FROM json_each(?3) WHERE key = source.name), max_age_ms) AS age_ms
                FROM source))
            SELECT coalesce((SELECT min(k.name) FROM link l JOIN kept k ON k.id = l.source_id
              WHERE l.event_id = e.id), ''), count(*)
            FROM event e INDEXED BY event_age
            WHERE e.age_base_ms < max(coalesce((SELECT max(horizon_ms) FROM kept), ?2), ?2)
              AND e.age_base_ms < coalesce((SELECT min(k.horizon_ms) FROM link l JOIN kept k ON k.id = l.source_id
                WHERE l.event_id = e.id), ?2)
              AND \(Expired.isCertain)
            GROUP BY 1
            """, now, orphanHorizon, StoredJSON.encoded(ages))
        return try find.dictionary { ($0.string(0), Int($0.int64(1))) }
    }

    /// No younger event can have expired.
    private func newestHorizon() throws -> Int64 {
        let newest = try connection.firstInt64(
            "SELECT max(max(coalesce(horizon_ms, ?1 - max_age_ms), ?1 - max_age_ms)) FROM source", now)
        return max(newest ?? .min, now - Truncation.orphanAge)
    }
}
