/// Counts of the city table's outcomes; together they are the outcomes given.
public struct LocateResult: Sendable, Hashable {
    /// Events that have a place now and have left the queue.
    public var located = 0
    /// Events that wait for a service.
    public var asked = 0
    /// Events whose texts name no place, or no certain one.
    public var unresolved = 0
    /// Outcomes dropped because the event has been revised or no longer waits; `unlocated` returns a revised one again.
    public var stale = 0

    /// Creates a result of zeros.
    public init() {}

    /// Adds the counts of another batch to these.
    public mutating func add(_ other: LocateResult) {
        located += other.located
        asked += other.asked
        unresolved += other.unresolved
        stale += other.stale
    }
}
