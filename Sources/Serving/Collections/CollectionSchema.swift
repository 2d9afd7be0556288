import Model
import Presenting
import Reading

/// The schemas of a collection's items.
enum CollectionSchema {
    /// The JSON Schema of a feature. GDAL reads the types of its fields from here; without it a field that is missing
    /// in the first ten features becomes text.
    static func feature(_ collection: EventCollection, address: String) -> String {
        var inner = JSONWriter()
        inner.member("type", "object")
        inner.member("properties", raw: properties(of: collection))
        var members = JSONWriter()
        members.member("type", raw: #"{"type":"string","enum":["Feature"]}"#)
        members.member("id", raw: #"{"type":"string"}"#)
        members.member("geometry", raw: #"{"oneOf":[{"type":"object"},{"type":"null"}]}"#)
        members.member("properties", raw: inner.finish())
        var writer = JSONWriter()
        writer.member("$schema", "https://json-schema.org/draft/2019-09/schema")
        writer.member("$id", address)
        writer.member("title", collection.title)
        writer.member("type", "object")
        writer.member("required", ["type", "geometry", "properties"])
        writer.member("properties", raw: members.finish())
        return writer.finish() + "\n"
    }

    /// The queryables (OGC API Features, Part 3, §6.2): properties of which a parameter of the same name takes values.
    static func queryables(_ collection: EventCollection, address: String) -> String {
        var members = JSONWriter()
        if !collection.holdsPoints {
            for name in ["provider", "category"] where name != "category" || collection.categories.isEmpty {
                guard let property = EventProperty.named(name) else { continue }
                members.member(name, raw: schema(property.kind, property.format, property.words))
            }
        }
        var writer = JSONWriter()
        writer.member("$schema", "https://json-schema.org/draft/2019-09/schema")
        writer.member("$id", address)
        writer.member("title", collection.title)
        writer.member("type", "object")
        writer.member("properties", raw: members.finish())
        writer.member("additionalProperties", false)
        return writer.finish() + "\n"
    }

    private static func properties(of collection: EventCollection) -> String {
        var writer = JSONWriter()
        if collection.holdsPoints {
            for property in PointOfInterest.featureProperties {
                writer.member(property.name, raw: schema(property.kind, property.format, property.words))
            }
        } else {
            for property in EventProperty.ofFeature {
                writer.member(property.name, raw: schema(property.kind, property.format, property.words))
            }
        }
        return writer.finish()
    }

    private static func schema(_ kind: EventProperty.Kind, _ format: String?, _ words: String) -> String {
        var writer = JSONWriter()
        writer.member("type", kind.rawValue)
        writer.member("format", format)
        writer.member("description", words)
        if kind == .array { writer.member("items", raw: #"{"type":"string"}"#) }
        return writer.finish()
    }
}
