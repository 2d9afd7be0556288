public import Foundation

/// Counts and sizes for `status`, of one snapshot.
public struct StoreStatistics: Sendable, Hashable {
    /// All events, including withdrawn ones; 0 or more.
    public var events: Int
    /// Withdrawn events among `events`.
    public var withdrawn: Int
    /// Events with a coordinate, withdrawn ones included.
    public var located: Int
    /// Events that wait for a place: not looked up yet, or with a question for a service.
    public var waiting: Int
    /// The size of the database in bytes (pages times page size).
    public var databaseBytes: Int64
    /// The size of the write-ahead log in bytes; 0 without one.
    public var walBytes: Int64
    /// The schema version of the file (`PRAGMA user_version`), 1 or more.
    public var schemaVersion: Int
    /// When a truncation run last finished its deletions; nil before the first.
    public var lastTruncation: Date?
}
