public import Foundation
import SQLite
public import Telling

/// A row of `deliveries_v1`: a message, or why there is none.
public struct DeliveryRecord: Sendable, Hashable {
    /// The id of the message; nil: none was attempted.
    public var id: String?
    public var target: String
    /// Nil for a digest and for health.
    public var publicID: String?
    public var kind: String
    /// `waiting`, `sending`, `sent`, `digested`, `superseded`, `expired`, `rejected` or `passed_over`.
    public var outcome: String
    /// The word of the last failure, or the status; nil: neither.
    public var code: String?
    /// When it was last attempted, or came to wait, or was passed over (wall time).
    public var at: Date
}

/// How far a watch is at a target.
public struct WatchState: Sendable, Hashable {
    public var watch: String
    /// The id of the target.
    public var target: String
    /// Since when it speaks to the target (wall time).
    public var since: Date
    /// The events that were told, and those that wait.
    public var told = 0
    public var waiting = 0
    /// The events that were passed over, by reason.
    public var passed: [String: Int] = [:]
    /// When the target was last told something by it (wall time); nil: never.
    public var last: Date?
}

/// How a target is.
public struct TargetState: Sendable, Hashable {
    /// The id of the target.
    public var target: String
    /// Its name in the configuration.
    public var name: String
    /// What is wrong with it; `TargetTrouble()`: nothing.
    public var trouble = TargetTrouble()
    /// What has expired in the last day.
    public var expired = 0
    /// What is kept of messages and matches, by outcome.
    public var outcomes: [String: Int] = [:]
    /// What waits.
    public var waiting: Int { outcomes["waiting", default: 0] }

    /// Creates the state of a target to which nothing was sent.
    public init(target: String, name: String) { (self.target, self.name) = (target, name) }
}

extension EventStore {
    /// The latest deliveries, and why there were none, the latest first. Blocks.
    /// - Parameter limit: The most that come, 0 or more.
    /// - Throws: `StoreError`.
    public func deliveries(limit: Int) throws(StoreError) -> [DeliveryRecord] {
        try read { connection in
            try connection.prepare(
                """
                SELECT id, target, public_id, kind, outcome, code, at_ms FROM deliveries_v1 ORDER BY at_ms DESC LIMIT ?
                """, limit
            ).map {
                DeliveryRecord(
                    id: $0.text(0), target: $0.string(1), publicID: $0.text(2), kind: $0.string(3),
                    outcome: $0.string(4), code: $0.text(5), at: Date(milliseconds: $0.int64(6)))
            }
        }
    }

    /// The watches at each target, by name and target. Blocks; throws `StoreError`.
    public func watchStates() throws(StoreError) -> [WatchState] {
        try read { connection in
            var states = try connection.prepare(
                "SELECT watch, target, since_ms FROM watching ORDER BY watch, target"
            ).map { WatchState(watch: $0.string(0), target: $0.string(1), since: Date(milliseconds: $0.int64(2))) }
            for index in states.indices {
                let find = try connection.prepare(
                    """
                    SELECT sum(told IS NOT NULL), sum(kind IS NOT NULL), iif(told IS NULL, passed, NULL), count(*),
                      max(iif(told IS NULL, NULL, last_ms))
                    FROM told WHERE watch = ? AND target = ? GROUP BY 3
                    """, states[index].watch, states[index].target)
                while try find.step() {
                    states[index].told += Int(find.int64(0))
                    states[index].waiting += Int(find.int64(1))
                    if let reason = find.text(2) { states[index].passed[reason] = Int(find.int64(3)) }
                    states[index].last = [states[index].last, find.date(4)].compactMap { $0 }.max()
                }
            }
            return states
        }
    }

    /// The targets of the plan in force, by id. Blocks; throws `StoreError`.
    /// - Parameters:
    ///   - ids: Those that are asked for; nil, the default: all.
    ///   - now: Wall time.
    public func targetStates(of ids: [String]? = nil, at now: Date) throws(StoreError) -> [TargetState] {
        try read { connection in
            var states = try connection.prepare(
                """
                SELECT target, is_gone, retry_ms, failing_since_ms, failure, name,
                  (SELECT count(*) FROM deliveries_v1 d WHERE d.target = s.target AND outcome = 'expired' AND ended_ms > ?)
                FROM told_target s ORDER BY target
                """, now.addingTimeInterval(-86_400).milliseconds
            ).map { row in
                var state = TargetState(target: row.string(0), name: row.string(5))
                state.trouble = TargetTrouble(row: row)
                state.expired = Int(row.int64(6))
                return state
            }
            if let ids { states.removeAll { !ids.contains($0.target) } }
            for index in states.indices {
                states[index].outcomes = try connection.prepare(
                    "SELECT outcome, count(*) FROM deliveries_v1 WHERE target = ? GROUP BY 1", states[index].target
                ).dictionary { ($0.string(0), Int($0.int64(1))) }
            }
            return states
        }
    }
}
