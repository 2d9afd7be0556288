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
    public var json: String {
        var writer = JSONWriter()
        writer.members(of: self)
        return writer.finish()
    }
}

extension Withdrawal {
    /// The withdrawal as one JSON object on one line: `provider`, `upstream_id`, `withdrawn` and `evidence`.
    public var json: String {
        var writer = JSONWriter()
        writer.member("provider", provider)
        writer.member("upstream_id", id)
        writer.member("withdrawn", reason.rawValue)
        writer.member("evidence", evidence)
        return writer.finish()
    }
}

extension Double {
    /// The weight as printed, rounded to twelve decimals: a tenth of 3.4 is 0.33999999999999997 in binary. The database
    /// keeps the unrounded value, since another one would be a revision of each such event.
    var asWeight: Double { (self * 1e12).rounded() / 1e12 }
}

extension JSONWriter {
    /// Writes the members of a stored event's row, then those of the event.
    mutating func members(of stored: StoredEvent, withGeometry: Bool = true) {
        member("public_id", stored.publicID)
        member("revision", stored.revision)
        member("first_seen", stored.firstSeen.timestamp)
        member("last_changed", stored.lastChanged.timestamp)
        member("time_source", stored.hasFeedTime ? "feed" : "first_seen")
        member("change_seq", Int(stored.changeSequence))
        member("sources", stored.sources)
        if let withdrawal = stored.withdrawal {
            member("withdrawn", withdrawal.reason)
            member("withdrawn_at", withdrawal.at.timestamp)
            member("withdrawn_evidence", withdrawal.evidence)
        }
        members(of: stored.event, withGeometry: withGeometry)
    }

    /// Writes the members of an event; those without a value are left out.
    mutating func members(of event: Event, withGeometry: Bool = true) {
        member("provider", event.provider)
        member("upstream_id", event.id)
        member("aliases", event.aliases)
        member("time", event.time?.timestamp)
        member("updated", event.updated?.timestamp)
        member("expires", event.expires?.timestamp)
        member("category", event.category.rawValue)
        member("title", event.title)
        member("summary", event.summary)
        member("link", event.link)
        if let author = event.author {
            member("author_name", author.name)
            member("author_link", author.link)
            member("author_picture", author.picture)
        }
        member("weight", event.weight.asWeight)
        member("magnitude", event.magnitude)
        member("depth_km", event.depth)
        member("status", event.status)
        member("place_text", event.place)
        member("language", event.language)
        if let location = event.location {
            if withGeometry {
                member("latitude", location.coordinate.latitude)
                member("longitude", location.coordinate.longitude)
            }
            member("location_method", location.method.rawValue)
            member("location_precision", location.precision.rawValue)
            member("location_confidence", location.confidence)
            member("location_matched_text", location.matchedText)
            member("location_evidence", location.evidence?.rawValue)
            member("location_place_id", location.placeID)
            member("location_country", location.country)
            member("location_radius_km", location.radius)
        }
        if withGeometry, let geometry = event.geometry {
            member("geometry", raw: GeoJSONShape.normalisedText(geometry))
        }
        if event.details != "{}" { member("details", raw: event.details) }
    }
}
