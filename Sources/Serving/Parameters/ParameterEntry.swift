import Model
import Presenting
import Reading

/// A parameter of the items of a collection, as the OpenAPI document and `docs/api.md` describe it.
struct ParameterEntry: Sendable {
    /// The resources that take it.
    enum Scope: Sendable {
        /// Items, changes, the stream and summaries: a condition on the event itself.
        case condition
        /// Items of events only.
        case items
    }

    let name: String
    /// The schema of OpenAPI 3.0.
    let schema: String
    let words: String
    let scope: Scope
    /// Whether volcanoes take it, too.
    let isOfPoints: Bool

    /// Creates an entry; by default of a condition that volcanoes do not take.
    init(
        _ name: String, _ schema: String, _ words: String, _ scope: Scope = .condition, isOfPoints: Bool = false
    ) {
        self.name = name
        self.schema = schema
        self.words = words
        self.scope = scope
        self.isOfPoints = isOfPoints
    }

    /// All parameters of items.
    static let all: [ParameterEntry] = [
        ParameterEntry(
            "bbox", #"{"type":"array","minItems":4,"maxItems":6,"items":{"type":"number"}}"#,
            "West, south, east, north; west above east crosses 180°. Of six numbers the heights are ignored",
            isOfPoints: true),
        ParameterEntry(
            "latitude", #"{"type":"number","minimum":-90,"maximum":90}"#,
            "Degrees north of the middle of a circle; together with longitude", isOfPoints: true),
        ParameterEntry(
            "longitude", #"{"type":"number","minimum":-180,"maximum":360}"#,
            "Degrees east of the middle of a circle; together with latitude", isOfPoints: true),
        ParameterEntry(
            "near", #"{"type":"string","minLength":1,"maxLength":200}"#,
            "The middle of a circle by the name of a volcano or city", isOfPoints: true),
        ParameterEntry(
            "radius", #"{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":20100,"default":100}"#,
            "Kilometres around the middle of the circle, up to 20100; 100 by default", isOfPoints: true),
        ParameterEntry(
            "datetime", #"{"type":"string","pattern":"^(\#(side)|(\\.\\.)?/\#(side)|\#(side)/(\\.\\.|\#(side))?)$"}"#,
            """
            Event time: an instant, milliseconds since 1970, a date (the whole day in UTC), or an interval a/b, a/.., \
            ../b
            """,
            isOfPoints: true),
        ParameterEntry("min_magnitude", number, "Smallest magnitude; leaves out events without one"),
        ParameterEntry("max_magnitude", number, "Largest magnitude; leaves out events without one"),
        ParameterEntry("min_depth", number, "Smallest depth in kilometres"),
        ParameterEntry("max_depth", number, "Largest depth in kilometres"),
        ParameterEntry("min_weight", #"{"type":"number","minimum":0,"maximum":1}"#, "Smallest weight"),
        ParameterEntry(
            "q", #"{"type":"string","minLength":1,"maxLength":250,"pattern":"\#(upTo16Words)"}"#,
            "Words that must all occur, 16 at most; * at the end of one for any ending", isOfPoints: true),
        ParameterEntry("author", #"{"type":"string","pattern":"^[^\\x00]+$"}"#, "Exact name of the author"),
        ParameterEntry("source", words, "Names of sources, at least one of which shows the event"),
        ParameterEntry("provider", words, "Providers, one of which is the event's"),
        ParameterEntry("category", words, "Categories, one of which is the event's; in the collection events only"),
        ParameterEntry("located", #"{"type":"boolean"}"#, "Whether the event has a coordinate"),
        ParameterEntry("precision", list(["point", "city", "region", "country"]), "How exact the position is"),
        ParameterEntry(
            "evidence", list(["place", "dateline", "author", "title", "summary", "distance"]),
            "The text in which the place was found"),
        ParameterEntry(
            "home", #"{"type":"string","enum":["exclude","include","only"]}"#,
            "Whether events placed at the author's home come; include by default, exclude in hotspots and authors"),
        ParameterEntry(
            "country", array(#"{"type":"string","pattern":"^[A-Za-z]{2}$"}"#),
            "ISO 3166-1 codes of countries in which the place was found by name"),
        ParameterEntry(
            "withdrawn", #"{"type":"string","enum":["exclude","include","only"],"default":"exclude"}"#,
            "Whether withdrawn events come, too"),
        ParameterEntry(
            "updated_after", #"{"type":"string","format":"date-time"}"#,
            "Last visible change at this time or later; withdrawn events then come, too", .items),
        ParameterEntry(
            "after", #"{"type":"integer","format":"int64","minimum":0,"maximum":9223372036854775807}"#,
            "Last visible change with a higher number; withdrawn events then come, too", .items),
        ParameterEntry(
            "as_of", #"{"type":"string","pattern":"^([0-9]{1,18}|\#(moment))$"}"#,
            "The state as it was known at a time, or at the number of a change", .items),
        ParameterEntry(
            "limit", #"{"type":"integer","minimum":1,"default":100}"#,
            "Items of a page, 100 by default, 10000 at most, 1000 as csv, ndjson and geojsonseq", .items,
            isOfPoints: true),
        ParameterEntry(
            "cursor", #"{"type":"string"}"#, "Where the page begins; taken from the link to the next page", .items,
            isOfPoints: true),
        ParameterEntry(
            "sortby", #"{"type":"string","enum":["-time","time","-magnitude","magnitude"],"default":"-time"}"#,
            "The order; -magnitude and magnitude leave out events without one", .items),
        ParameterEntry(
            "properties", list(EventProperty.all.map(\.name)), "The members that are written; all by default", .items,
            isOfPoints: true),
        ParameterEntry(
            "skipGeometry", #"{"type":"boolean"}"#, "Whether features come without geometry, null in its place", .items,
            isOfPoints: true),
        ParameterEntry(
            "versions", #"{"type":"boolean"}"#, "With f=columns: each version with known_from and known_to", .items),
        ParameterEntry(
            "f", word(ItemForm.allCases.map(\.rawValue)),
            "The form of the answer, before the field Accept", .items, isOfPoints: true),
    ]

    /// Those of a collection's items.
    static func of(_ collection: EventCollection) -> [ParameterEntry] {
        guard collection.holdsPoints else {
            return all.filter { $0.name != "category" || collection.categories.isEmpty }
        }
        return all.filter { $0.isOfPoints }.map { entry in
            let schema: String
            switch entry.name {
            case "properties": schema = list(PointOfInterest.properties.map(\.name))
            case "f": schema = word(ItemForm.allCases.filter { $0 != .columns }.map(\.rawValue))
            default: return entry
            }
            return ParameterEntry(entry.name, schema, entry.words, entry.scope, isOfPoints: true)
        }
    }

    private static let number = #"{"type":"number"}"#
    private static let words = array(#"{"type":"string","pattern":"^[^,\\x00]+$"}"#)
    /// Words without a letter or digit pass the pattern and are refused: patterns of OpenAPI know ASCII's alone.
    private static let upTo16Words = #"^\\s*\#(mark)+(\\s+\#(mark)+){0,15}\\s*$"#
    private static let mark = #"[^\\s\\x00]"#
    /// A time with its zone, or a date; days that no month has pass the pattern and are refused.
    private static let moment =
        #"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"#
        + #"(T\#(hour):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]\#(hour):[0-5][0-9]))?"#
    private static let hour = "([01][0-9]|2[0-3])"
    /// A side of an interval.
    private static let side = "(\(moment)|[1-9][0-9]{12})"

    private static func list(_ words: [String]) -> String { array(word(words)) }

    /// The schema of one of these words.
    private static func word(_ words: [String]) -> String {
        "{\"type\":\"string\",\"enum\":[\(words.map(\.jsonQuoted).joined(separator: ","))]}"
    }

    /// The schema of a list whose values have this one.
    private static func array(_ value: String) -> String {
        "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(Parameters.mostValues),\"items\":\(value)}"
    }

    /// The parameter object of OpenAPI 3.0; lists are separated by commas.
    var json: String {
        JSONWriter.object([
            "name": name, "in": "query", "description": words, "required": false, "style": "form", "explode": false,
            "schema": .raw(schema),
        ])
    }
}
