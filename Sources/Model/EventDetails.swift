public import Foundation

/// Everything that is stored about one event.
public struct EventDetails: Sendable, Hashable {
    /// A source that shows or has shown the event.
    public struct Sighting: Sendable, Hashable {
        /// The source's name in the configuration.
        public var source: String
        /// When it first showed the event (wall time).
        public var firstSeen: Date
        /// Time of the first complete snapshot without the event; nil while the source lists it, and for sources
        /// without complete snapshots.
        public var missingSince: Date?

        /// Creates a sighting with unchecked values; by default the source still lists the event.
        public init(source: String, firstSeen: Date, missingSince: Date? = nil) {
            self.source = source
            self.firstSeen = firstSeen
            self.missingSince = missingSince
        }
    }

    /// An earlier state of the event: the values that a revision replaced.
    public struct Revision: Sendable, Hashable {
        /// Number of the revision that replaced this state, from 2 on.
        public var revision: Int
        /// When it was replaced (wall time).
        public var at: Date
        /// The source that brought the new values; nil when the source is no longer stored.
        public var source: String?
        /// Old values of the changed columns of the view `events_v1`, as the text of a JSON object; null: no value.
        public var previous: String

        /// Creates a revision with these values, which are not checked.
        public init(revision: Int, at: Date, source: String? = nil, previous: String) {
            self.revision = revision
            self.at = at
            self.source = source
            self.previous = previous
        }
    }

    /// State of the search for the event's place.
    public struct Search: Sendable, Hashable {
        /// A service's stored answer that it knows no such place.
        public struct Miss: Sendable, Hashable {
            /// Name of the service, as `GeocodeProvider.rawValue`.
            public var provider: String
            /// The service's reason, for people: `no match`, `ambiguous`.
            public var reason: String
            /// When the service answered (wall time).
            public var at: Date
            /// When the answer expires; then the service may be asked again.
            public var until: Date

            /// Creates a miss with these values, which are not checked.
            public init(provider: String, reason: String, at: Date, until: Date) {
                self.provider = provider
                self.reason = reason
                self.at = at
                self.until = until
            }
        }

        /// `new` (not looked up yet), `asked` (a question to services is open) or `unresolved`.
        public var state: String
        /// When the event joined the queue (wall time).
        public var since: Date
        /// The text that services are asked about, else the place in the feed's words; nil if there is neither.
        public var placeText: String?
        /// Why it is unresolved, for people; nil while it is not.
        public var reason: String?
        /// Stored answers of services that know no such place, by name of the service; by default none.
        public var misses: [Miss]

        /// Creates a search state with unchecked values; by default without text, reason and misses.
        public init(state: String, since: Date, placeText: String? = nil, reason: String? = nil, misses: [Miss] = []) {
            self.state = state
            self.since = since
            self.placeText = placeText
            self.reason = reason
            self.misses = misses
        }
    }

    /// Who has corrected the event's place, and when.
    public struct Correction: Sendable, Hashable {
        /// The name of the user.
        public var user: String
        /// When it was made (wall time).
        public var at: Date

        /// Creates a correction with these values, which are not checked.
        public init(user: String, at: Date) {
            self.user = user
            self.at = at
        }
    }

    /// The event, with its `aliases` filled in.
    public var stored: StoredEvent
    /// All its upstream ids, sorted; `event.id` included.
    public var upstreamIDs: [String] = []
    /// Public ids of the events merged into this one, sorted.
    public var mergedIDs: [String] = []
    /// The sources that show it or have shown it, by time of their first sighting.
    public var sources: [Sighting] = []
    /// Its earlier states, oldest first. Of more than twenty of its own, the first and the latest nineteen are
    /// kept, and those that tell of a merge.
    public var history: [Revision]
    /// Set while the event waits for a place, and when none was found; nil otherwise.
    public var search: Search?
    /// Set while the event's place is the operator's, or is taken away by the operator; nil, the default, otherwise.
    public var correction: Correction?

    /// Creates the details of an event with unchecked values; by default without ids, sources, history and search.
    public init(stored: StoredEvent, history: [Revision] = []) { (self.stored, self.history) = (stored, history) }
}
