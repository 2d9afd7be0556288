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
        var columns = EventColumns(self)
        try? parser.withValue(of: Data(previous.utf8)) { root throws(ReadingError) -> Void in
            for (name, value) in root.members { columns.set(name.string, to: value) }
        }
        return columns.event
    }
}

/// An event whose columns can be set one by one.
private struct EventColumns {
    private var stored: StoredEvent
    private var author: (name: String?, link: String?, picture: String?)
    private var withdrawal: (reason: String?, at: Date?, evidence: String?)
    private var coordinate: (latitude: Double?, longitude: Double?)
    private var method: String?
    private var precision: String?
    private var confidence: Double?
    private var matchedText: String?
    private var name: String?
    /// Whether the old values have a name.
    private var isNamed = false
    private var evidence: String?
    private var placeID: String?
    private var country: String?
    private var radius: Double?

    init(_ event: StoredEvent) {
        stored = event
        let (writer, place) = (event.event.author, event.event.location)
        author = (writer?.name, writer?.link, writer?.picture)
        withdrawal = (event.withdrawal?.reason, event.withdrawal?.at, event.withdrawal?.evidence)
        coordinate = (place?.coordinate.latitude, place?.coordinate.longitude)
        method = place?.method.rawValue
        precision = place?.precision.rawValue
        confidence = place?.confidence
        matchedText = place?.matchedText
        name = place?.name
        evidence = place?.evidence?.rawValue
        placeID = place?.placeID
        country = place?.country
        radius = place?.radius
    }

    /// The event with the values set.
    var event: StoredEvent {
        var event = stored
        event.event.author = author.name.map { Author(name: $0, link: author.link, picture: author.picture) }
        event.withdrawal = withdrawal.reason.map {
            StoredEvent.Withdrawal(
                reason: $0, at: withdrawal.at ?? event.lastChanged, evidence: withdrawal.evidence ?? "")
        }
        event.event.location = location
        return event
    }

    private var location: Location? {
        guard let latitude = coordinate.latitude, let longitude = coordinate.longitude,
            let point = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return Location(
            point, method: method.map(Location.Method.init(rawValue:)) ?? .coordinates,
            precision: precision.flatMap(Location.Precision.init(rawValue:)) ?? .point, confidence: confidence ?? 1,
            matchedText: matchedText, name: name, evidence: evidence.map(PlaceEvidence.init(rawValue:)),
            placeID: placeID, country: country, radius: radius)
    }

    mutating func set(_ column: String, to value: JSONValue) {
        let text = value.string
        switch column {
        case "latitude":
            coordinate.latitude = value.double
            // Old values of another place have its name, unless it had none, as before schema 11.
            if !isNamed { name = nil }
        case "longitude": coordinate.longitude = value.double
        case "location_method": method = text
        case "location_precision": precision = text
        case "location_confidence": confidence = value.double
        case "location_matched_text": matchedText = text
        case "location_name": (name, isNamed) = (text, true)
        case "location_evidence": evidence = text
        case "location_place_id": placeID = text
        case "location_country": country = text
        case "location_radius_km": radius = value.double
        case "author_name": author.name = text
        case "author_link": author.link = text
        case "author_picture": author.picture = text
        case "withdrawn_reason": withdrawal.reason = text
        case "withdrawn_at_ms": withdrawal.at = value.date
        case "withdrawn_evidence": withdrawal.evidence = text
        case "public_id": stored.publicID = text ?? stored.publicID
        case "time_source": stored.hasFeedTime = text == "feed"
        case "first_seen_ms": stored.firstSeen = value.date ?? stored.firstSeen
        case "first_seen_provisional": stored.isFirstSeenProvisional = value.int64 == 1
        case "last_changed_ms": stored.lastChanged = value.date ?? stored.lastChanged
        case "revision": stored.revision = value.int64.map { Int($0) } ?? stored.revision
        case "change_seq": stored.changeSequence = value.int64 ?? stored.changeSequence
        default: setContent(column, to: value)
        }
    }

    /// The names stay the present ones, of which another one was the event's own.
    private mutating func setID(to id: String) {
        guard id != stored.event.id else { return }
        stored.event.aliases.removeAll { $0 == id }
        stored.event.aliases.append(stored.event.id)
        stored.event.aliases.sort()
        stored.event.id = id
    }

    private mutating func setContent(_ column: String, to value: JSONValue) {
        let text = value.string
        switch column {
        case "provider": stored.event.provider = text ?? stored.event.provider
        case "upstream_id": setID(to: text ?? stored.event.id)
        case "time_ms": stored.event.time = value.date ?? stored.event.time
        case "updated_ms": stored.event.updated = value.date
        case "expires_ms": stored.event.expires = value.date
        case "category": stored.event.category = text.map(Model.Category.init(rawValue:)) ?? stored.event.category
        case "weight": stored.event.weight = value.double ?? 1
        case "magnitude": stored.event.magnitude = value.double
        case "depth_km": stored.event.depth = value.double
        case "status": stored.event.status = text
        case "language": stored.event.language = text
        case "title": stored.event.title = text ?? ""
        case "place_text": stored.event.place = text
        case "link": stored.event.link = text
        case "summary": stored.event.summary = text
        case "geometry_geojson": stored.event.geometry = text
        case "details_json": stored.event.details = text ?? "{}"
        default: break
        }
    }
}

extension JSONValue {
    /// The instant of a number of milliseconds; nil for other kinds.
    fileprivate var date: Date? { int64.map { Date(milliseconds: $0) } }
}
