public import Model

/// Events of a source that have not counted for its home yet, in the order of their handles.
public struct HomeLesson: Sendable, Hashable {
    /// The source's name.
    public var source: String
    /// The last event that has counted; `start`: none.
    public var after: EventHandle
    /// The next events; empty: all have counted.
    public var events: [UnlocatedEvent]

    /// Creates a lesson of these values, which are not checked.
    package init(source: String, after: EventHandle, events: [UnlocatedEvent]) {
        (self.source, self.after, self.events) = (source, after, events)
    }
}
