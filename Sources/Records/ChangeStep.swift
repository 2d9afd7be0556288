public import Model

/// A change with the states of its event before and after it.
public struct ChangeStep: Sendable, Hashable {
    /// The change.
    public var change: EventChange
    /// Whether the event ended with this change: it was truncated, merged into another one, or erased by its provider.
    public var isEnd: Bool
    /// Public id of the event into which it was merged; nil for other changes.
    public var successor: String?
    /// The event right after the change. Nil for an end, and for an event that has ended since and is no longer known.
    public var after: StoredEvent?
    /// The event right before the change; nil for a new one, and where `after` is nil.
    public var before: StoredEvent?
    /// Whether `before` is what was known then. If false, any state may have come before the change.
    public var isBeforeExact: Bool

    /// Creates a step with unchecked values; by default the event is no longer known.
    public init(
        _ change: EventChange, isEnd: Bool = false, successor: String? = nil, after: StoredEvent? = nil,
        before: StoredEvent? = nil, isBeforeExact: Bool = true
    ) {
        (self.change, self.isEnd, self.successor) = (change, isEnd, successor)
        (self.after, self.before, self.isBeforeExact) = (after, before, isBeforeExact)
    }
}
