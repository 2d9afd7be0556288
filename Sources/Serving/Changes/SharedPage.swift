/// Changes after a cursor, shared by all clients that read them.
public struct SharedPage: Sendable {
    /// The changes, oldest first; empty at the end of the log and for a cursor that is too old.
    let changes: ArraySlice<SharedChange>
    /// The number of the oldest change kept; one above the newest if none is kept.
    public let oldest: Int64
    /// The number of the newest change.
    public let newest: Int64
    /// Whether changes after the cursor are no longer kept, or the cursor is ahead of the database.
    public let isTooOld: Bool

    /// The number of the last change on the page; nil without one.
    public var last: Int64? { changes.last?.sequence }
}
