public import Foundation
public import Model

/// Which stored events are wanted; every condition that is set must hold.
public struct EventQuery: Sendable, Hashable {
    /// Whether events that were withdrawn are among them.
    public enum Withdrawn: String, Sendable, CaseIterable {
        /// Only events that stand.
        case exclude
        /// Both.
        case include
        /// Only withdrawn ones.
        case only
    }

    /// In which order events come.
    public enum Order: Sendable {
        /// Event time, newest first; of one millisecond what was stored last comes first.
        case newestFirst
        /// Magnitude, the largest first; of equal ones, and of events without one, which come last, the newest.
        case largestFirst
    }

    /// A circle on the sphere.
    public struct Circle: Sendable, Hashable {
        /// Its centre.
        public var centre: Coordinate
        /// Its radius in kilometres.
        public var kilometres: Double

        /// Creates a circle.
        public init(centre: Coordinate, kilometres: Double) {
            self.centre = centre
            self.kilometres = kilometres
        }
    }

    /// An event's place in the order by time, from which pages go on.
    public struct Key: Sendable, Hashable {
        /// The event's time, exact to the millisecond.
        public var time: Date
        /// Its public id, which tells apart what has happened in one millisecond.
        public var publicID: String

        /// Creates a key. Where no event has the public id, as when it has gone since, nothing is left out: what has
        /// happened in the very millisecond lies on both sides of the key.
        public init(time: Date, publicID: String) {
            self.time = time
            self.publicID = publicID
        }

        /// The key of an event.
        public init(_ event: StoredEvent) {
            self.init(time: event.event.time ?? event.firstSeen, publicID: event.publicID)
        }
    }

    /// Public ids; empty: all.
    public var publicIDs: [String] = []
    /// Sources of which at least one shows the event; empty: all.
    public var sources: [String] = []
    /// Categories; empty: all.
    public var categories: [Model.Category] = []
    /// Providers; empty: all.
    public var providers: [String] = []
    /// Earliest event time.
    public var since: Date?
    /// Latest event time.
    public var until: Date?
    /// Where: the shape of an event touches it, or its coordinate lies in it where it has no shape; may cross 180°.
    public var box: BoundingBox?
    /// Within a distance, likewise.
    public var near: Circle?
    /// Words that must all occur in title, summary, place or author; `*` at the end of a word stands for any ending.
    public var text: String?
    /// Exact name of the author.
    public var author: String?
    /// Smallest magnitude; events without one are left out.
    public var minimumMagnitude: Double?
    /// Largest magnitude; events without one are left out.
    public var maximumMagnitude: Double?
    /// Smallest depth in kilometres; events without one are left out.
    public var minimumDepth: Double?
    /// Largest depth in kilometres; events without one are left out.
    public var maximumDepth: Double?
    /// How exactly events are located; empty: all, also those without a coordinate.
    public var precisions: [Location.Precision] = []
    /// In which texts locations were found; empty: all, also those that the feed gave.
    public var evidence: [PlaceEvidence] = []
    /// Countries in which places were found by name, as ISO 3166-1 alpha-2 codes in upper case; empty: all, also events of
    /// which no country is known, such as those whose feed gives the coordinate.
    public var countries: [String] = []
    /// Whether only events without a coordinate are meant.
    public var isUnlocated = false
    /// Earliest time of the last visible change.
    public var changedSince: Date?
    /// Whether withdrawn events are among them.
    public var withdrawn = Withdrawn.exclude
    /// Only events behind this key in the order by time: older ones.
    public var olderThan: Key?
    /// Only events before this key in the order by time: newer ones. Of these `limit` takes those next to the key, unless
    /// `olderThan` is set, too.
    public var newerThan: Key?
    /// In which order they come.
    public var order = Order.newestFirst
    /// How many at the most; nil: all.
    public var limit: Int? = 100

    /// Creates a query for the newest hundred events.
    public init() {}
}
