public import Foundation
public import Model

/// The number of matching events in a span of time, for `EventStore.histogram` and `timeline`.
public struct TimeBin: Sendable, Hashable {
    /// The beginning of the span, to the millisecond; it ends before the next multiple of its length.
    public var start: Date
    /// The events by category; each number is 1 or more.
    public var events: [Model.Category: Int]

    /// Creates a bin of these values, which are not checked.
    package init(start: Date, events: [Model.Category: Int]) { (self.start, self.events) = (start, events) }

    /// All events of the span; 0 in an empty bin of a timeline.
    public var count: Int { events.values.reduce(0, +) }
}
