public import Foundation

/// The current version of an event with what the store adds to it: public id, first sighting, revision, cursor,
/// withdrawal and sources.
public struct StoredEvent: Sendable, Hashable {
    /// Reason and time of a withdrawal.
    public struct Withdrawal: Sendable, Hashable {
        /// Why it is withdrawn: `deleted`, `cancelled` or `absent` (from a complete snapshot).
        public var reason: String
        /// When the provider withdrew it, or when the snapshot without it was made.
        public var at: Date
        /// The evidence in words for people, such as the id of the cancelling alert.
        public var evidence: String

        /// Creates a withdrawal with these values, which are not checked.
        public init(reason: String, at: Date, evidence: String) {
            self.reason = reason
            self.at = at
            self.evidence = evidence
        }
    }

    /// Its public id: 16 characters of `0`–`9` and `a`–`z` without `i`, `l`, `o`, `u`. It survives revisions and
    /// merges.
    public var publicID: String
    /// The event in the words of its sources. `time` is never nil. `aliases` has the present other names, in
    /// alphabetical order, 50 at most; in `EventStore.details(of:)` all.
    public var event: Event
    /// Whether the feed gave `event.time`; otherwise that is the time of the first sighting. Default true.
    public var hasFeedTime: Bool
    /// When a source first reported it (wall time).
    public var firstSeen: Date
    /// Whether the clock was not trusted when `firstSeen` was taken; default false.
    public var isFirstSeenProvisional: Bool
    /// When it last changed visibly (wall time of the commit).
    public var lastChanged: Date
    /// Number of the version, from 1 (the default) on.
    public var revision: Int
    /// Number of its last visible change (`EventChange.sequence`); serves as a cursor.
    public var changeSequence: Int64
    /// Reason and time of its withdrawal while it is withdrawn; nil otherwise.
    public var withdrawal: Withdrawal?
    /// Whether its provider has deleted its words, so that they were erased here; default false.
    public var isErased: Bool
    /// Names of the sources that have shown it, sorted.
    public var sources: [String]
    /// Why it has no coordinate; nil, the default, unless `EventStore.explainingMissingPlaces(of:)` has told it.
    public var missingPlace: MissingPlace?

    /// Creates an event with these values, which are not checked; by default revision 1, not withdrawn, no sources.
    public init(
        publicID: String, event: Event, hasFeedTime: Bool = true, firstSeen: Date,
        isFirstSeenProvisional: Bool = false, lastChanged: Date, revision: Int = 1, changeSequence: Int64,
        withdrawal: Withdrawal? = nil, isErased: Bool = false, sources: [String] = []
    ) {
        self.publicID = publicID
        self.event = event
        self.hasFeedTime = hasFeedTime
        self.firstSeen = firstSeen
        self.isFirstSeenProvisional = isFirstSeenProvisional
        self.lastChanged = lastChanged
        self.revision = revision
        self.changeSequence = changeSequence
        self.withdrawal = withdrawal
        self.isErased = isErased
        self.sources = sources
    }
}
