public import Foundation

/// All that is kept of one event: its row, and what hangs on it.
public struct EventDetails: Sendable, Hashable {
    /// A source that shows the event, or has shown it.
    public struct Sighting: Sendable, Hashable {
        /// The source's name.
        public var source: String
        /// When it first showed the event.
        public var firstSeen: Date
        /// Since which complete snapshot the source no longer lists the event; nil while it does, and where it
        /// publishes none.
        public var missingSince: Date?

        /// Creates a sighting.
        public init(source: String, firstSeen: Date, missingSince: Date? = nil) {
            self.source = source
            self.firstSeen = firstSeen
            self.missingSince = missingSince
        }
    }

    /// One earlier state.
    public struct Revision: Sendable, Hashable {
        /// The revision that replaced it.
        public var revision: Int
        /// When.
        public var at: Date
        /// The source that gave the new values; nil when it is no longer known.
        public var source: String?
        /// Old values of the columns that changed, as the text of a JSON object.
        public var previous: String

        /// Creates a revision.
        public init(revision: Int, at: Date, source: String? = nil, previous: String) {
            self.revision = revision
            self.at = at
            self.source = source
            self.previous = previous
        }
    }

    /// How the search for the event's place stands.
    public struct Search: Sendable, Hashable {
        /// A service that knows no such place.
        public struct Miss: Sendable, Hashable {
            /// The service.
            public var provider: String
            /// Its reason.
            public var reason: String
            /// When it said so.
            public var at: Date
            /// Until when that is believed.
            public var until: Date

            /// Creates a miss.
            public init(provider: String, reason: String, at: Date, until: Date) {
                self.provider = provider
                self.reason = reason
                self.at = at
                self.until = until
            }
        }

        /// `new` (not looked up yet), `asked` (waits for a service) or `unresolved`.
        public var state: String
        /// Since when the event waits.
        public var since: Date
        /// What is asked, else the place in the feed's words.
        public var placeText: String?
        /// Why it is unresolved.
        public var reason: String?
        /// Services that know no such place.
        public var misses: [Miss]

        /// Creates a search.
        public init(state: String, since: Date, placeText: String? = nil, reason: String? = nil, misses: [Miss] = []) {
            self.state = state
            self.since = since
            self.placeText = placeText
            self.reason = reason
            self.misses = misses
        }
    }

    /// The event; `aliases` of it are filled in.
    public var stored: StoredEvent
    /// Whether its words were deleted by the provider, and erased.
    public var isErased: Bool
    /// All its upstream ids, sorted.
    public var upstreamIDs: [String]
    /// Public ids of events that were merged into this one, sorted.
    public var mergedIDs: [String]
    /// The sources that show it, those with the earliest sight first.
    public var sources: [Sighting]
    /// What changed when, oldest first; the first and the latest of many.
    public var history: [Revision]
    /// Set while it waits for a place.
    public var search: Search?

    /// Creates the details of an event.
    public init(
        stored: StoredEvent, isErased: Bool = false, upstreamIDs: [String] = [], mergedIDs: [String] = [],
        sources: [Sighting] = [], history: [Revision] = [], search: Search? = nil
    ) {
        self.stored = stored
        self.isErased = isErased
        self.upstreamIDs = upstreamIDs
        self.mergedIDs = mergedIDs
        self.sources = sources
        self.history = history
        self.search = search
    }
}
