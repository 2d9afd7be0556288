public import Model

/// Changes after a cursor.
public struct ChangePage: Sendable, Hashable {
    /// The changes, oldest first.
    public var changes: [EventChange]
    /// The cursor for the next page.
    public var next: Int64
    /// Whether more changes wait right now.
    public var hasMore: Bool
}
