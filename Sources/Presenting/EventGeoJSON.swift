public import Model
public import Reading

extension StoredEvent {
    /// The event as a GeoJSON feature (RFC 7946 §3.2) on one line; its `id` is the public id. Its properties are the
    /// members of `json` without shape and coordinate; those of type `number` always have a fraction (`5.0`). Its
    /// geometry is the shape, else the point, and null if the event has no location.
    public var feature: String { feature(EventProperty.ofFeature, isExact: nil) }

    /// The feature with some properties only, as by `appendFeature`.
    /// - Parameter change: Its first property; nil, the default: it has none.
    public func feature(_ chosen: [EventProperty], isExact: Bool?, change: String? = nil) -> String {
        var (text, writer) = ([UInt8](), JSONWriter())
        writer.member("change", change)
        appendFeature(chosen, isExact: isExact, to: &text, by: &writer)
        return String(decoding: text, as: UTF8.self)
    }

    /// The event as one JSON object on one line with some members only.
    /// - Parameters:
    ///   - chosen: The members.
    ///   - isExact: As in `feature(_:isExact:)`.
    public func json(_ chosen: [EventProperty], isExact: Bool?) -> String {
        var writer = JSONWriter()
        for property in chosen { writer.write(property.value(of: self), as: property.key) }
        writer.member("exact", isExact)
        return writer.finish()
    }

    /// Appends the feature with some properties only.
    /// - Parameters:
    ///   - chosen: The properties, of which those of the geometry are left out.
    ///   - isExact: The value of the property `exact`, which says of an earlier state whether it is known exactly; nil:
    ///     the property is left out.
    ///   - hasGeometry: Whether the geometry is written, as by default; else null is in its place.
    ///   - writer: Holds the first properties, and no others afterwards; its memory serves one feature after another.
    public func appendFeature(
        _ chosen: [EventProperty], isExact: Bool?, hasGeometry: Bool = true, to text: inout [UInt8],
        by writer: inout JSONWriter
    ) {
        text += "{\"type\":\"Feature\",\"id\":".utf8
        text += publicID.jsonQuoted.utf8
        text += ",\"geometry\":".utf8
        text += (hasGeometry ? geometryText : "null").utf8
        text += ",\"properties\":{".utf8
        for property in chosen where !property.isGeometry {
            writer.write(property.value(of: self), as: property.key, inFeature: true)
        }
        writer.member("exact", isExact)
        writer.move(to: &text)
        text += "}}".utf8
    }

    /// The shape, else the point; null without either.
    private var geometryText: String {
        if let shape = event.geometry { return GeoJSONShape.normalisedText(shape) }
        return event.location.map { GeoJSONShape.point(GeoJSONShape.Position($0.coordinate)).text } ?? "null"
    }
}

/// The lines of a GeoJSON document around its features (RFC 7946 §3.3): `head`, a `line` for each event, `tail`.
public enum FeatureCollection {
    /// The line before the first feature, without a line end.
    public static let head = "{\"type\":\"FeatureCollection\",\"features\":["
    /// The line after the last feature, without a line end.
    public static let tail = "]}"

    /// The line of a feature, without a line end.
    /// - Parameter isFirst: Whether it is the first of the document; the others begin with a comma.
    public static func line(_ feature: String, isFirst: Bool) -> String { (isFirst ? "" : ",") + feature }
}
