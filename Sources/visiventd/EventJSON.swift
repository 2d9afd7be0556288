import Foundation
import Model
import Reading

extension JSONWriter {
    /// Writes an event's own fields; the names are those of the view `events_v1` with RFC 3339 times.
    mutating func members(of event: Event) {
        member("provider", event.provider)
        member("upstream_id", event.id)
        member("aliases", event.aliases)
        member("time", event.time?.rfc3339)
        member("updated", event.updated?.rfc3339)
        member("expires", event.expires?.rfc3339)
        member("category", event.category.rawValue)
        member("title", event.title)
        member("summary", event.summary)
        member("link", event.link)
        if let author = event.author {
            member("author_name", author.name)
            member("author_link", author.link)
            member("author_picture", author.picture)
        }
        member("weight", event.weight)
        member("magnitude", event.magnitude)
        member("depth_km", event.depth)
        member("status", event.status)
        member("place_text", event.place)
        member("language", event.language)
        if let location = event.location {
            member("latitude", location.coordinate.latitude)
            member("longitude", location.coordinate.longitude)
            member("location_method", location.method.rawValue)
            member("location_precision", location.precision.rawValue)
            member("location_confidence", location.confidence)
            member("location_matched_text", location.matchedText)
            member("location_evidence", location.evidence?.rawValue)
            member("location_place_id", location.placeID)
        }
        if let geometry = event.geometry { member("geometry", raw: geometry) }
        if event.details != "{}" { member("details", raw: event.details) }
    }
}
