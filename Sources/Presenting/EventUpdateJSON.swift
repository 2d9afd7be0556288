public import Model
import Reading

extension EventUpdate {
    /// The update as one JSON object on one line: an event as in `StoredEvent.json` behind its `change`, or the public id of
    /// one that has gone, its `change`, and `into` which event it has been merged.
    public var json: String {
        var writer = JSONWriter()
        switch self {
        case .changed(let event, let kind):
            writer.member("change", kind.rawValue)
            writer.members(of: event)
        case .gone(let change, let successor):
            writer.member("public_id", change.publicID)
            writer.member("change", change.kind.rawValue)
            writer.member("change_seq", Int(change.sequence))
            writer.member("into", successor)
        }
        return writer.finish()
    }

    /// The update as a GeoJSON feature likewise; one of an event that has gone has no geometry.
    public var feature: String {
        switch self {
        case .changed(let event, let kind): return event.feature(change: kind.rawValue)
        case .gone(let change, let successor):
            var properties = JSONWriter()
            properties.member("change", change.kind.rawValue)
            properties.member("change_seq", Int(change.sequence))
            properties.member("into", successor)
            var feature = JSONWriter()
            feature.member("type", "Feature")
            feature.member("id", change.publicID)
            feature.member("geometry", raw: "null")
            feature.member("properties", raw: properties.finish())
            return feature.finish()
        }
    }
}
