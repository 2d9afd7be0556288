public import Foundation
public import Model

/// Selects stored events. An event must meet every condition that is set.
public struct EventQuery: Sendable, Hashable {
    /// Whether withdrawn events match.
    public enum Withdrawn: String, Sendable, CaseIterable {
        /// Only events that are not withdrawn.
        case exclude
        /// All events.
        case include
        /// Only withdrawn events.
        case only
    }

    /// Whether events match whose place is the author's own (`PlaceEvidence.author`).
    public enum Homes: String, Sendable, CaseIterable {
        /// Only events whose place is another one, or that have none.
        case exclude
        /// All events.
        case include
        /// Only events at the author's own place.
        case only
    }

    /// The order of the results.
    public enum Order: Sendable {
        /// By event time, newest first; at the same millisecond the event stored last comes first.
        case newestFirst
        /// By event time, oldest first: the reverse of `newestFirst`.
        case oldestFirst
        /// By magnitude, largest first, events without one at the end; equal ones by event time, newest first.
        case largestFirst
        /// The reverse of `largestFirst`.
        case smallestFirst
        /// By the number of the last visible change, latest first. Keys are conditions only: they do not page.
        case latestChangeFirst

        /// Whether the magnitude orders before the time.
        package var isByMagnitude: Bool { self == .largestFirst || self == .smallestFirst }
    }

    /// A circle on the sphere, its edge included.
    public struct Circle: Sendable, Hashable {
        /// The centre, WGS 84 degrees.
        public var centre: Coordinate
        /// The radius in kilometres, 0 or more, measured on the great circle.
        public var kilometres: Double

        /// Creates a circle, whose radius must be 0 or more; this is not checked.
        public init(centre: Coordinate, kilometres: Double) {
            (self.centre, self.kilometres) = (centre, kilometres)
        }
    }

    /// A position in the order by time, from which paging continues.
    public struct Key: Sendable, Hashable {
        /// The event's time, exact to the millisecond.
        public var time: Date
        /// The public id, which separates events of the same millisecond.
        public var publicID: String
        /// The event's handle (`EventStore.key`), which holds the position after the event has gone; nil: sought by the
        /// public id, also that of a merged event.
        public var handle: EventHandle?

        /// Creates a key, by default without a handle. Then, if the event of the public id has been truncated, those of
        /// exactly that millisecond are on both sides of the key, so that none is left out.
        public init(time: Date, publicID: String, handle: EventHandle? = nil) {
            (self.time, self.publicID, self.handle) = (time, publicID, handle)
        }

        /// The key of an event: its time, or its first sight without one, and its public id; without a handle.
        public init(_ event: StoredEvent) {
            self.init(time: event.event.time ?? event.firstSeen, publicID: event.publicID)
        }
    }

    /// Public ids; empty: all. The former ids of merged events match nothing.
    public var publicIDs: [String] = []
    /// Names of sources, configured or not, at least one of which shows the event; empty: all.
    public var sources: [String] = []
    /// Categories, one of which is the event's; empty: all.
    public var categories: [Model.Category] = []
    /// Providers of events, such as `usgs`, one of which is the event's (`Event.provider`); empty: all.
    public var providers: [String] = []
    /// Earliest event time, inclusive and exact to the millisecond; nil: any.
    public var since: Date?
    /// Latest event time, inclusive and exact to the millisecond; nil: any.
    public var until: Date?
    /// A box that the event's shape touches, or that contains its coordinate if it has no shape; may cross 180°. Nil:
    /// anywhere, also nowhere.
    public var box: BoundingBox?
    /// A circle, with the same rule as `box`; nil: anywhere.
    public var near: Circle?
    /// A circle inside which the event's coordinate does not lie; on its edge it may. Excludes events without a
    /// coordinate; shapes do not count. Nil: anywhere.
    public var outside: Circle?
    /// Words that must all occur in title, summary, place or author, in any order; `*` at the end of a word stands for
    /// any ending. In scripts without spaces between words a word matches anywhere. Nil or blank text is no condition;
    /// text without a letter, digit or emoji matches nothing.
    public var text: String?
    /// The author's exact name, case included; nil: any, or none.
    public var author: String?
    /// Smallest magnitude, inclusive; excludes events without one. Nil: any.
    public var minimumMagnitude: Double?
    /// Largest magnitude, inclusive; excludes events without one. Nil: any.
    public var maximumMagnitude: Double?
    /// Smallest depth in kilometres, inclusive; excludes events without one. Nil: any.
    public var minimumDepth: Double?
    /// Largest depth in kilometres, inclusive; excludes events without one. Nil: any.
    public var maximumDepth: Double?
    /// Precisions of the location; empty: all, including events without a coordinate.
    public var precisions: [Location.Precision] = []
    /// Texts in which the location was found; empty: all, including coordinates from the feed.
    public var evidence: [PlaceEvidence] = []
    /// Whether events match whose place is the author's own; by default they do.
    public var homes = Homes.include
    /// Countries in which the place was found by name, as ISO 3166-1 alpha-2 codes in upper case; empty: all. Events
    /// whose feed gives the coordinate have no country.
    public var countries: [String] = []
    /// Whether events match that have a coordinate (true) or have none (false); nil: both. Some events without a
    /// coordinate have a shape.
    public var isLocated: Bool?
    /// Smallest weight, 0…1, inclusive; nil: any.
    public var minimumWeight: Double?
    /// Earliest time of the last visible change, inclusive; nil: any.
    ///
    /// The events are found by this time, unless what finds those of `changedAfter` or that number finds fewer. So the
    /// time should be near the newest change.
    public var changedSince: Date?
    /// A change number: only events whose last visible change has a greater one match. Nil: any.
    ///
    /// The events are found by their change, unless words, public ids, a small place or a single source find fewer. So
    /// the number should be near the newest one.
    public var changedAfter: Int64?
    /// Whether withdrawn events match; by default they do not.
    public var withdrawn = Withdrawn.exclude
    /// Only events after this key in the order by time, that is older ones; nil: all.
    public var olderThan: Key?
    /// Only events before this key in the order by time, that is newer ones; nil: all.
    ///
    /// With a single key and an order by time, `limit` keeps the events next to the key, whatever the order.
    public var newerThan: Key?
    /// The order of the results; by default newest first.
    public var order = Order.newestFirst
    /// The most events returned, 100 by default; nil: all; below 1: none.
    public var limit: Int? = 100

    /// Creates a query for the newest hundred events that are not withdrawn.
    public init() {}
}
