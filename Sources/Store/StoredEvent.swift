public import Foundation
public import Model

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
    }

    /// The name users know it by; survives revisions and merges.
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
    /// Number of its last visible change.
    public var changeSequence: Int64
    /// Set while it is withdrawn.
    public var withdrawal: Withdrawal?
}

extension StoredEvent {
    /// A row as users see it.
    init(_ row: EventRow) {
        publicID = row.publicID
        event = Event(
            provider: row.provider, id: row.upstreamID, time: Date(milliseconds: row.time),
            updated: row.updated.map { Date(milliseconds: $0) }, expires: row.expires.map { Date(milliseconds: $0) },
            category: Model.Category(rawValue: row.category), title: row.title, summary: row.summary, link: row.link,
            author: row.author, weight: row.weight, magnitude: row.magnitude, depth: row.depth, status: row.status,
            place: row.place, language: row.language, location: row.location, geometry: row.geometry,
            details: row.details)
        hasFeedTime = row.hasFeedTime
        firstSeen = Date(milliseconds: row.firstSeen)
        isFirstSeenProvisional = row.isFirstSeenProvisional
        lastChanged = Date(milliseconds: row.lastChanged)
        revision = Int(row.revision)
        changeSequence = row.changeSequence
        withdrawal = row.withdrawnReason.map {
            Withdrawal(
                reason: $0, at: Date(milliseconds: row.withdrawnAt ?? row.lastChanged),
                evidence: row.withdrawnEvidence ?? "")
        }
    }
}

/// What hangs on one event beyond its row.
public struct EventDetails: Sendable, Hashable {
    /// One earlier state.
    public struct Revision: Sendable, Hashable {
        /// The revision that replaced it.
        public var revision: Int
        /// When.
        public var at: Date
        /// Old values of the columns that changed, as the text of a JSON object.
        public var previous: String
    }

    /// All its upstream ids, sorted.
    public var upstreamIDs: [String]
    /// The sources that show it, with first sight, by name.
    public var sources: [String: Date]
    /// What changed when, oldest first; the first and the latest of many.
    public var history: [Revision]
}

/// An author with what the matching events say.
public struct AuthorCount: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The author's page.
    public var link: String?
    /// How many events.
    public var events: Int
    /// Time of the newest.
    public var latest: Date
}

/// Counts and sizes for `status`.
public struct StoreStatistics: Sendable, Hashable {
    /// All events, withdrawn ones included.
    public var events: Int
    /// Withdrawn events.
    public var withdrawn: Int
    /// Events with a coordinate.
    public var located: Int
    /// Events still waiting for a place: not looked up yet, or asked of a service.
    public var waiting: Int
    /// Bytes of the database file.
    public var databaseBytes: Int64
    /// Bytes of the write-ahead log.
    public var walBytes: Int64
    /// Schema version of the file.
    public var schemaVersion: Int
    /// When truncation last came to its end.
    public var lastTruncation: Date?
}
