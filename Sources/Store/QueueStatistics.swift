public import Foundation
public import Model
import SQLite

/// Counts of the geocode queue and of the services' kept answers, for `status`.
public struct QueueStatistics: Sendable, Hashable {
    /// The kept answers of one service that have not expired.
    public struct Kept: Sendable, Hashable {
        /// Questions for which the service found a place.
        public var places = 0
        /// Questions for which it answered that there is no such place.
        public var misses = 0

        /// Creates counts with these values; by default of no answers.
        public init(places: Int = 0, misses: Int = 0) {
            self.places = places
            self.misses = misses
        }
    }

    /// Events not looked up in the city table yet.
    public var new = 0
    /// Events whose question waits for a service.
    public var asked = 0
    /// Questions of these events; several events may ask one.
    public var jobs = 0
    /// Events that stay without a place until their texts, the table or the services change.
    public var unresolved = 0
    /// Answers by service; a service without kept answers is left out.
    public var kept: [GeocodeProvider: Kept] = [:]
}

extension EventStore {
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
            let find = try connection.prepare(QueueSQL.keptAnswers)
            find.bind(now.milliseconds)
            while try find.step() {
                guard let provider = GeocodeProvider(rawValue: find.string(0)) else { continue }
                statistics.kept[provider] = QueueStatistics.Kept(
                    places: Int(find.int64(1)), misses: Int(find.int64(2)))
            }
            return statistics
        }
    }
}
