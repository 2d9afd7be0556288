import Foundation
public import Model
import SQLite

extension EventStore {
    /// The matching events, in the query's order and at most `query.limit`; empty: none matches. All are in memory at
    /// once.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - withErased: Whether events come whose words their provider has deleted, as by default.
    /// - Throws: `StoreError`; `noFullText` if the query has words but the database has no index for them.
    public func events(_ query: EventQuery, withErased: Bool = true) throws(StoreError) -> [StoredEvent] {
        try read { connection in
            let found = try Self.handles(of: query, withErased: withErased, countingTo: nil, connection).handles
            return try Self.events(of: found[...], atMost: .max, connection).events
        }
    }

    /// The event of a public id, withdrawn or not; nil if there is none. The former id of a merged event finds it,
    /// too. Throws `StoreError`.
    public func event(publicID: String) throws(StoreError) -> StoredEvent? {
        // One snapshot: between two, a merge could take the row away.
        try read { connection -> StoredEvent? in
            guard let row = try connection.firstInt64(Self.rowOfPublicID, publicID) else { return nil }
            return try Self.events(of: [EventHandle(row)], atMost: .max, connection).events.first
        }
    }

    /// The handles of the matching events, for `events(of:atMost:)`, in the query's order and at most `query.limit`; and
    /// the number of all that match whatever the query's limit. Finding and counting are one walk.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - withErased: Whether events come whose words their provider has deleted, as by default.
    ///   - most: The most events that are counted; nil, the default: they are not.
    /// - Returns: The handles; the number is nil where it is above `most`.
    /// - Throws: `StoreError` as `events`.
    public func handles(
        of query: EventQuery, withErased: Bool = true, countingTo most: Int? = nil
    ) throws(StoreError) -> (handles: [EventHandle], matched: Int?) {
        try read { try Self.handles(of: query, withErased: withErased, countingTo: most, $0) }
    }

    private static func handles(
        of query: EventQuery, withErased: Bool, countingTo most: Int?, _ connection: Connection
    ) throws -> (handles: [EventHandle], matched: Int?) {
        try Self.check(query, connection)
        var wide = query
        if let most, let limit = query.limit { wide.limit = max(limit, most + 1) }
        let conditions = query.conditions(withErased: withErased)
        let find = try wide.sql("e.id", conditions: conditions).prepare(on: connection)
        var found = try find.map { EventHandle($0.int64(0)) }
        let matched = most.flatMap { found.count > $0 ? nil : found.count }
        if let limit = query.limit { found.removeLast(max(0, found.count - max(0, limit))) }
        if query.isReversed { found.reverse() }
        return (found, matched)
    }

    /// The events of the first of these handles, in their order; those that are gone are left out.
    /// - Parameters:
    ///   - handles: As `handles(of:)` has found them.
    ///   - bytes: The size of the events' texts at which reading ends; at least one event is read.
    /// - Returns: The events, and of how many handles they are.
    /// - Throws: `StoreError`.
    public func events(
        of handles: ArraySlice<EventHandle>, atMost bytes: Int
    ) throws(StoreError) -> (events: [StoredEvent], read: Int) {
        try read { try Self.events(of: handles, atMost: bytes, $0) }
    }

    private static func events(
        of handles: ArraySlice<EventHandle>, atMost bytes: Int, _ connection: Connection
    ) throws -> (events: [StoredEvent], read: Int) {
        let load = try connection.prepare("SELECT \(StoredEvent.columns) FROM event e WHERE e.id = ?")
        var events: [StoredEvent] = []
        var left = bytes
        for (index, handle) in handles.enumerated() {
            guard left > 0 else { return (events, index) }
            load.bind(handle.number)
            guard let event = try load.first({ StoredEvent(row: $0) }) else { continue }
            events.append(event)
            left -= event.textBytes
        }
        return (events, handles.count)
    }

    /// The key and the magnitude of an event; nil if it is gone. Throws `StoreError`.
    public func place(of event: EventHandle) throws(StoreError) -> (key: EventQuery.Key, magnitude: Double?)? {
        try read { connection -> (key: EventQuery.Key, magnitude: Double?)? in
            let find = try connection.prepare(
                "SELECT time_ms, public_id, id, magnitude FROM event WHERE id = ?", event.number)
            return try find.first { Self.place($0) }
        }
    }

    /// Reads `time_ms`, `public_id`, `id`, `magnitude`.
    private static func place(_ row: Statement) -> (key: EventQuery.Key, magnitude: Double?) {
        let key = EventQuery.Key(
            time: Date(milliseconds: row.int64(0)), publicID: row.string(1), handle: EventHandle(row.int64(2)))
        return (key, row.double(3))
    }

    /// The key of an event with its handle, or without one if the event has been truncated meanwhile. Throws `StoreError`.
    public func key(of event: StoredEvent) throws(StoreError) -> EventQuery.Key {
        var key = EventQuery.Key(event)
        key.handle = try read { try key.foundRow(on: $0) }.map { EventHandle($0) }
        return key
    }

    /// The key of the matching event that has `count` others before it in the query's order, with its magnitude; nil if
    /// no more than `count` match. The query must have no keys; its limit is ignored.
    ///
    /// Walks over those before it, of which it keeps no more than the keys. Throws `StoreError` as `events`.
    public func key(after count: Int, of query: EventQuery) throws(StoreError) -> (
        key: EventQuery.Key, magnitude: Double?
    )? {
        try read { connection -> (key: EventQuery.Key, magnitude: Double?)? in
            try Self.check(query, connection)
            var query = query
            query.limit = nil
            var sql = query.sql("e.time_ms, e.public_id, e.id, e.magnitude")
            sql.sql += " LIMIT 1 OFFSET ?"
            sql.values.append(count)
            return try sql.prepare(on: connection).first { Self.place($0) }
        }
    }

    /// Calls `body` with each matching event, one at a time; its error ends the walk.
    ///
    /// Nothing is being read while `body` runs. The events are found first (8 bytes each), then read in batches of a
    /// thousand. So an event comes as it is when its batch is read; one that is gone by then is left out, and unless
    /// the query includes withdrawn events, so is one that has been withdrawn.
    /// - Throws: the error of `body`, or `StoreError` as `events`.
    public func forEach(_ query: EventQuery, _ body: (StoredEvent) throws -> Void) throws {
        let found = try handles(of: query).handles
        for start in stride(from: 0, to: found.count, by: 1000) {
            let events = try read { connection in
                try Self.events(of: found[start..<min(start + 1000, found.count)], atMost: .max, connection).events
            }
            for event in events where query.withdrawn != .exclude || event.withdrawal == nil { try body(event) }
        }
    }

    /// The authors of the matching events, the one with most events first, equal ones by their newest event. Ignores
    /// the query's order and limit.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - limit: The most authors returned, 100 by default; below 1: none.
    /// - Throws: `StoreError` as `events`.
    public func authors(_ query: EventQuery, limit: Int = 100) throws(StoreError) -> [AuthorCount] {
        try read { connection in
            try Self.check(query, connection)
            let find = try query.authorsSQL(limit: max(0, limit)).prepare(on: connection)
            return try find.map {
                AuthorCount(
                    name: $0.string(0), link: $0.text(1), events: Int($0.int64(2)),
                    latest: Date(milliseconds: $0.int64(3)))
            }
        }
    }

    // MARK: - Figures and values

    /// The number of the last change, even if it is no longer kept; 0 before the first. It is a cursor for
    /// `ChangeFeed.next`. Throws `StoreError`.
    public func lastChange() throws(StoreError) -> Int64 {
        try read { try EventStore.lastChange($0) }
    }

    /// The last change with its time, where that is still kept. Throws `StoreError`.
    public func lastMark() throws(StoreError) -> ChangeMark {
        try read { connection -> ChangeMark in
            let find = try connection.prepare("SELECT seq, at_ms FROM change ORDER BY seq DESC LIMIT 1")
            let last = try find.first { ChangeMark(number: $0.int64(0), milliseconds: $0.int64(1)) }
            return try last ?? ChangeMark(number: EventStore.lastChange(connection))
        }
    }

    /// Counts and sizes for `status`, of one snapshot. Throws `StoreError`.
    public func statistics() throws(StoreError) -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.walBytes = DatabasePath.size(of: path + "-wal")
        return try read { connection in
            func count(_ sql: String) throws -> Int { Int(try connection.firstInt64(sql) ?? 0) }
            statistics.events = try count("SELECT count(*) FROM event")
            statistics.withdrawn = try count("SELECT count(*) FROM event WHERE withdrawn_reason IS NOT NULL")
            statistics.located = try count(EventStore.locatedEvents)
            statistics.waiting = try count(QueueSQL.newEvents) + count(QueueSQL.askedEvents)
            let pages = try connection.firstInt64("PRAGMA page_count") ?? 0
            statistics.databaseBytes = try pages * (connection.firstInt64("PRAGMA page_size") ?? 0)
            statistics.schemaVersion = try count("PRAGMA user_version")
            statistics.lastTruncation = try connection.value(of: Meta.lastTruncation)
            return statistics
        }
    }

    /// Counts without reading rows: an event without a place waits for one, was withdrawn, or has had it taken away.
    private static let locatedEvents = """
        SELECT (SELECT count(*) FROM event) - (SELECT count(*) FROM geocode_queue)
          - (SELECT count(*) FROM event WHERE withdrawn_reason IS NOT NULL AND latitude IS NULL)
          - (SELECT count(*) FROM place_correction c CROSS JOIN event e ON e.public_id = c.public_id
             WHERE c.latitude IS NULL AND c.gone_ms IS NULL AND e.withdrawn_reason IS NULL)
        """

    /// The categories of stored events, withdrawn ones included, in alphabetical order. Throws `StoreError`.
    public func categories() throws(StoreError) -> [String] { try values(of: "category", in: "event") }

    /// The providers of stored events and of their other upstream ids, in alphabetical order. Throws `StoreError`.
    public func providers() throws(StoreError) -> [String] { try values(of: "provider", in: "upstream_id") }

    /// The public ids of the events to which a provider gives this id, in the order of `providers`; empty: none. One
    /// index look-up for each provider. Throws `StoreError`.
    public func publicIDs(ofUpstreamID id: String) throws(StoreError) -> [String] {
        let providers = try providers()
        return try read { connection -> [String] in
            let find = try connection.prepare(EventStore.eventOfUpstreamID)
            var ids: [String] = []
            for provider in providers {
                find.bind(provider)
                find.bind(id)
                ids += try find.map { $0.string(0) }.filter { !ids.contains($0) }
            }
            return ids
        }
    }

    static let eventOfUpstreamID = """
        SELECT e.public_id FROM upstream_id u JOIN event e ON e.id = u.event_id
        WHERE u.provider = ? AND u.upstream_id = ?
        """

    /// The distinct values of an index's first column, sorted; one index look-up each.
    private func values(of column: String, in table: String) throws(StoreError) -> [String] {
        try read { connection in
            let find = try connection.prepare(
                """
                WITH RECURSIVE found (value) AS (
                  SELECT min(\(column)) FROM \(table)
                  UNION ALL
                  SELECT (SELECT min(\(column)) FROM \(table) WHERE \(column) > value) FROM found WHERE value IS NOT NULL)
                SELECT value FROM found WHERE value IS NOT NULL
                """)
            return try find.map { $0.string(0) }
        }
    }

    // MARK: - Shared

    /// SQLite's query plan of the matching events, one line a step.
    func plan(of query: EventQuery) throws(StoreError) -> [String] { try plan(of: query.sql(StoredEvent.columns)) }

    /// SQLite's query plan, one line a step.
    func plan(of query: SQLQuery) throws(StoreError) -> [String] {
        try read { connection in
            let explain = try query.prepare(on: connection, prefix: "EXPLAIN QUERY PLAN ")
            return try explain.map { $0.string(3) }
        }
    }

    static func check(_ query: EventQuery, _ connection: Connection) throws {
        if query.text != nil, try !connection.keepsFullText() {
            throw StoreError(
                .noFullText, "Words cannot be looked for, since full_text is false in the daemon's configuration")
        }
    }

    static func lastChange(_ connection: Connection) throws -> Int64 {
        try connection.firstInt64("SELECT seq FROM sqlite_sequence WHERE name = 'change'") ?? 0
    }
}
