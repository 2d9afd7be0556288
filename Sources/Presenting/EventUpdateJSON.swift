public import Model
import Reading

extension EventUpdate {
    /// The update as one JSON object on one line: `change` and the members of `StoredEvent.json`. For an event that is
    /// gone `public_id`, `change`, `change_seq`, and `into`, if known: the public id of the event that it was merged
    /// into.
    /// - Parameter chosen: The members of an event that has changed; all by default.
    public func json(_ chosen: [EventProperty] = EventProperty.all) -> String {
        var writer = JSONWriter()
        switch self {
        case .changed(let event, let kind):
            writer.member("change", kind.rawValue)
            for property in chosen { writer.write(property.value(of: event), as: property.key) }
        case .gone(let change, let successor):
            writer.add([
                "public_id": change.publicID, "change": change.kind.rawValue, "change_seq": Int(change.sequence),
                "into": successor,
            ])
        }
        return writer.finish()
    }

    /// The update as a GeoJSON feature on one line: `StoredEvent.feature` with `change` as first property. The geometry
    /// of an event that is gone is null, its properties are `change`, `change_seq` and, if known, `into`.
    /// - Parameter chosen: The properties of an event that has changed; all by default.
    public func feature(_ chosen: [EventProperty] = EventProperty.ofFeature) -> String {
        switch self {
        case .changed(let event, let kind): return event.feature(chosen, isExact: nil, change: kind.rawValue)
        case .gone(let change, let successor):
            return JSONWriter.object([
                "type": "Feature", "id": change.publicID, "geometry": .raw("null"),
                "properties": .object([
                    "change": change.kind.rawValue, "change_seq": Int(change.sequence), "into": successor,
                ]),
            ])
        }
    }
}
