public import Foundation

/// An event as it is stored.
public struct StoredEvent: Sendable, Hashable {
    /// Why and when an event was taken back.
    public struct Withdrawal: Sendable, Hashable {
        /// `deleted`, `cancelled` or `absent`.
        public var reason: String
        /// When the provider said so, or when the snapshot was made that misses it.
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

    /// The name users know it by, of 16 characters; survives revisions and merges.
    public var publicID: String
    /// What its sources say. `aliases` is empty here (`EventStore.details(of:)`), and `time` is never nil.
    public var event: Event
    /// Whether `event.time` is the feed's; otherwise it is the time of first sight.
    public var hasFeedTime: Bool
    /// When a source first showed it.
    public var firstSeen: Date
    /// Whether `firstSeen` was taken from a clock that may have been wrong.
    public var isFirstSeenProvisional: Bool
    /// When it last changed visibly.
    public var lastChanged: Date
    /// 1 for the first version.
    public var revision: Int
    /// Number of its last visible change (`EventChange.sequence`), which serves as a cursor.
    public var changeSequence: Int64
    /// Set while it is withdrawn.
    public var withdrawal: Withdrawal?
    /// The names of the sources that have shown it, sorted.
    public var sources: [String]

    /// Creates an event that stands unless a withdrawal is given.
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
