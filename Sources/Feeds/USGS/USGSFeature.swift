import Foundation
import Model
import Reading

/// One feature of a USGS feed, read into an event.
///
/// Properties: earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php. Nearly all of them may be null.
struct USGSFeature {
    private let json: JSONValue
    private let number: Int
    private(set) var issues: [FeedIssue] = []
    /// Whether the feature has a whole number as its time, as all of USGS have, or is deleted; known after `event`.
    private(set) var isOfUSGS = false

    init(_ json: JSONValue, number: Int) {
        self.json = json
        self.number = number
    }

    /// The event, or nil with an issue when the feature has no usable id.
    /// - Parameter details: An empty writer. It is empty again afterwards and serves the next feature.
    mutating func event(_ details: inout JSONWriter) -> Event? {
        var event = Event(provider: "usgs", id: "", category: .earthquake, title: "")
        var properties: JSONValue?
        var geometry: JSONValue?
        for (key, value) in json.members {
            switch key {
            case "id": event.id = value.string ?? ""
            case "properties": properties = value
            case "geometry": geometry = value
            default: break
            }
        }
        if !Self.isID(event.id.utf8) { event.id = "" }
        let title = properties.map { read($0, into: &event, &details) } ?? nil
        if event.status == "deleted" { isOfUSGS = true }
        if event.id.isEmpty { event.id = event.aliases.first ?? "" }
        guard !event.id.isEmpty else {
            note("no_id", found: title ?? "a feature without id", costsItem: true)
            return nil
        }
        event.aliases.removeAll { $0 == event.id }
        event.title = title ?? Self.title(event)
        event.weight = Event.weight(event.category, magnitude: event.magnitude)
        locate(geometry, of: &event)
        if event.time == nil { note("bad_date", of: event.id, found: "no readable time") }
        return event
    }

    /// Reads the known properties into the event, keeps the others as details and returns the title.
    private mutating func read(
        _ properties: JSONValue, into event: inout Event, _ details: inout JSONWriter
    ) -> String? {
        var title: String?
        for (key, value) in properties.members where !value.isNull {
            switch key {
            case "mag":
                event.magnitude = value.double.flatMap { Event.magnitudes.contains($0) ? $0 : nil }
                if event.magnitude == nil { note("bad_magnitude", of: event.id, found: value.beginning) }
            case "place": event.place = text(value, of: event.id, key)
            case "time":
                event.time = Self.date(value)
                if value.int64 != nil { isOfUSGS = true }
            case "updated":
                event.updated = Self.date(value)
                if event.updated == nil { note("bad_field", of: event.id, found: "updated: \(value.beginning)") }
            case "url": event.link = HTMLText.webURL(value.string)
            case "status": event.status = text(value, of: event.id, key)?.lowercased()
            case "title": title = text(value, of: event.id, key)
            case "ids": event.aliases = aliases(value, of: event.id)
            case "type":
                if let word = text(value, of: event.id, key), word != "earthquake" {
                    event.category = Category(rawValue: word)
                }
            default: details.member(key, value)
            }
        }
        event.details = details.finish(keepingCapacity: true)
        return title
    }

    /// The most characters of a text, and the most aliases of an event.
    private static let textLength = 1_000
    private static let maximumAliases = 50

    /// A text in one line; nil when nothing is left. Markup is rare in these texts and is removed.
    private mutating func text(_ value: JSONValue, of id: String, _ key: JSONKey) -> String? {
        guard let raw = value.utf8 else {
            note("bad_field", of: id, found: "\(key.string): \(value.beginning)")
            return nil
        }
        let hasMarkup = raw.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        let plain = HTMLText.bounded(hasMarkup ? HTMLText.plain(raw) : HTMLText.cleaned(raw), Self.textLength)
        return plain.isEmpty ? nil : plain
    }

    /// The ids in `,us1,ci2,`, at most 50.
    private mutating func aliases(_ value: JSONValue, of id: String) -> [String] {
        var names: [String] = []
        var rest = (value.utf8 ?? UnsafeBufferPointer(start: nil, count: 0))[...]
        while names.count <= Self.maximumAliases, let start = rest.firstIndex(where: { $0 != UInt8(ascii: ",") }) {
            let end = rest[start...].firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            let name = rest[start..<end]
            if Self.isID(name) { names.append(String(decoding: name, as: UTF8.self)) }
            rest = rest[end...]
        }
        if value.utf8 == nil || names.count > Self.maximumAliases {
            note("bad_field", of: id, found: "ids: \(value.beginning)")
        }
        return Array(names.prefix(Self.maximumAliases))
    }

    /// An id is 1 to 100 visible ASCII characters.
    private static func isID(_ text: some Collection<UInt8>) -> Bool {
        (1...100).contains(text.count) && text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private mutating func locate(_ geometry: JSONValue?, of event: inout Event) {
        guard let geometry, !geometry.isNull else { return note("no_geometry", of: event.id, found: "null") }
        var numbers = geometry["coordinates"]?.elements
        // Broken programs write 0,0; no earthquake on record is exactly there.
        guard let longitude = numbers?.next()?.double, let latitude = numbers?.next()?.double,
            let point = Coordinate(latitude: latitude, longitude: longitude), !point.isNowhere
        else { return note("bad_coordinate", of: event.id, found: geometry.beginning) }
        event.location = Location(point)
        guard let depth = numbers?.next(), let kilometres = depth.double else { return }
        if Event.depths.contains(kilometres) {
            event.depth = kilometres
        } else {
            note("bad_depth", of: event.id, found: depth.beginning)
        }
    }

    private mutating func note(_ reason: String, of id: String = "", found: String, costsItem: Bool = false) {
        let position = id.isEmpty ? "feature \(number)" : "feature \(number) (\(id))"
        issues.append(FeedIssue(reason, at: position, found: found, costsItem: costsItem))
    }

    /// Milliseconds since 1970, within the years 1 to 9999; older catalogues have negative values.
    private static func date(_ value: JSONValue) -> Date? {
        guard let milliseconds = value.int64, milliseconds.magnitude < 253_402_300_800_000 else { return nil }
        return Date(milliseconds: milliseconds)
    }

    /// The title of a feature without one, as in feeds before 2014.
    private static func title(_ event: Event) -> String {
        let magnitude = event.magnitude.map { "M \($0)" } ?? "M ?"
        return event.place.map { "\(magnitude) - \($0)" } ?? magnitude
    }
}
