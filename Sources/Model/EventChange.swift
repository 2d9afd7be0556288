public import Foundation

/// One visible change of an event, in the order in which changes were committed.
public struct EventChange: Sendable, Hashable {
    /// The kind of a change; the raw value is the word in the database and in outputs.
    public enum Kind: String, Sendable, CaseIterable {
        /// Stored for the first time.
        case new
        /// Its content differs from the last revision, for instance in its title or magnitude.
        case revised
        /// The city table or a service found its place, or the operator corrected it (`PlaceCorrection`).
        case located
        /// Withdrawn: deleted or cancelled by its provider, or absent from a complete snapshot.
        case withdrawn
        /// Shown again by its feed after a withdrawal.
        case restored
        /// Merged into another event. The event that goes has this change; the event that stays has the change with the
        /// next number. The public id of the former leads to the latter.
        case merged
        /// Removed because it expired or its source was reset.
        case truncated
    }

    /// Position in the order of commits, from 1 on; serves as a cursor for followers of the change feed.
    public var sequence: Int64
    /// What happened to the event.
    public var kind: Kind
    /// Public id of the event: 16 characters.
    public var publicID: String
    /// Wall time of the commit, in the database to the millisecond.
    public var at: Date

    /// Creates a change with these values, which are not checked; the store alone assigns numbers.
    public init(sequence: Int64, kind: Kind, publicID: String, at: Date) {
        self.sequence = sequence
        self.kind = kind
        self.publicID = publicID
        self.at = at
    }
}
