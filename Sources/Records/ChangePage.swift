public import Model

/// A run of changes after a cursor, for `ChangeFeed.next`.
public struct ChangePage: Sendable, Hashable {
    /// The changes, oldest first, numbered without a gap; empty at the end of the log and for a cursor that is too
    /// old.
    public var changes: [EventChange]
    /// The cursor for the next page: the last of `changes`, the given one without changes, or the newest if it is
    /// too old.
    public var cursor: Int64
    /// The number of the oldest change kept; one above the newest if none is kept.
    public var oldest: Int64
    /// The number of the newest change at that moment.
    public var newest: Int64
    /// Whether changes after the cursor are no longer kept, or the cursor is ahead of the database, as after its
    /// replacement by a copy. The follower must then read all events again.
    public var isTooOld: Bool

    /// Creates a page of these values, which are not checked.
    package init(changes: [EventChange], cursor: Int64, oldest: Int64, newest: Int64, isTooOld: Bool) {
        (self.changes, self.cursor, self.isTooOld) = (changes, cursor, isTooOld)
        (self.oldest, self.newest) = (oldest, newest)
    }
}
