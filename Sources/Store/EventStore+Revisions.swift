public import Foundation
public import Model
import SQLite

extension EventStore {
    /// Calls `body` with each kept revision of the matching events, that stored last first: with all that is kept of its
    /// event, and its number. An error of `body` ends the walk.
    ///
    /// Of the query, keys, order and limit are ignored; its conditions apply to the present state of the events. Erased
    /// events are left out. Nothing is being read while `body` runs: the revisions are found first (16 bytes each), then
    /// their events are read, some at a time.
    /// - Parameters:
    ///   - since: The earliest time at which a revision was stored, inclusive; nil, the default: any.
    ///   - until: The latest, inclusive; nil, the default: any.
    ///   - limit: The most revisions; nil, the default: all.
    /// - Throws: The error of `body`, or `StoreError` as `events`.
    public func forEachRevision(
        of query: EventQuery, since: Date? = nil, until: Date? = nil, limit: Int? = nil,
        _ body: (EventDetails, Int) throws -> Void
    ) throws {
        let found = try read { connection -> [(row: Int64, revision: Int)] in
            try Self.check(query, connection)
            var sql = query.sql("e.id AS id", suffix: "", conditions: ["e.is_erased = 0"])
            sql.sql = """
                SELECT h.event_id, h.revision FROM (\(sql.sql)) m CROSS JOIN history h ON h.event_id = m.id
                WHERE h.at_ms BETWEEN ? AND ? ORDER BY h.at_ms DESC, h.event_id DESC, h.revision DESC LIMIT ?
                """
            sql.values += [since?.milliseconds ?? .min, until?.milliseconds ?? .max] as [any Bindable]
            sql.values.append(limit.map { max(0, $0) } ?? -1)
            let find = try sql.prepare(on: connection)
            return try find.map { (row: $0.int64(0), revision: Int($0.int64(1))) }
        }
        for start in stride(from: 0, to: found.count, by: 100) {
            let some = found[start..<min(start + 100, found.count)]
            let events = try read { connection -> [Int64: EventDetails] in
                var events: [Int64: EventDetails] = [:]
                for (row, _) in some where events[row] == nil { events[row] = try connection.details(ofRow: row) }
                return events
            }
            for (row, revision) in some {
                if let event = events[row] { try body(event, revision) }
            }
        }
    }
}
