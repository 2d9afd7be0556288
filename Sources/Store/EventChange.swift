public import Foundation

/// One visible change of an event, in the order in which changes were committed.
public struct EventChange: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, CaseIterable {
        /// Stored for the first time.
        case new
        /// The content differs from the last revision.
        case revised
        /// A place was found for it by the city table or a geocoder.
        case located
        /// Taken back by its provider, or absent from a complete feed.
        case withdrawn
        /// Shown again after it had been withdrawn.
        case restored
        /// Two rows turned out to be one event; the younger one's public id leads to the older.
        case merged
        /// Removed: it had expired, or its source was reset.
        case truncated
    }

    /// Its number; grows with every change, with gaps never reused.
    public var sequence: Int64
    /// What happened.
    public var kind: Kind
    /// The event's public id.
    public var publicID: String
    /// When it was written.
    public var at: Date
}

/// Changes after a cursor.
public struct ChangePage: Sendable, Hashable {
    /// The changes, oldest first.
    public var changes: [EventChange]
    /// The cursor for the next page.
    public var next: Int64
    /// Whether more changes wait right now.
    public var hasMore: Bool
}
