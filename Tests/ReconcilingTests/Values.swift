import Model
import Reconciling

/// Midnight of a day, in milliseconds since 1970; times of events and rows are counted in minutes from it.
let start: Int64 = 1_767_225_600_000
/// A minute in milliseconds.
let minute: Int64 = 60_000

/// An earthquake; `time` and `updated` are minutes after `start`.
func quake(
    _ id: String, aliases: [String] = [], time: Int64? = 0, updated: Int64? = nil, title: String = "M 5.0 - Chile"
) -> Event {
    Event(
        provider: "usgs", id: id, aliases: aliases, time: time.map { .init(milliseconds: start + $0 * minute) },
        updated: updated.map { .init(milliseconds: start + $0 * minute) }, category: .earthquake, title: title,
        magnitude: 5, depth: 10, status: "automatic",
        location: Coordinate(latitude: -20, longitude: -70).map { Location($0) }, details: #"{"nst":12}"#)
}

/// A report without a coordinate.
func report(_ id: String, place: String? = nil, title: String = "Report") -> Event {
    Event(
        provider: "gvp", id: id, time: .init(milliseconds: start), category: .volcano, title: title, place: place)
}

/// The row of an event that source 1 has shown first at `start`.
func row(_ event: Event, id: Int64 = 1) -> EventRow {
    var row = EventRow(event, source: 1, at: start, isProvisional: false)
    row.id = id
    row.publicID = "public\(id)"
    return row
}

/// A place with a value in each field.
func fullPlace(
    latitude: Double = -8.343, longitude: Double = 115.508, name: String? = "Agung",
    method: Location.Method = .gazetteer
) -> Location? {
    Coordinate(latitude: latitude, longitude: longitude).map {
        Location(
            $0, method: method, precision: .region, confidence: 0.75, matchedText: "Gunung \"Agung\"", name: name,
            evidence: .title, placeID: "region:ID-BA", country: "ID", radius: 12.5)
    }
}

/// A row with a value in each column, other than the one that an empty row has.
func fullRow() -> EventRow {
    var row = EventRow()
    (row.id, row.publicID, row.provider, row.upstreamID, row.source) = (7, "public7", "gvp", "264020", 3)
    (row.time, row.hasFeedTime, row.updated, row.expires) = (start, true, start + 1, start + 2)
    (row.firstSeen, row.isFirstSeenProvisional, row.lastChanged) = (start - 3, true, start + 4)
    (row.revision, row.changeSequence, row.firstSequence) = (5, 60, 40)
    (row.category, row.weight, row.magnitude, row.depth, row.status) = ("volcano", 0.5, 5.1, -2.25, "actual")
    row.location = fullPlace()
    (row.withdrawnReason, row.withdrawnAt, row.withdrawnEvidence) = ("cancelled", start + 5, "Cancelled by B")
    row.isErased = true
    row.language = "id"
    row.author = Author(name: "Observer", link: "https://a.example", picture: "https://p.example")
    (row.title, row.place, row.link, row.summary) = ("Ash", "Bali", "https://l.example", "Line 1\nLine 2")
    (row.geometry, row.details) = (#"{"type":"Point","coordinates":[115.508,-8.343]}"#, #"{"vei":2}"#)
    return row
}
