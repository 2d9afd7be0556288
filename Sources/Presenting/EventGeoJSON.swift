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
        properties.members(of: self, withGeometry: false)
        let point = event.location.map { GeoJSONShape.point(GeoJSONShape.Position($0.coordinate)).text }
        var feature = JSONWriter()
        feature.member("type", "Feature")
        feature.member("id", publicID)
        feature.member("geometry", raw: event.geometry.map(GeoJSONShape.normalisedText) ?? point ?? "null")
        feature.member("properties", raw: properties.finish())
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
