public import Foundation
import Model
import SQLite

/// Events and questions without a place, with the age of the oldest. Times are wall times.
public struct QueueAges: Sendable, Hashable {
    /// Events that the city table has not looked at.
    public var newEvents: Int
    /// When the first of them was queued; nil if there is none.
    public var oldestNew: Date?
    /// Questions that wait for a service.
    public var waitingQuestions: Int
    /// When the newest event joined the oldest of these questions; nil if there is none.
    public var oldestQuestion: Date?

    /// Creates ages with these values; by default of an empty queue.
    public init(
        newEvents: Int = 0, oldestNew: Date? = nil, waitingQuestions: Int = 0, oldestQuestion: Date? = nil
    ) {
        self.newEvents = newEvents
        self.oldestNew = oldestNew
        self.waitingQuestions = waitingQuestions
        self.oldestQuestion = oldestQuestion
    }
}

/// Counts for monitoring; a key with the count 0 may be missing.
public struct StoreCounters: Sendable, Hashable {
    /// Stored events by category, including withdrawn ones.
    public var events: [String: Int]
    /// Stored events by the name of each source that has shown them; an event counts once for each source.
    public var shown: [String: Int]
    /// Polls begun since the source was added or reset, by its name; sources no longer configured are included.
    public var polls: [String: Int]
    /// Polls among these that failed, by source.
    public var failedPolls: [String: Int] = [:]
    /// The time that these polls took together, by source; that of an open stream does not count.
    public var pollTime: [String: Duration] = [:]
    /// Bytes that they have received on the wire, by source.
    public var receivedBytes: [String: Int] = [:]
    /// The number of the last change; 0 before the first.
    public var changes: Int64

    /// Creates counters; by default of an empty database.
    public init(
        events: [String: Int] = [:], shown: [String: Int] = [:], polls: [String: Int] = [:], changes: Int64 = 0
    ) {
        self.events = events
        self.shown = shown
        self.polls = polls
        self.changes = changes
    }
}

extension EventStore {
    /// Counts by indexes alone: 0.1 s for a million events. Throws `StoreError`.
    public func counters() throws(StoreError) -> StoreCounters {
        try read { connection in
            var counters = StoreCounters(changes: try EventStore.lastChange(connection))
            let events = try connection.prepare("SELECT category, count(*) FROM event GROUP BY category")
            while try events.step() { counters.events[events.string(0)] = Int(events.int64(1)) }
            let sources = try connection.prepare(
                """
                SELECT name, attempts, (SELECT count(*) FROM link WHERE source_id = source.id), failed_polls, poll_ms,
                  received_bytes
                FROM source
                """)
            while try sources.step() {
                let name = sources.string(0)
                counters.polls[name] = Int(sources.int64(1))
                counters.shown[name] = Int(sources.int64(2))
                counters.failedPolls[name] = Int(sources.int64(3))
                counters.pollTime[name] = .milliseconds(sources.int64(4))
                counters.receivedBytes[name] = Int(sources.int64(5))
            }
            return counters
        }
    }

    /// The sizes and ages of the geocode queue, for `health`. Throws `StoreError`.
    public func queueAges() throws(StoreError) -> QueueAges {
        try read { connection in
            var ages = QueueAges()
            let new = try connection.prepare(QueueSQL.newEventAges)
            while try new.step() { (ages.newEvents, ages.oldestNew) = (Int(new.int64(0)), new.date(1)) }
            let jobs = try connection.prepare(QueueSQL.waitingJobAges)
            while try jobs.step() { (ages.waitingQuestions, ages.oldestQuestion) = (Int(jobs.int64(0)), jobs.date(1)) }
            return ages
        }
    }

    /// Records that the running daemon has applied new settings; throws `StoreError` if that cannot be written.
    /// - Parameters:
    ///   - names: The sources added or changed; nil: all settings were applied; empty: writes nothing.
    ///   - now: Wall time of the change.
    public func noteNewSettings(of names: [String]?, at now: Date) throws(StoreError) {
        guard let names else { return try transaction { try $0.noteReconciled(at: now) } }
        guard !names.isEmpty else { return }
        try transaction { writer in
            let former = try writer.connection.renewals()
            var times: [String: Date] = [:]
            let enabled = try writer.connection.prepare("SELECT name FROM source WHERE is_enabled")
            while try enabled.step() { times[enabled.string(0)] = former[enabled.string(0)] }
            for name in names { times[name] = now }
            try writer.connection.setRenewals(times)
        }
    }
}

extension Writer {
    /// Records that all settings were applied; at the first start also that the record begins.
    func noteReconciled(at now: Date) throws {
        try connection.setReconciled(now)
        if try connection.numberedSince() == nil {
            let oldest = try connection.firstInt64(EventStore.oldestChangeTime)
            try connection.setNumberedSince(oldest.map { Date(milliseconds: $0) } ?? now)
        }
        try connection.setRenewals(nil)
    }
}
