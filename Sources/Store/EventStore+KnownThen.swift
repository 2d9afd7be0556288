public import Foundation
import Model
import Reconciling
import SQLite

extension EventStore {
    /// The number of the last change committed at or before a moment of wall time; 0: none.
    ///
    /// After a step of the clock back it is the greatest of the numbers. For a moment before the changes that are kept
    /// it is that of the last change of an event which has not changed since. Walks back from the newest change, which
    /// takes about 50 ms for a million, or through the index of the events' changes. Throws `StoreError`.
    public func change(at moment: Date) throws(StoreError) -> Int64 {
        try read { connection in
            for sql in [Self.changeAtMoment, Self.unloggedChangeAtMoment] {
                if let found = try connection.firstInt64(sql, moment.milliseconds) { return found }
            }
            return 0
        }
    }

    /// Selects the time of the oldest change kept.
    static let oldestChangeTime = "SELECT at_ms FROM change ORDER BY seq LIMIT 1"

    private static let changeAtMoment = "SELECT seq FROM change WHERE at_ms <= ? ORDER BY seq DESC LIMIT 1"

    static let unloggedChangeAtMoment = """
        SELECT change_seq FROM event INDEXED BY event_changed WHERE last_changed_ms <= ?
          AND change_seq < (SELECT coalesce(min(seq), 9223372036854775807) FROM change)
        ORDER BY change_seq DESC LIMIT 1
        """

    /// The matching events as they were known after a change, in the query's order and at most `query.limit`; empty:
    /// none matched then.
    ///
    /// Conditions, keys and order apply to the states of then, but sources and aliases are the present ones. Events
    /// that have been truncated since are missing (`completeness`), and erased ones are absent at every moment. Of the
    /// events that have changed since, each is read.
    /// - Parameters:
    ///   - query: Selects the events.
    ///   - change: The number of the change; the newest or a later one gives the present state.
    /// - Throws: `StoreError`; `noFullText` if the query has words but the database has no index for them.
    public func events(_ query: EventQuery, knownAt change: Int64) throws(StoreError) -> [EventVersion] {
        try events(query, knownAt: change, atMost: .max).events
    }

    /// The first of these events.
    /// - Parameter bytes: The most bytes of their texts; one event comes in any case.
    /// - Returns: The events, and whether some are missing because of their bytes.
    public func events(
        _ query: EventQuery, knownAt change: Int64, atMost bytes: Int
    ) throws(StoreError) -> (events: [EventVersion], isCut: Bool) {
        try read { connection in
            try Self.check(query, connection)
            return try KnownThen(change, on: connection).events(query, atMost: bytes)
        }
    }

    /// The event of a public id as it was known after a change; nil if it was not there yet, was part of another one
    /// already, has been erased or truncated since, or has never been. Throws `StoreError`.
    public func event(_ publicID: String, knownAt change: Int64) throws(StoreError) -> EventVersion? {
        try read { try Self.event(publicID, knownAt: change, $0) }
    }

    static func event(_ publicID: String, knownAt change: Int64, _ connection: Connection) throws -> EventVersion? {
        var query = EventQuery()
        query.publicIDs = [publicID]
        query.withdrawn = .include
        return try KnownThen(change, on: connection).events(query, atMost: .max).events.first
    }

    /// How far back the record of then is whole, for each stored source, in the order of their names. Throws
    /// `StoreError`.
    ///
    /// It begins with the database: at its first start, or at the last change before schema 7, since changes had no
    /// numbers then. Truncation removes events below the source's horizon, and a reset may remove all of them.
    public func completeness() throws(StoreError) -> [SourceCompleteness] {
        try read { connection in
            // Only the next start of the daemon adds the value to a file that lacks it.
            let began =
                try connection.value(of: Meta.numberedSince)?.milliseconds
                ?? connection.firstInt64(Self.oldestChangeTime) ?? 0
            let find = try connection.prepare("SELECT name, horizon_ms FROM source ORDER BY name")
            return try find.map {
                let reset = try connection.lastEmptied($0.string(0))
                let from = max(began, reset.at, $0.optionalInt64(1) ?? 0)
                return SourceCompleteness(
                    name: $0.string(0), completeFrom: Date(milliseconds: from), resetChange: reset.change)
            }
        }
    }
}

/// Reads events as they were known after a change, within one read of the database.
private struct KnownThen {
    private struct Found {
        var known: EventVersion
        var position: EventQuery.Position
    }

    private let change: Int64
    private let connection: Connection
    private let past: PastVersions

    init(_ change: Int64, on connection: Connection) throws {
        self.change = change
        self.connection = connection
        past = try PastVersions(connection)
    }

    func events(_ query: EventQuery, atMost bytes: Int) throws -> (events: [EventVersion], isCut: Bool) {
        let bounds = (
            older: try query.olderThan.map { try position(of: $0, orElse: .max) },
            newer: try query.newerThan.map { try position(of: $0, orElse: 0) }
        )
        func isBetweenKeys(_ position: EventQuery.Position) -> Bool {
            if let older = bounds.older, !position.isOlder(than: older) { return false }
            if let newer = bounds.newer, !newer.isOlder(than: position) { return false }
            return true
        }
        let matching = EventMatcher(query)
        let limit = query.limit.map { max(0, $0) }
        var (found, held, isCut) = ([Found](), 0, false)
        /// Keeps the first in the order, as many as limit and bytes allow.
        func sort() {
            found.sort { query.puts($0.position, before: $1.position) }
            if let limit, found.count > limit {
                let surplus = found.count - limit
                if query.isReversed { found.removeFirst(surplus) } else { found.removeLast(surplus) }
            }
            held = 0
            // What comes after the cut now is after it for ever, since only more can come before.
            for index in query.isReversed ? Array(found.indices.reversed()) : Array(found.indices) {
                let size = found[index].known.stored.textBytes
                if held > 0, held + size > bytes {
                    isCut = true
                    found.removeSubrange(query.isReversed ? 0...index : index...(found.count - 1))
                    return
                }
                held += size
            }
        }
        func add(_ known: EventVersion, at position: EventQuery.Position) {
            found.append(Found(known: known, position: position))
            held += known.stored.textBytes
            if held / 2 >= bytes { return sort() }
            if let limit, found.count >= 2 * limit + 4096 { sort() }
        }
        func add(_ known: EventVersion?, row: Int64) {
            guard let known, matching.matches(known.stored) else { return }
            let position = EventQuery.Position(known.stored, row: row)
            if isBetweenKeys(position) { add(known, at: position) }
        }
        try forEachUnchanged(query) { add($0, at: EventQuery.Position($0.stored, row: $1)) }
        try forEachChanged(query, add)
        try forEachMerged(query, add)
        sort()
        return (found.map(\.known), isCut)
    }

    private func position(of key: EventQuery.Key, orElse row: Int64) throws -> EventQuery.Position {
        EventQuery.Position(time: key.time.milliseconds, row: try key.foundRow(on: connection) ?? row)
    }

    /// Passes on the events whose state of then is the present one. The sign keeps SQLite on the indexes of the query.
    private func forEachUnchanged(_ query: EventQuery, _ body: (EventVersion, _ row: Int64) throws -> Void) throws {
        let conditions = ["+e.change_seq <= \(change)", "e.is_erased = 0"]
        let find = try query.sql(StoredEvent.columns, conditions: conditions).prepare(on: connection)
        while try find.step() { try body(EventVersion(stored: StoredEvent(row: find)), find.int64(0)) }
    }

    /// Passes on the earlier states of events that have changed since.
    private func forEachChanged(_ query: EventQuery, _ body: (EventVersion?, _ row: Int64) throws -> Void) throws {
        var condition = "e.change_seq > ? AND e.first_seq <= ? AND e.is_erased = 0"
        if !query.publicIDs.isEmpty {
            let marks = query.publicIDs.map { _ in "?" }.joined(separator: ", ")
            condition = "+" + condition + " AND e.public_id IN (\(marks))"
        }
        let find = try connection.prepare(
            "SELECT \(StoredEvent.columns) FROM event e WHERE \(condition)", change, change)
        for id in query.publicIDs { find.bind(id) }
        while try find.step() {
            let (row, first) = (find.int64(0), find.int64(EventRow.firstSequenceColumn))
            let versions = try past.versions(
                of: StoredEvent(row: find), first: first, row: row, downTo: change)
            try body(known(versions), row)
        }
    }

    /// Passes on the states of events that have been merged since. A merge has two numbers: the first is that of the
    /// event that goes.
    private func forEachMerged(_ query: EventQuery, _ body: (EventVersion?, _ row: Int64) throws -> Void) throws {
        var condition = " AND h.seq - 1 > ?1"
        if query.publicIDs.isEmpty {
            condition += " AND h.seq > ?1"
        } else {
            let marks = query.publicIDs.map { _ in "?" }.joined(separator: ", ")
            condition += " AND h.merged_id IN (\(marks))"
        }
        let find = try connection.prepare(MergedEvent.select + condition, change)
        for id in query.publicIDs { find.bind(id) }
        while try find.step() {
            let merged = MergedEvent(row: find)
            guard merged.first <= change else { continue }
            try body(known(merged.versions(past, downTo: change)), merged.id)
        }
    }

    private func known(_ versions: [EventVersion]) -> EventVersion? {
        versions.first { $0.stored.changeSequence <= change }?.judged(after: change)
    }
}

/// An event that was merged into another one, in its last state.
struct MergedEvent {
    /// The former row.
    var id: Int64
    /// The last state, with the sources and the aliases of the other event.
    var stored: StoredEvent
    /// The number of its first change; 0: not known.
    var first: Int64
    /// The row of the other event, and its revision that tells of the merge.
    var into: (row: Int64, revision: Int64)
    /// When it was merged.
    var at: Date

    /// The merged events that can be shown. `h` is the table `history`; the columns of `StoredEvent` come first.
    static let select = """
        SELECT \(StoredEvent.columns), h.merged, h.revision, h.at_ms, json_extract(h.merged, '$.id'),
          json_extract(h.merged, '$.first_seq')
        FROM history h CROSS JOIN event e ON e.id = h.event_id
        WHERE h.merged IS NOT NULL AND e.is_erased = 0
        """

    init(row: Statement) {
        let end = StoredEvent.end
        stored = StoredEvent(row: row).rolledBack(row.string(end))
        into = (row.int64(0), row.int64(end + 1))
        at = Date(milliseconds: row.int64(end + 2))
        (id, first) = (row.int64(end + 3), row.int64(end + 4))
    }

    func versions(_ past: PastVersions, downTo change: Int64 = .min) throws -> [EventVersion] {
        try past.versions(
            of: stored, first: first, row: into.row, owner: stored.publicID, top: into.revision - 1, until: at,
            downTo: change)
    }
}

extension EventQuery.Position {
    init(_ event: StoredEvent, row: Int64) {
        self.init(
            time: (event.event.time ?? event.firstSeen).milliseconds, row: row, magnitude: event.event.magnitude,
            change: event.changeSequence)
    }
}

extension EventQuery {
    /// A place in the order by time.
    struct Position {
        /// The event's time in milliseconds since 1970.
        var time: Int64
        var row: Int64
        var magnitude: Double?
        /// The number of the last change; 0: not known.
        var change: Int64 = 0

        /// Whether it comes after the other one where the newest comes first.
        func isOlder(than other: Position) -> Bool { (time, row) < (other.time, other.row) }
    }

    /// Whether the results have the first position before the second one.
    func puts(_ one: Position, before other: Position) -> Bool {
        switch order {
        case .newestFirst: return other.isOlder(than: one)
        case .oldestFirst: return one.isOlder(than: other)
        case .largestFirst, .smallestFirst:
            let (one, other) = order == .largestFirst ? (one, other) : (other, one)
            let (first, second) = (one.magnitude ?? -.infinity, other.magnitude ?? -.infinity)
            return first == second ? other.isOlder(than: one) : first > second
        case .latestChangeFirst: return one.change > other.change
        }
    }
}
