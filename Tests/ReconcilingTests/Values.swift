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
