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
        /// Two rows turned out to be one event: told of the younger one, which goes and whose public id leads to the
        /// older from then on, and with the next number of the older.
        case merged
        /// Removed: it had expired, or its source was reset.
        case truncated
    }

    /// Its number, from 1 on: each change takes the next one, in the order of commits.
    public var sequence: Int64
    /// What happened.
    public var kind: Kind
    /// The event's public id, of 16 characters.
    public var publicID: String
    /// When it was written, by the wall clock.
    public var at: Date

    /// Creates a change.
    public init(sequence: Int64, kind: Kind, publicID: String, at: Date) {
        self.sequence = sequence
        self.kind = kind
        self.publicID = publicID
        self.at = at
    }
}
