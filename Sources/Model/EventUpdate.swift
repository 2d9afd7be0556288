/// What has become of an event since a follower last looked.
public enum EventUpdate: Sendable, Hashable {
    /// It is as given now, with the number of its last change that is told of. The kind is that of its last change, `new` where it has come since the last look and stands, and
    /// `revised` where another event has been merged into it.
    case changed(StoredEvent, EventChange.Kind)
    /// It has gone: `truncated`, or `merged` into another event, whose public id is given unless that has gone, too.
    case gone(EventChange, into: String?)
}
