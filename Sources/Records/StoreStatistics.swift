public import Foundation

/// Counts and sizes for `status`, of one snapshot.
public struct StoreStatistics: Sendable, Hashable {
    /// All events, including withdrawn ones; 0 or more.
    public var events = 0
    /// Withdrawn events among `events`.
    public var withdrawn = 0
    /// Events with a coordinate, withdrawn ones included.
    public var located = 0
    /// Events that wait for a place: not looked up yet, or with a question for a service.
    public var waiting = 0
    /// The size of the database in bytes (pages times page size).
    public var databaseBytes: Int64 = 0
    /// The size of the write-ahead log in bytes; 0 without one.
    public var walBytes: Int64 = 0
    /// The schema version of the file (`PRAGMA user_version`), 1 or more.
    public var schemaVersion = 0
    /// When a truncation run last finished its deletions; nil before the first.
    public var lastTruncation: Date?

    /// Creates statistics of zeros.
    package init() {}
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
        (self.events, self.shown, self.polls, self.changes) = (events, shown, polls, changes)
    }
}
