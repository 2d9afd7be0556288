public import Model
import Reading

extension Event {
    /// The event as given by its feed, as one JSON object on one line.
    ///
    /// Names are those of the view `events_v1` without `_ms`, `_geojson` and `_json` at their end; `aliases` is added.
    /// Times are RFC 3339 in UTC (`Date.timestamp`). The shape conforms to RFC 7946 (`GeoJSONShape.normalised`).
    /// Missing values are left out.
    public var json: String {
        var writer = JSONWriter()
        writer.members(of: self)
        return writer.finish()
    }
}

extension StoredEvent {
    /// The stored event as one JSON object on one line: the members of its row, then those of `Event.json`.
    public var json: String { json(EventProperty.all, isExact: nil) }
}

extension Withdrawal {
    /// The withdrawal as one JSON object on one line: `provider`, `upstream_id`, `withdrawn` and `evidence`.
    public var json: String {
        JSONWriter.object([
            "provider": provider, "upstream_id": id, "withdrawn": reason.rawValue, "evidence": evidence,
        ])
    }
}

extension Double {
    /// A weight or confidence as printed, rounded to twelve decimals: a tenth of 3.4 is 0.33999999999999997 in binary.
    /// The database keeps the unrounded value, since another one would be a revision of each such event.
    var asShare: Double { (self * 1e12).rounded() / 1e12 }
}

extension JSONWriter {
    /// Writes the members of a stored event's row, then those of the event (`EventProperty.all`).
    mutating func members(of stored: StoredEvent) {
        for property in EventProperty.all { write(property.value(of: stored), as: property.key) }
    }

    /// Writes the members of an event; those without a value are left out.
    mutating func members(of event: Event) {
        for property in EventProperty.all { write(property.value(of: event), as: property.key) }
    }
}
