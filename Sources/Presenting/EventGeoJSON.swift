public import Model
import Reading

extension StoredEvent {
    /// The event as a GeoJSON feature (RFC 7946 §3.2) on one line; its properties are the members of `json` but for
    /// shape and coordinate, its geometry is null when it could not be located.
    public var feature: String { feature(change: nil) }

    /// The same with a change ahead of its properties.
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

/// The lines of a GeoJSON document around those of its features (RFC 7946 §3.3).
public enum FeatureCollection {
    /// The line before the first feature.
    public static let head = "{\"type\":\"FeatureCollection\",\"features\":["
    /// The line after the last feature.
    public static let tail = "]}"

    /// A feature's line.
    /// - Parameter isFirst: Whether it is the first of the document; all others follow a comma.
    public static func line(_ event: StoredEvent, isFirst: Bool) -> String { (isFirst ? "" : ",") + event.feature }
}
