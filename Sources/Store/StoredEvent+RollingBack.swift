import Foundation
package import Model
import Reading

extension StoredEvent {
    /// The state before a revision: the old values of the columns, and the present ones of all others.
    ///
    /// Number, revision and time of the last change stay, unless `previous` has them. Unknown columns, and a text that
    /// is no JSON object, change nothing.
    /// - Parameter previous: Old values of columns of the view `events_v1`, as the text of a JSON object
    ///   (`EventDetails.Revision.previous`).
    package func rolledBack(_ previous: String) -> StoredEvent { rolledBack(previous, by: JSONParser()) }

    /// Does the same with a parser that is kept.
    func rolledBack(_ previous: String, by parser: JSONParser) -> StoredEvent {
        var event = self
        try? parser.withValue(of: Data(previous.utf8)) { root throws(ReadingError) -> Void in
            // Place, author and withdrawal come or go first; the old values have them in any order.
            for (name, value) in root.members { event.setWhole(name.string, to: value) }
            for (name, value) in root.members { event.set(name.string, to: value) }
        }
        return event
    }

    /// Sets a column without which place, author or withdrawal is none.
    private mutating func setWhole(_ column: String, to value: JSONValue) {
        switch column {
        case "latitude":
            let longitude = event.location?.coordinate.longitude ?? 0
            move(to: value.double.flatMap { Coordinate(latitude: $0, longitude: longitude) })
            // Old values of another place have its name, unless it had none, as before schema 11.
            event.location?.name = nil
        case "author_name":
            event.author = value.string.map {
                Author(name: $0, link: event.author?.link, picture: event.author?.picture)
            }
        case "withdrawn_reason":
            withdrawal = value.string.map {
                Withdrawal(reason: $0, at: withdrawal?.at ?? lastChanged, evidence: withdrawal?.evidence ?? "")
            }
        default: break
        }
    }

    private mutating func move(to coordinate: Coordinate?) {
        event.location = coordinate.map { event.location ?? Location($0) }
        if let coordinate { event.location?.coordinate = coordinate }
    }

    private mutating func set(_ column: String, to value: JSONValue) {
        let text = value.string
        switch column {
        case "longitude":
            guard let latitude = event.location?.coordinate.latitude else { return }
            move(to: value.double.flatMap { Coordinate(latitude: latitude, longitude: $0) })
        case "location_method": event.location?.method = text.map(Location.Method.init(rawValue:)) ?? .coordinates
        case "location_precision":
            event.location?.precision = text.flatMap(Location.Precision.init(rawValue:)) ?? .point
        case "location_confidence": event.location?.confidence = value.double ?? 1
        case "location_matched_text": event.location?.matchedText = text
        case "location_name": event.location?.name = text
        case "location_evidence": event.location?.evidence = text.map(PlaceEvidence.init(rawValue:))
        case "location_place_id": event.location?.placeID = text
        case "location_country": event.location?.country = text
        case "location_radius_km": event.location?.radius = value.double
        case "author_link": event.author?.link = text
        case "author_picture": event.author?.picture = text
        case "withdrawn_at_ms": withdrawal?.at = value.date ?? lastChanged
        case "withdrawn_evidence": withdrawal?.evidence = text ?? ""
        case "public_id": publicID = text ?? publicID
        case "time_source": hasFeedTime = text == "feed"
        case "first_seen_ms": firstSeen = value.date ?? firstSeen
        case "first_seen_provisional": isFirstSeenProvisional = value.int64 == 1
        case "last_changed_ms": lastChanged = value.date ?? lastChanged
        case "revision": revision = value.int64.map { Int($0) } ?? revision
        case "change_seq": changeSequence = value.int64 ?? changeSequence
        default: event.set(column, to: value)
        }
    }
}

extension Event {
    fileprivate mutating func set(_ column: String, to value: JSONValue) {
        let text = value.string
        switch column {
        case "provider": provider = text ?? provider
        case "upstream_id": setID(to: text ?? id)
        case "time_ms": time = value.date ?? time
        case "updated_ms": updated = value.date
        case "expires_ms": expires = value.date
        case "category": category = text.map(Model.Category.init(rawValue:)) ?? category
        case "weight": weight = value.double ?? 1
        case "magnitude": magnitude = value.double
        case "depth_km": depth = value.double
        case "status": status = text
        case "language": language = text
        case "title": title = text ?? ""
        case "place_text": place = text
        case "link": link = text
        case "summary": summary = text
        case "geometry_geojson": geometry = text
        case "details_json": details = text ?? "{}"
        default: break
        }
    }

    /// The names stay the present ones, of which another one was the event's own.
    private mutating func setID(to old: String) {
        guard old != id else { return }
        aliases.removeAll { $0 == old }
        aliases.append(id)
        aliases.sort()
        id = old
    }
}

extension JSONValue {
    /// The instant of a number of milliseconds; nil for other kinds.
    fileprivate var date: Date? { int64.map { Date(milliseconds: $0) } }
}
