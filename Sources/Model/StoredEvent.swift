public import Foundation

/// An event as it is stored.
public struct StoredEvent: Sendable, Hashable {
    /// Reason and time of a withdrawal.
    public struct Withdrawal: Sendable, Hashable {
        /// `deleted`, `cancelled` or `absent`.
        public var reason: String
        /// When the provider withdrew it, or when the snapshot without it was made.
        public var at: Date
        /// The evidence in words.
        public var evidence: String

        /// Creates a withdrawal.
        public init(reason: String, at: Date, evidence: String) {
            self.reason = reason
            self.at = at
            self.evidence = evidence
        }
    }

    /// Its public id: 16 characters. It survives revisions and merges.
    public var publicID: String
    /// The event in the words of its sources. `time` is never nil. `aliases` is empty except in
    /// `EventStore.details(of:)`.
    public var event: Event
    /// Whether the feed gave `event.time`; otherwise that is the time of the first sighting.
    public var hasFeedTime: Bool
    /// When a source first reported it.
    public var firstSeen: Date
    /// Whether the clock was not trusted when `firstSeen` was taken.
    public var isFirstSeenProvisional: Bool
    /// When it last changed visibly.
    public var lastChanged: Date
    /// Number of the version, from 1 on.
    public var revision: Int
    /// Number of its last visible change (`EventChange.sequence`); serves as a cursor.
    public var changeSequence: Int64
    /// Set while it is withdrawn.
    public var withdrawal: Withdrawal?
    /// Names of the sources that have shown it, sorted.
    public var sources: [String]

    /// Creates an event; by default revision 1, not withdrawn.
    public init(
        publicID: String, event: Event, hasFeedTime: Bool = true, firstSeen: Date,
        isFirstSeenProvisional: Bool = false, lastChanged: Date, revision: Int = 1, changeSequence: Int64,
        withdrawal: Withdrawal? = nil, sources: [String] = []
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
        self.sources = sources
    }
}
