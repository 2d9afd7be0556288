public import Foundation
public import Model

/// A place with the number of matching events there, for `EventStore.hotspots`.
public struct Hotspot: Sendable, Hashable {
    /// The place's id in the city table or at a service (`Location.placeID`); nil: the events have coordinates of no
    /// known place, and the hotspot is a square.
    public var placeID: String?
    /// The words that name the place in the newest of the events; nil if that has none.
    public var name: String?
    /// The coordinate of the newest event, WGS 84 degrees; of a square its middle.
    public var coordinate: Coordinate
    /// The events by category; each number is 1 or more.
    public var events: [Model.Category: Int]
    /// The time of the newest event, to the millisecond.
    public var latest: Date

    /// Creates a hotspot of these values, which are not checked.
    package init(
        placeID: String?, name: String?, coordinate: Coordinate, events: [Model.Category: Int], latest: Date
    ) {
        (self.placeID, self.name, self.coordinate) = (placeID, name, coordinate)
        (self.events, self.latest) = (events, latest)
    }

    /// All events at the place, 1 or more.
    public var count: Int { events.values.reduce(0, +) }
}
