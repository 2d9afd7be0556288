import Model
import Presenting
import Reading

/// The schemas of a collection's items.
enum CollectionSchema {
    /// The JSON Schema of a feature. GDAL reads the types of its fields from here; without it a field that is missing
    /// in the first ten features becomes text.
    static func feature(_ collection: EventCollection, address: String) -> String {
        JSONWriter.object([
            "$schema": "https://json-schema.org/draft/2019-09/schema", "$id": address, "title": collection.title,
            "type": "object", "required": ["type", "geometry", "properties"],
            "properties": .object([
                "type": .raw(#"{"type":"string","enum":["Feature"]}"#), "id": .object(["type": "string"]),
                "geometry": .raw(#"{"oneOf":[{"type":"object"},{"type":"null"}]}"#),
                "properties": .object(["type": "object", "properties": properties(of: collection)]),
            ]),
        ]) + "\n"
    }

    /// The queryables (OGC API Features, Part 3, §6.2): properties of which a parameter of the same name takes values.
    static func queryables(_ collection: EventCollection, address: String) -> String {
        let names = collection.categories.isEmpty ? ["provider", "category"] : ["provider"]
        let properties = collection.holdsPoints ? [] : names.compactMap { EventProperty.named($0) }
        return JSONWriter.object([
            "$schema": "https://json-schema.org/draft/2019-09/schema", "$id": address, "title": collection.title,
            "type": "object",
            "properties": .object(of: properties.map { ($0.name, schema($0.kind, $0.format, $0.words)) }),
            "additionalProperties": false,
        ]) + "\n"
    }

    private static func properties(of collection: EventCollection) -> RawJSON {
        guard collection.holdsPoints else {
            return .object(of: EventProperty.ofFeature.map { ($0.name, schema($0.kind, $0.format, $0.words)) })
        }
        return .object(
            of: PointOfInterest.featureProperties.map { ($0.name, schema($0.kind, $0.format, $0.words)) })
    }

    private static func schema(_ kind: EventProperty.Kind, _ format: String?, _ words: String) -> RawJSON {
        .object([
            "type": kind.rawValue, "format": format, "description": words,
            "items": kind == .array ? RawJSON(#"{"type":"string"}"#) : nil,
        ])
    }
}
