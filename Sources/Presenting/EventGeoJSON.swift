public import Model
import Reading

extension StoredEvent {
    /// The event as a GeoJSON feature (RFC 7946 §3.2) on one line; its `id` is the public id. Its properties are the
    /// members of `json` without shape and coordinate; its geometry is the shape, else the point, and null if the event
    /// has no location.
    public var feature: String { feature(change: nil) }

    /// The feature with a change as its first property; nil: none.
    func feature(change: String?) -> String {
        var properties = JSONWriter()
        properties.member("change", change)
        for property in EventProperty.ofFeature { properties.write(property.value(of: self), as: property.name) }
        return feature(with: properties.finish())
    }

    /// The feature with some properties only.
    /// - Parameters:
    ///   - chosen: The properties, of which those of the geometry are left out.
    ///   - isExact: The value of the property `exact`, which says of an earlier state whether it is known exactly; nil:
    ///     the property is left out.
    public func feature(_ chosen: [EventProperty], isExact: Bool?) -> String {
        var properties = JSONWriter()
        for property in chosen where !property.isGeometry {
            properties.write(property.value(of: self), as: property.name)
        }
        properties.member("exact", isExact)
        return feature(with: properties.finish())
    }

    /// The event as one JSON object on one line with some members only.
    /// - Parameters:
    ///   - chosen: The members.
    ///   - isExact: As in `feature(_:isExact:)`.
    public func json(_ chosen: [EventProperty], isExact: Bool?) -> String {
        var writer = JSONWriter()
        for property in chosen { writer.write(property.value(of: self), as: property.name) }
        writer.member("exact", isExact)
        return writer.finish()
    }

    private func feature(with properties: String) -> String {
        let point = event.location.map { GeoJSONShape.point(GeoJSONShape.Position($0.coordinate)).text }
        var feature = JSONWriter()
        feature.member("type", "Feature")
        feature.member("id", publicID)
        feature.member("geometry", raw: event.geometry.map(GeoJSONShape.normalisedText) ?? point ?? "null")
        feature.member("properties", raw: properties)
        return feature.finish()
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
    public static func line(_ event: StoredEvent, isFirst: Bool) -> String { (isFirst ? "" : ",") + event.feature }
}
