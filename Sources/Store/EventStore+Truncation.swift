public import Foundation
import Model

/// What truncation did, or would do.
public struct TruncationResult: Sendable, Hashable {
    /// Events removed, by one of the sources that showed them (the alphabetically first).
    public var events: [String: Int] = [:]
    /// Tombstones left for events that would come back past the horizon.
    public var tombstones = 0
    /// Entries pruned from the change log.
    public var changes = 0
    /// Whether everything expired has been dealt with; false when `willContinue` ended it early.
    public var isComplete = true

    /// Events removed in all.
    public var total: Int { events.values.reduce(0, +) }

    /// Creates an empty result.
    public init() {}
}

extension EventStore {
    /// Expired events by source.
    static func expired(asOf now: Date, on connection: Connection) throws -> [String: Int] {
        try Expired(at: now.milliseconds, on: connection).counts()
    }
}

/// Bounds of truncation, in milliseconds where they are times.
enum Truncation {
    static let day: Int64 = 86_400_000
    /// Age of events without any source.
    static let orphanAge: Int64 = 72 * 3_600_000
    /// Expired rows gathered at a time, which bounds memory.
    static let gathered = 50_000
    static let keptChanges: Int64 = 1_000_000
    static let keptChangesAge = 30 * day
    static let keptWithdrawals = 90 * day
    static let keptTombstones = 30 * day
    static let keptValidators = 30 * day
    static let keptAnswers = 1_000_000
    static let keptUsage = 400 * day
}

extension EventStore {
    /// Removes events that are older than every one of their sources says they are kept.
    ///
    /// First each source's horizon moves to `now` less its `max_age` (never back), so what goes does not come back.
    /// Then expired events go, oldest rows first, `batch` of them a transaction; between two transactions other writes
    /// get their turn and `willContinue` is asked. At the end old changes, withdrawals, tombstones, validators and
    /// answers of geocoding services are pruned, free pages returned and the WAL checkpointed.
    /// - Parameters:
    ///   - now: a wall time known to be sound; ages count back from it.
    ///   - batch: events a transaction; a thousand hold the writer for about 0.1 s.
    public func truncate(
        asOf now: Date, batch: Int = 500, willContinue: () -> Bool = { true }
    ) throws(StoreError) -> TruncationResult {
        precondition(batch > 0)
        let now = now.milliseconds
        var result = TruncationResult()
        try transaction { writer in
            let update = try writer.connection.prepare(
                "UPDATE source SET horizon_ms = max(coalesce(horizon_ms, ?1 - max_age_ms), ?1 - max_age_ms)")
            update.bind(now)
            try update.run()
        }
        var from = Int64.min
        while true {
            let (rows, next) = try read { try Expired(at: now, on: $0).rows(from: from) }
            for start in stride(from: 0, to: rows.count, by: batch) {
                guard willContinue() else {
                    result.isComplete = false
                    return result
                }
                let some = rows[start..<min(start + batch, rows.count)]
                try transaction { writer in try writer.truncate(some, at: now, into: &result) }
            }
            guard let next else { break }
            from = next
        }
        result.changes = try pruneChanges(at: now, willContinue: willContinue)
        try pruneAnswers(at: now, willContinue: willContinue)
        try prune(at: now)
        try reclaim()
        return result
    }

    /// Keeps the newest million changes of the last thirty days.
    private func pruneChanges(at now: Int64, willContinue: () -> Bool) throws(StoreError) -> Int {
        let bounds: (oldest: Int64, cutoff: Int64)? = try read { connection in
            guard let oldest = try connection.firstInt64("SELECT min(seq) FROM change"),
                let newest = try connection.firstInt64("SELECT max(seq) FROM change")
            else { return nil }
            let find = try connection.prepare("SELECT seq FROM change WHERE at_ms >= ? ORDER BY seq LIMIT 1")
            find.bind(now - Truncation.keptChangesAge)
            let recent = try find.firstInt64() ?? newest + 1
            return (oldest: oldest, cutoff: max(recent, newest + 1 - Truncation.keptChanges))
        }
        guard let bounds, bounds.oldest < bounds.cutoff else { return 0 }
        var (pruned, upTo) = (0, bounds.oldest)
        while upTo < bounds.cutoff, willContinue() {
            upTo = min(upTo + 5000, bounds.cutoff)
            let oldest = upTo
            pruned += try transaction { writer in
                let count = try writer.connection.prepare("SELECT count(*) FROM change WHERE seq < ?")
                count.bind(oldest)
                let some = Int(try count.firstInt64() ?? 0)
                let delete = try writer.connection.prepare("DELETE FROM change WHERE seq < ?")
                delete.bind(oldest)
                try delete.run()
                try writer.setMeta(MetaKey.oldestChange, "\(oldest)")
                return some
            }
        }
        return pruned
    }

    /// Forgets services' answers that have expired, and beyond a million those that would expire first.
    private func pruneAnswers(at now: Int64, willContinue: () -> Bool) throws(StoreError) {
        let limit = try read { connection in
            let surplus = "SELECT expires_ms FROM place_cache ORDER BY expires_ms DESC LIMIT 1 OFFSET "
            return max(now, try connection.firstInt64(surplus + "\(Truncation.keptAnswers)") ?? now)
        }
        var mayBeMore = true
        while mayBeMore, willContinue() {
            mayBeMore = try transaction { writer in
                let delete = try writer.connection.prepare(QueueSQL.deleteAnswers)
                delete.bind(limit)
                delete.bind(1000)
                try delete.run()
                return try writer.connection.firstInt64("SELECT changes()") == 1000
            }
        }
    }

    /// Forgets what only events long gone could need.
    private func prune(at now: Int64) throws(StoreError) {
        try transaction { writer in
            for (sql, limit) in [
                ("DELETE FROM withdrawal WHERE at_ms < ?", now - Truncation.keptWithdrawals),
                ("DELETE FROM provider_usage WHERE last_ms < ?", now - Truncation.keptUsage),
                // A feed that has been answering for thirty days without listing it has let it go; one that only says
                // "not modified" may still hold it, for at most thirteen months.
                (
                    """
                    DELETE FROM tombstone WHERE listed_ms < ? OR listed_ms < -\(Truncation.keptTombstones)
                      + coalesce((SELECT last_answer_ms FROM source s WHERE s.id = source_id), 0)
                    """, now - 400 * Truncation.day
                ),
                (
                    """
                    DELETE FROM validator WHERE stored_ms < ? AND url NOT IN (
                      SELECT v.url FROM validator v WHERE v.source_id = validator.source_id
                      ORDER BY v.stored_ms DESC LIMIT 100)
                    """, now - Truncation.keptValidators
                ),
            ] {
                let delete = try writer.connection.prepare(sql)
                delete.bind(limit)
                try delete.run()
            }
            try writer.setMeta(MetaKey.lastTruncation, "\(now)")
        }
    }

    /// Gives pages back, and cleans index segments and WAL of words that a provider deleted.
    private func reclaim() throws(StoreError) {
        let mustClean = try value(MetaKey.erasurePending) == "1"
        if mustClean {
            try transaction { writer in
                if writer.keepsFullText {
                    try writer.connection.run("INSERT INTO event_text (event_text) VALUES ('optimize')")
                }
                try writer.setMeta(MetaKey.erasurePending, "0")
            }
        }
        try maintain { connection in
            try connection.run("PRAGMA incremental_vacuum(200)")
            // A reader in its way only postpones it.
            try? connection.checkpoint(truncating: mustClean)
        }
    }
}

/// Finds expired events by the horizons as they will be at `now`.
private struct Expired {
    let connection: Connection
    let now: Int64

    init(at now: Int64, on connection: Connection) {
        self.connection = connection
        self.now = now
    }

    /// An event stays while one of its sources keeps it; one without sources is kept 72 h. Events that came under a
    /// doubtful clock wait until it has been found right.
    private static let condition = """
        e.first_seen_is_provisional = 0
          AND CASE WHEN EXISTS (SELECT 1 FROM link l WHERE l.event_id = e.id) THEN NOT EXISTS (
            SELECT 1 FROM link l JOIN source s ON s.id = l.source_id
            WHERE l.event_id = e.id
              AND e.age_base_ms >= max(coalesce(s.horizon_ms, ?1 - s.max_age_ms), ?1 - s.max_age_ms))
          ELSE e.age_base_ms < ?2 END
        """

    private func bind(_ statement: Statement) {
        statement.bind(now)
        statement.bind(now - Truncation.orphanAge)
    }

    /// Up to 50 000 expired rows whose age counts from `from` or later, sorted by row; and where to go on, if there may
    /// be more.
    func rows(from: Int64) throws -> (rows: [Int64], next: Int64?) {
        let find = try connection.prepare(
            """
            SELECT e.id, e.age_base_ms FROM event e INDEXED BY event_age
            WHERE e.age_base_ms >= ?3 AND e.age_base_ms < ?4 AND \(Expired.condition)
            ORDER BY e.age_base_ms LIMIT ?5
            """)
        bind(find)
        find.bind(from)
        find.bind(try newestHorizon())
        find.bind(Truncation.gathered)
        var (rows, last) = ([Int64](), from)
        while try find.step() {
            rows.append(find.int64(0))
            last = find.int64(1)
        }
        let next = rows.count < Truncation.gathered ? nil : last
        rows.sort()
        return (rows, next)
    }

    /// Expired events by source.
    func counts() throws -> [String: Int] {
        let find = try connection.prepare(
            """
            SELECT coalesce((SELECT min(s.name) FROM link l JOIN source s ON s.id = l.source_id
              WHERE l.event_id = e.id), ''), count(*)
            FROM event e INDEXED BY event_age WHERE e.age_base_ms < ?3 AND \(Expired.condition) GROUP BY 1
            """)
        bind(find)
        find.bind(try newestHorizon())
        var counts: [String: Int] = [:]
        while try find.step() { counts[find.string(0)] = Int(find.int64(1)) }
        return counts
    }

    /// Nothing younger than this can have expired.
    private func newestHorizon() throws -> Int64 {
        let find = try connection.prepare(
            "SELECT max(max(coalesce(horizon_ms, ?1 - max_age_ms), ?1 - max_age_ms)) FROM source")
        find.bind(now)
        return max(try find.firstInt64() ?? Int64.min, now - Truncation.orphanAge)
    }
}

extension Writer {
    /// Removes expired rows, leaving tombstones for those that would pass the door again.
    fileprivate func truncate(_ rows: ArraySlice<Int64>, at now: Int64, into result: inout TruncationResult) throws {
        let removal = try EventRemoval(self)
        // The horizon of the source that kept it longest decides whether it would come back.
        let find = try connection.prepare(
            """
            SELECT e.time_source = 'feed', e.time_ms, s.name, s.id, s.horizon_ms
            FROM event e LEFT JOIN link l ON l.event_id = e.id LEFT JOIN source s ON s.id = l.source_id
            WHERE e.id = ? ORDER BY s.name
            """)
        let bury = try connection.prepare(
            """
            INSERT OR REPLACE INTO tombstone (provider, upstream_id, source_id, listed_ms)
            SELECT provider, upstream_id, ?2, ?3 FROM upstream_id WHERE event_id = ?1
            """)
        var tombstones = 0
        for id in rows {
            find.bind(id)
            var (source, name): (Int64?, String?) = (nil, nil)
            var (isFound, wouldReturn) = (false, false)
            while try find.step() {
                isFound = true
                if name == nil { name = find.text(2) }
                guard let candidate = find.optionalInt64(3) else { continue }
                if find.int64(0) == 0 || find.int64(1) >= find.int64(4) { (source, wouldReturn) = (candidate, true) }
            }
            guard isFound else { continue }
            if wouldReturn, let source {
                bury.bind(id)
                bury.bind(source)
                bury.bind(try stamp(now, isClockSound: false))
                try bury.run()
                tombstones += 1
            }
            try removal.remove(id, at: now)
            result.events[name ?? "", default: 0] += 1
        }
        result.tombstones += tombstones
    }
}
