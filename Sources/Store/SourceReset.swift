public import Foundation
import Model
import Reconciling
import SQLite

/// A reset of a source in short transactions, between which other writes get their turn.
///
/// The state goes first, then the events, if they are included. So a reset that is cut short is safe: the source asks
/// unconditionally, and removed events come back if the feed still lists them. A repeated reset removes the rest. In
/// the other order validators and `since_id` would outlive their events, which would stay away until the feed changes.
/// The source must not be polled before the reset is complete, because the reset would remove the new events, too.
///
/// The changes carry the time of the reset, or that of the last change where this is later, so that times do not run
/// back within a reset. The record of then of a source whose events are removed begins there
/// (`EventStore.completeness`).
public struct SourceReset: Sendable {
    /// The number of events removed so far; those that other sources show are not counted.
    public private(set) var removed = 0
    /// Whether the reset is complete; a further step would change nothing.
    public private(set) var isComplete = false
    private let name: String
    private let includesEvents: Bool
    private let now: Int64
    private var hasForgottenState = false
    /// Events of the source still to be removed, sorted by row.
    private var found: ArraySlice<Int64> = []
    private var pace = TruncationPace()

    /// Plans a reset; the first step begins it and finds out whether there is such a source.
    /// - Parameters:
    ///   - name: The source's name.
    ///   - includingEvents: Whether to remove the events that no other source shows.
    ///   - now: The wall time of the reset.
    public init(of name: String, includingEvents: Bool, at now: Date) {
        self.name = name
        includesEvents = includingEvents
        self.now = now.milliseconds
    }

    /// Runs the next transaction, about 25 ms, and rests for a quarter of its time. Call it until `isComplete`.
    /// - Throws: `StoreError`: `unknownSource` if there is no such source, or the reason why the store cannot be
    ///   written. The step may be repeated.
    public mutating func step(in store: EventStore) throws(StoreError) { try step(in: store, timing: .live) }

    /// Does the same by another clock, without rests for `Stopwatch.still`.
    package mutating func step(in store: EventStore, timing: Stopwatch) throws(StoreError) {
        guard hasForgottenState else {
            try store.transaction { writer in
                try writer.forgetState(of: name, includingEvents: includesEvents, at: now)
            }
            hasForgottenState = true
            isComplete = !includesEvents
            return
        }
        if found.isEmpty { found = try store.events(linkedTo: name) }
        guard !found.isEmpty else {
            isComplete = true
            return
        }
        let some = found.prefix(pace.rows)
        let (links, took) = try store.transaction(timing: timing) { writer, time in
            try writer.remove(some, of: name, at: now) { time.isUp }
        }
        let (done, gone) = links
        found = found.dropFirst(done)
        removed += gone
        pace.note(done, in: took)
        timing.rest(TruncationPace.rest(after: took))
    }
}

extension EventStore {
    /// Runs all steps of a `SourceReset` at once, for programs without polls; returns the number of events removed.
    /// Blocks.
    ///
    /// A reset forgets the source's home, state, work list, validators, snapshots, failures, issues, refusals, due time
    /// and the day's use of its budget. With `includingEvents` its links go, too, and the events that no other source
    /// shows. Horizon and tombstones stay, so truncated events do not come back. Paid reads stay counted.
    /// - Parameters:
    ///   - name: The source's name.
    ///   - includingEvents: Whether to remove the events that no other source shows.
    ///   - now: The wall time of the reset, as for `SourceReset`.
    /// - Throws: `StoreError` as `SourceReset.step`; a repeated reset does the rest.
    public func reset(source name: String, includingEvents: Bool, at now: Date) throws(StoreError) -> Int {
        var reset = SourceReset(of: name, includingEvents: includingEvents, at: now)
        while !reset.isComplete { try reset.step(in: self) }
        return reset.removed
    }

    /// Some of the source's events, sorted by row, because neighbours share pages.
    fileprivate func events(linkedTo name: String) throws(StoreError) -> ArraySlice<Int64> {
        try read { connection in
            let find = try connection.prepare(
                "SELECT event_id FROM link WHERE source_id = (SELECT id FROM source WHERE name = ?) LIMIT ?", name,
                Truncation.gathered)
            return try find.map { $0.int64(0) }.sorted()[...]
        }
    }
}

extension Writer {
    /// The time of the last new event stays if the events do.
    fileprivate func forgetState(of name: String, includingEvents: Bool, at now: Int64) throws {
        let source = try StoredSource(named: name, on: connection)
        for sql in [
            """
            UPDATE source SET state = NULL, work = NULL, next_due_ms = NULL, due_reason = NULL, attempts = 0,
              failed_polls = 0, poll_ms = 0, received_bytes = 0,
              last_attempt_ms = NULL, last_success_ms = NULL,
              last_new_ms = \(includingEvents ? "NULL" : "last_new_ms"), failures = 0,
              failing_since_ms = NULL, last_failure = NULL, last_failure_ms = NULL, partial_failures = NULL,
              shortfalls = NULL, moved_from = NULL, moved_to = NULL, requested_interval_ms = NULL, answered = NULL,
              home = NULL, home_until = (SELECT coalesce(max(id), 0) FROM event)
            WHERE id = ?
            """,
            "DELETE FROM validator WHERE source_id = ?", "DELETE FROM coverage WHERE source_id = ?",
            "DELETE FROM refusal WHERE source_id = ?", "DELETE FROM unproved_claim WHERE source_id = ?",
            "DELETE FROM failed_body WHERE source_id = ?", "DELETE FROM issue WHERE source_id = ?",
            "DELETE FROM refused_item WHERE source_id = ?",
            "UPDATE source_use SET day_rows = 0, day_bytes = 0, is_waiting = 0 WHERE source_id = ?",
        ] { try connection.run(sql, source.id) }
        try connection.set(Meta.remark(on: name), to: nil)
        if includingEvents { try noteEmptied(name, at: notBeforeLastChange(now)) }
    }

    /// Records that the source's record of then begins with the last change appended.
    private func noteEmptied(_ name: String, at now: Int64) throws {
        try connection.set(Meta.emptied(name), to: (now, lastChange))
    }

    private func notBeforeLastChange(_ now: Int64) throws -> Int64 {
        try Resetting.time(
            now, lastChange: connection.firstInt64("SELECT at_ms FROM change ORDER BY seq DESC LIMIT 1"))
    }

    /// Removes the source's links, and events that no other source shows, until it is late; at least one.
    /// - Returns: The links processed and the events removed.
    fileprivate func remove(
        _ events: ArraySlice<Int64>, of name: String, at now: Int64, until isLate: () -> Bool
    ) throws -> (done: Int, gone: Int) {
        let source = try StoredSource(named: name, on: connection)
        let now = try notBeforeLastChange(now)
        let removal = try EventRemoval(self)
        var (done, gone) = (0, 0)
        for event in events {
            if done > 0, isLate() { break }
            done += 1
            let fate = try Resetting.fate(of: connection.sources(of: event), without: source.id)
            // The link has been removed since it was found.
            if fate == .stays { continue }
            try connection.run("DELETE FROM link WHERE event_id = ? AND source_id = ?", event, source.id)
            guard fate == .goes else { continue }
            try removal.remove(event, at: now)
            gone += 1
        }
        try noteEmptied(name, at: now)
        return (done, gone)
    }
}
