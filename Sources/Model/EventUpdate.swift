/// What happened to an event since a follower last read the change feed.
public enum EventUpdate: Sendable, Hashable {
    /// The event in its present state, with the number of its last reported change. The kind is that of the last
    /// change, with two exceptions: `new` if the event is new since the last read and not withdrawn, `revised` if
    /// another event was merged into it.
    case changed(StoredEvent, EventChange.Kind)
    /// The event is gone: `truncated`, or `merged` into the event `into`, which is nil if that is gone, too.
    case gone(EventChange, into: String?)
}
