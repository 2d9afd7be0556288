public import Foundation
public import Model
import Reading

extension PointOfInterest {
    /// What the store adds to a place in its outer forms.
    public struct Row: Sendable, Hashable {
        /// The key under which it is stored.
        public var key: String
        /// When seeding last stored or changed it.
        public var seeded: Date
        /// Distance from the middle of a query in kilometres; nil: no such query.
        public var kilometres: Double?

        /// Creates a row with these values, which are not checked; by default without a distance.
        public init(key: String, seeded: Date, kilometres: Double? = nil) {
            self.key = key
            self.seeded = seeded
            self.kilometres = kilometres
        }

        /// The distance, rounded to metres.
        public var distance: Double? { kilometres.map { ($0 * 1000).rounded() / 1000 } }
    }

    /// A member of the place's JSON form: its name, JSON type, what it says, and whether a feature's geometry says it.
    public struct Property: Sendable {
        /// The name of the member.
        public let name: String
        /// The JSON type of its values.
        public let kind: EventProperty.Kind
        /// The format of a text in the words of JSON Schema; nil: any text.
        public let format: String?
        /// What it says, for people: one sentence without a full stop.
        public let words: String
        let isGeometry: Bool
        let key: JSONWriter.Key
        let read: @Sendable (PointOfInterest, Row) -> EventProperty.Value?

        init(
            _ name: String, _ kind: EventProperty.Kind, _ words: String, format: String? = nil,
            isGeometry: Bool = false, _ read: @escaping @Sendable (PointOfInterest, Row) -> EventProperty.Value?
        ) {
            self.name = name
            self.kind = kind
            self.format = format
            self.words = words
            self.isGeometry = isGeometry
            key = JSONWriter.Key(name)
            self.read = read
        }

        /// The value of a place; nil: it has none.
        public func value(of point: PointOfInterest, _ row: Row) -> EventProperty.Value? { read(point, row) }
    }

    /// All members, in the order in which they are written; names are those of the view `points_of_interest_v1`.
    public static let properties: [Property] = [
        Property("key", .string, "The place's id: gvp: and its number, else its name and position") {
            .text($1.key)
        },
        Property("kind", .string, "The kind of place: volcano") { point, _ in .text(point.kind.rawValue) },
        Property("number", .integer, "Number in the Global Volcanism Program's list") { point, _ in
            point.number.map { EventProperty.Value.whole($0) }
        },
        Property("name", .string, "The name as the list writes it") { point, _ in .text(point.name) },
        Property("country", .string, "The country's name as the list writes it") { point, _ in
            point.country.map { EventProperty.Value.text($0) }
        },
        Property("latitude", .number, "Degrees north", isGeometry: true) { point, _ in
            .number(point.coordinate.latitude)
        },
        Property("longitude", .number, "Degrees east", isGeometry: true) { point, _ in
            .number(point.coordinate.longitude)
        },
        Property("distance_km", .number, "Distance from the middle of the circle, in kilometres") { _, row in
            row.distance.map { EventProperty.Value.number($0) }
        },
        Property("picture", .string, "A picture, http or https", format: "uri") { point, _ in
            point.picture.map { EventProperty.Value.text($0) }
        },
        Property("webcam", .string, "A webcam, http or https", format: "uri") { point, _ in
            point.webcam.map { EventProperty.Value.text($0) }
        },
        Property("text", .string, "What the list says about it") { point, _ in
            point.text.map { EventProperty.Value.text($0) }
        },
        Property("details", .object, "The list's remaining fields") { point, _ in
            point.details == "{}" ? nil : EventProperty.Value.json(point.details)
        },
        Property("seeded", .string, "When seeding last stored or changed it", format: "date-time") { _, row in
            .time(row.seeded)
        },
    ]

    /// The properties of a feature: all but those that its geometry says.
    public static let featureProperties: [Property] = properties.filter { !$0.isGeometry }

    /// The place as one JSON object on one line with these members; those without a value are left out.
    /// - Parameter inFeature: Whether numbers always have a fraction; default false.
    public func json(_ row: Row, _ chosen: [Property] = Self.properties, inFeature: Bool = false) -> String {
        var writer = JSONWriter()
        for property in chosen {
            writer.write(property.value(of: self, row), as: property.key, inFeature: inFeature)
        }
        return writer.finish()
    }

    /// The place as a GeoJSON feature (RFC 7946 §3.2) on one line, with the properties that are chosen and not said by
    /// its geometry.
    /// - Parameter hasGeometry: Whether the point is written, as by default; else null is in its place.
    public func feature(
        _ row: Row, _ chosen: [Property] = Self.featureProperties, hasGeometry: Bool = true
    ) -> String {
        let point = GeoJSONShape.point(GeoJSONShape.Position(coordinate)).text
        return JSONWriter.object([
            "type": "Feature", "id": row.key, "geometry": .raw(hasGeometry ? point : "null"),
            "properties": .raw(json(row, chosen.filter { !$0.isGeometry }, inFeature: true)),
        ])
    }
}
