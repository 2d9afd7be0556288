public import Foundation
import Model
import SQLite

extension EventStore {
    /// Counts by indexes alone: 0.1 s for a million events. Throws `StoreError`.
    public func counters() throws(StoreError) -> StoreCounters {
        try read { connection in
            var counters = StoreCounters(changes: try EventStore.lastChange(connection))
            counters.events = try connection.prepare("SELECT category, count(*) FROM event GROUP BY category")
                .dictionary { ($0.string(0), Int($0.int64(1))) }
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

    /// Counts the queue for `status`, in one snapshot. Throws `StoreError`.
    /// - Parameter now: Wall time, by which answers expire.
    public func queueStatistics(at now: Date) throws(StoreError) -> QueueStatistics {
        try read { connection in
            func count(_ sql: String) throws -> Int { Int(try connection.firstInt64(sql) ?? 0) }
            var statistics = QueueStatistics()
            statistics.new = try count(QueueSQL.newEvents)
            statistics.asked = try count(QueueSQL.askedEvents)
            statistics.jobs = try count(QueueSQL.waitingJobs)
            statistics.unresolved =
                try count("SELECT count(*) FROM geocode_queue") - statistics.new - statistics.asked
            statistics.kept = try connection.prepare(QueueSQL.keptAnswers, now.milliseconds).dictionary { row in
                GeocodeProvider(rawValue: row.string(0)).map {
                    ($0, QueueStatistics.Kept(places: Int(row.int64(1)), misses: Int(row.int64(2))))
                }
            }
            return statistics
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
            try writer.connection.set(Meta.renewed, to: times)
        }
    }
}

extension Writer {
    /// Records that all settings were applied; at the first start also that the record begins.
    func noteReconciled(at now: Date) throws {
        try connection.set(Meta.reconciled, to: now)
        if try connection.value(of: Meta.numberedSince) == nil {
            let oldest = try connection.firstInt64(EventStore.oldestChangeTime)
            try connection.set(Meta.numberedSince, to: oldest.map { Date(milliseconds: $0) } ?? now)
        }
        try connection.set(Meta.renewed, to: nil)
    }
}
