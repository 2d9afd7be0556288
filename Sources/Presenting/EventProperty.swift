public import Foundation
public import Model
import Reading

/// A member of an event's JSON form, of its features, schema and tables: the one list of what an event says.
///
/// It is a class, because each event written takes all properties, and a copied struct would count all its references.
public final class EventProperty: Sendable {
    /// The JSON type of the values; the raw value is the word of JSON Schema.
    public enum Kind: String, Sendable {
        /// Text.
        case string
        /// Any number.
        case number
        /// A whole number.
        case integer
        /// An array of texts.
        case array
        /// An object.
        case object
    }

    /// The value of an event.
    public enum Value: Sendable, Hashable {
        /// Text.
        case text(String)
        /// A time, written in RFC 3339 (`Date.timestamp`).
        case time(Date)
        /// A finite number.
        case number(Double)
        /// A whole number.
        case whole(Int)
        /// Texts in order.
        case texts([String])
        /// One JSON value as text.
        case json(String)
    }

    /// What the value is read from.
    private enum Reader: Sendable {
        case row(@Sendable (StoredEvent) -> Value?)
        case event(@Sendable (Event) -> Value?)
    }

    /// The name of the member, unique in the list.
    public let name: String
    /// The JSON type of its values.
    public let kind: Kind
    /// The format of a text in the words of JSON Schema (`date-time`, `uri`); nil: any text.
    public let format: String?
    /// What it says, for people: one sentence without a full stop.
    public let words: String
    /// Whether the geometry of a feature says it, so that no property of a feature repeats it.
    public let isGeometry: Bool
    let key: JSONWriter.Key
    private let reader: Reader

    private init(
        _ name: String, _ kind: Kind, _ words: String, format: String? = nil, isGeometry: Bool = false, _ reader: Reader
    ) {
        self.name = name
        self.kind = kind
        self.format = format
        self.words = words
        self.isGeometry = isGeometry
        key = JSONWriter.Key(name)
        self.reader = reader
    }

    /// The value of a stored event; nil: it has none.
    public func value(of stored: StoredEvent) -> Value? {
        switch reader {
        case .row(let read): read(stored)
        case .event(let read): read(stored.event)
        }
    }

    /// The value of an event; nil: it has none, or the store gives it.
    func value(of event: Event) -> Value? {
        if case .event(let read) = reader { read(event) } else { nil }
    }
}

extension EventProperty.Value {
    /// The value as one JSON value; `[]` for no texts.
    public var json: String {
        var text: [UInt8] = []
        append(to: &text, inFeature: false)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the value as one JSON value.
    /// - Parameter inFeature: Whether it is a property of a GeoJSON feature, where a number always has a fraction or an
    ///   exponent (`12.0`, `1e+16`): GDAL takes the types of columns from the first features.
    fileprivate func append(to text: inout [UInt8], inFeature: Bool) {
        switch self {
        case .text(let value): text.append(quoting: value)
        case .time(let date):
            text.append(UInt8(ascii: "\""))
            date.appendTimestamp(to: &text)
            text.append(UInt8(ascii: "\""))
        case .number(let number) where !number.isFinite: text += "null".utf8
        case .number(let number): text += (inFeature ? number.description : number.jsonText).utf8
        case .whole(let number): text += number.description.utf8
        case .texts(let values):
            text.append(UInt8(ascii: "["))
            for (offset, value) in values.enumerated() {
                if offset > 0 { text.append(UInt8(ascii: ",")) }
                text.append(quoting: value)
            }
            text.append(UInt8(ascii: "]"))
        case .json(let json): text += json.utf8
        }
    }

    /// The value as the text of a table's cell; several texts are separated by semicolons.
    public var cell: String {
        switch self {
        case .text(let text): text
        case .time(let date): date.timestamp
        case .texts(let texts): texts.joined(separator: ";")
        case .number, .whole, .json: json
        }
    }
}

extension JSONWriter {
    /// Writes the value of a property; nothing for nil, for no texts, infinities and NaN.
    /// - Parameter inFeature: Whether it is a property of a GeoJSON feature, as for `Value.append`.
    mutating func write(_ value: EventProperty.Value?, as key: Key, inFeature: Bool = false) {
        switch value {
        case nil: break
        case .texts(let texts)? where texts.isEmpty: break
        case .number(let number)? where !number.isFinite: break
        case .some(let value): member(key) { value.append(to: &$0, inFeature: inFeature) }
        }
    }
}

// MARK: - The list

extension EventProperty {
    /// All properties, in the order in which they are written.
    public static let all: [EventProperty] = ofRow + ofContent + ofPlace

    /// The properties of a feature: all but those that its geometry says.
    public static let ofFeature: [EventProperty] = all.filter { !$0.isGeometry }

    /// The property of exactly this name; nil if there is none.
    public static func named(_ name: String) -> EventProperty? { all.first { $0.name == name } }

    /// `distance_km`, which is in no list: the kilometres between a point and the coordinate of an event, to the metre;
    /// none of an event without a coordinate.
    public static func distance(from point: Coordinate) -> EventProperty {
        number("distance_km", "Distance of its position from the middle of the circle, in kilometres") { event in
            event.location.map { (point.distance(to: $0.coordinate) * 1000).rounded() / 1000 }
        }
    }

    /// A column without a value in any event.
    static func empty(_ name: String) -> EventProperty {
        EventProperty(name, .string, "", .row { _ in nil })
    }

    private static let ofRow: [EventProperty] = [
        row("public_id", .string, "The event's id, which outlives revisions and merges") { .text($0.publicID) },
        row("revision", .integer, "The number of its version, from 1 on") { .whole($0.revision) },
        row("first_seen", .string, "When a source first showed it", "date-time") { .time($0.firstSeen) },
        row("last_changed", .string, "When it last changed visibly", "date-time") { .time($0.lastChanged) },
        row("time_source", .string, "feed, or first_seen where the feed gives no usable time") {
            .text($0.hasFeedTime ? "feed" : "first_seen")
        },
        row("change_seq", .integer, "The number of its last visible change") { .whole(Int($0.changeSequence)) },
        row("sources", .array, "The sources that show it or have shown it") { .texts($0.sources) },
        row("withdrawn", .string, "Why it is withdrawn: deleted, cancelled or absent; missing while it stands") {
            $0.withdrawal.map { Value.text($0.reason) }
        },
        row(
            "withdrawn_at", .string, "When its provider withdrew it, or when the snapshot without it was made",
            "date-time"
        ) {
            $0.withdrawal.map { Value.time($0.at) }
        },
        row("withdrawn_evidence", .string, "The evidence of the withdrawal in words") {
            $0.withdrawal.map { Value.text($0.evidence) }
        },
    ]

    private static let ofContent: [EventProperty] = [
        text("provider", "The publisher that vouches for the event, such as usgs") { $0.provider },
        text("upstream_id", "The provider's name for the event") { $0.id },
        EventProperty("aliases", .array, "The provider's other names for it", .event { .texts($0.aliases) }),
        time("time", "When it happened") { $0.time },
        time("updated", "When the provider last changed it") { $0.updated },
        time("expires", "When the provider says it ends") { $0.expires },
        row("severity", .string, "How severe an alert is in the word of CAP, such as Severe") { stored in
            guard stored.event.category == .alert else { return nil }
            return Event.detail("severity", of: stored.event.details, isNumber: false).map { Value.text($0) }
        },
        text("category", "Its kind: earthquake, volcano, news, message, alert, other or another word") {
            $0.category.rawValue
        },
        text("title", "The headline as plain text") { $0.title },
        text("summary", "The text as plain text") { $0.summary },
        text("link", "The page about it, http or https", "uri") { $0.link },
        text("author_name", "The writer") { $0.author?.name },
        text("author_link", "The writer's page", "uri") { $0.author?.link },
        text("author_picture", "The writer's picture", "uri") { $0.author?.picture },
        number("weight", "Weight on a heat map, 0…1: a tenth of an earthquake's magnitude, else 1") {
            $0.weight.asShare
        },
        number("magnitude", "Magnitude on the provider's scale") { $0.magnitude },
        text("magnitude_type", "The type of the magnitude in the provider's word, such as mww") { event in
            event.detail("magType").flatMap { $0.isEmpty ? nil : $0 }
        },
        number("magnitude_error", "Standard error of the magnitude") { event in
            event.detail("magError", isNumber: true).flatMap { Double($0) }
        },
        number("depth_km", "Depth in kilometres below the surface") { $0.depth },
        text("status", "The provider's word for its state, such as reviewed") { $0.status },
        text("place_text", "The place in the feed's words") { $0.place },
        text("language", "BCP 47 tag of the text") { $0.language },
    ]

    private static let ofPlace: [EventProperty] = [
        number("latitude", "Degrees north", isGeometry: true) { $0.location?.coordinate.latitude },
        number("longitude", "Degrees east", isGeometry: true) { $0.location?.coordinate.longitude },
        text("location_method", "How the position was found, such as coordinates or gazetteer") {
            $0.location?.method.rawValue
        },
        text("location_precision", "How exact the position is: point, city, region or country") {
            $0.location?.precision.rawValue
        },
        number("location_confidence", "Confidence in the place, 0…1") {
            $0.location?.confidence.asShare
        },
        text("location_matched_text", "The words that name the place") { $0.location?.matchedText },
        text("location_name", "The name of the place that the words mean, with its region and country") {
            $0.location?.name
        },
        text(
            "location_evidence",
            "The text with these words: place, dateline, author (it is the author's own home), title, summary, distance (from a town)"
        ) {
            $0.location?.evidence?.rawValue
        },
        text("location_place_id", "The place's id in the city table or at the service") { $0.location?.placeID },
        text("location_country", "ISO 3166-1 code of the country in which the place was found by name") {
            $0.location?.country
        },
        number("location_radius_km", "How far the place reaches from its position, in kilometres") {
            $0.location?.radius
        },
        row(
            "location_missing", .string,
            "Why it has no coordinate: waiting, not_found, not_named, ambiguous, not_sought or taken_away; "
                + "in present items alone"
        ) {
            $0.missingPlace.map { Value.text($0.rawValue) }
        },
        EventProperty(
            "geometry", .object, "The shape as GeoJSON", isGeometry: true,
            .event { $0.geometry.map { Value.json(GeoJSONShape.normalisedText($0)) } }),
        EventProperty(
            "details", .object, "The feed's remaining fields",
            .event { $0.details == "{}" ? nil : Value.json($0.details) }),
    ]

    private static func row(
        _ name: String, _ kind: Kind, _ words: String, _ format: String? = nil,
        _ read: @escaping @Sendable (StoredEvent) -> Value?
    ) -> EventProperty {
        EventProperty(name, kind, words, format: format, .row(read))
    }

    private static func text(
        _ name: String, _ words: String, _ format: String? = nil, _ read: @escaping @Sendable (Event) -> String?
    ) -> EventProperty {
        EventProperty(name, .string, words, format: format, .event { event in read(event).map { Value.text($0) } })
    }

    private static func time(
        _ name: String, _ words: String, _ read: @escaping @Sendable (Event) -> Date?
    ) -> EventProperty {
        EventProperty(
            name, .string, words, format: "date-time", .event { event in read(event).map { Value.time($0) } })
    }

    private static func number(
        _ name: String, _ words: String, isGeometry: Bool = false, _ read: @escaping @Sendable (Event) -> Double?
    ) -> EventProperty {
        EventProperty(
            name, .number, words, isGeometry: isGeometry, .event { event in read(event).map { Value.number($0) } })
    }
}

extension Event {
    /// A string of the details of an event with a magnitude, or a number as written; nil: they have no such member.
    ///
    /// Details are our own JSON without blanks. A look at the bytes finds the member; a parser would take a fifth of the
    /// time of the whole event, so it reads only what has arrays, objects or escapes before.
    fileprivate func detail(_ name: StaticString, isNumber: Bool = false) -> String? {
        magnitude == nil ? nil : Self.detail(name, of: details, isNumber: isNumber)
    }

    /// The same of given details.
    static func detail(_ name: StaticString, of details: String, isNumber: Bool) -> String? {
        let (key, quote, comma) = ("\"\(name)\"", UInt8(ascii: "\""), UInt8(ascii: ","))
        var text = details
        return text.withUTF8 { bytes -> String? in
            guard let start = bytes.firstIndex(of: key), start > 0 else { return nil }
            let isPlain = !bytes[1..<start].contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
            let value = bytes[start...].dropFirst(key.utf8.count + 1)
            guard isPlain, [comma, UInt8(ascii: "{")].contains(bytes[start - 1]),
                bytes[..<value.startIndex].last == UInt8(ascii: ":"), let first = value.first
            else { return parsedDetail(name, of: details, isNumber) }
            if isNumber {
                let digits = value.prefix { $0 != comma && $0 != UInt8(ascii: "}") }
                return String(decoding: digits, as: UTF8.self)
            }
            guard first == quote else { return nil }
            let word = value.dropFirst().prefix { $0 != quote }
            return word.contains(UInt8(ascii: "\\"))
                ? parsedDetail(name, of: details, isNumber) : String(decoding: word, as: UTF8.self)
        }
    }

    private static func parsedDetail(_ name: StaticString, of details: String, _ isNumber: Bool) -> String? {
        try? JSONParser().withValue(of: Data(details.utf8)) { root throws(ReadingError) -> String? in
            root[name].flatMap { isNumber ? $0.double.map { "\($0)" } : $0.string }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where a word, which is not empty, begins; nil: it does not occur.
    fileprivate func firstIndex(of word: String) -> Int? {
        var word = word
        return word.withUTF8 { word in
            guard let baseAddress, let start = word.baseAddress, count >= word.count else { return nil }
            return (0...count - word.count).first { place in
                self[place] == start.pointee && memcmp(baseAddress + place, start, word.count) == 0
            }
        }
    }
}
