public import Foundation

/// Counts and sizes for `status`.
public struct StoreStatistics: Sendable, Hashable {
    /// All events, withdrawn ones included.
    public var events: Int
    /// Withdrawn events.
    public var withdrawn: Int
    /// Events with a coordinate.
    public var located: Int
    /// Events still waiting for a place: not looked up yet, or asked of a service.
    public var waiting: Int
    /// Bytes of the database file.
    public var databaseBytes: Int64
    /// Bytes of the write-ahead log.
    public var walBytes: Int64
    /// Schema version of the file.
    public var schemaVersion: Int
    /// When truncation last came to its end.
    public var lastTruncation: Date?
}
