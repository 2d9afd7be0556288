import Model

/// A shape as a feed draws it, on its way to a location and to GeoJSON.
indirect enum FeedGeometry: Sendable, Hashable {
    /// A single point.
    case point(Coordinate)
    /// Two points or more.
    case line([Coordinate])
    /// Closed rings (`ring(_:)`): the outer one, then holes.
    case polygon([[Coordinate]])
    /// Several shapes.
    case collection([FeedGeometry])

    /// Several shapes as one; nil for none.
    static func combined(_ shapes: [FeedGeometry]) -> FeedGeometry? {
        shapes.count > 1 ? .collection(shapes) : shapes.first
    }

    /// The ring through the points, closed if it was not; nil for fewer than three points.
    static func ring(_ points: [Coordinate]) -> [Coordinate]? {
        var ring = points
        if ring.count > 1, ring.first == ring.last { ring.removeLast() }
        guard ring.count >= 3, let first = ring.first else { return nil }
        ring.append(first)
        return ring
    }

    /// Where it is: the point itself, the middle of a line or of a polygon's outer ring, the first place of a
    /// collection; nil for a line or polygon that is not credible, or whose middle is 0,0, which stands for no place.
    var location: Location? {
        switch self {
        case .point(let point):
            return Location(point)
        case .line(let points):
            return Self.middle(of: points, by: .line)
        case .polygon(let rings):
            return rings.first.flatMap { Self.middle(of: $0, by: .polygon) }
        case .collection(let shapes):
            for shape in shapes {
                if let location = shape.location { return location }
            }
            return nil
        }
    }

    private static func middle(of points: [Coordinate], by method: Location.Method) -> Location? {
        guard areCredible(points), let centre = Coordinate.centre(of: points), !centre.isNowhere else { return nil }
        return Location(centre, method: method, precision: .region)
    }

    /// Whether the shape can be meant as a place; false for a position that nobody knew, and for half the world or more.
    ///
    /// That is: all points exactly 0,0, or longitudes that span 180° or more (by the shorter way round, so that a shape
    /// across 180° is none of these). A collection is credible when all its members are.
    var isCredible: Bool {
        switch self {
        case .point(let point): Self.areCredible([point])
        case .line(let points): Self.areCredible(points)
        case .polygon(let rings): rings.first.map { Self.areCredible($0) } ?? false
        case .collection(let shapes): shapes.allSatisfy(\.isCredible)
        }
    }

    private static func areCredible(_ points: [Coordinate]) -> Bool {
        guard points.contains(where: { !$0.isNowhere }) else { return false }
        let longitudes = points.map(\.longitude).sorted()
        guard let west = longitudes.first, let east = longitudes.last, east - west >= 180 else { return true }
        // The widest gap between neighbours lies outside of the shape.
        var gap = west + 360 - east
        for index in 1..<longitudes.count { gap = max(gap, longitudes[index] - longitudes[index - 1]) }
        // Nothing but -180 and 180 is the world.
        return gap > 180 && gap < 360
    }

    /// The largest circle that is a place, in kilometres: a quarter of the Earth's circumference across.
    static let largestRadius = 5000.0

    /// The GeoJSON geometry (RFC 7946 §3.1) when it is more than a point; positions are longitude, latitude.
    ///
    /// Shapes of one sort become a MultiPoint, MultiLineString or MultiPolygon. Rings keep the winding of the feed and
    /// shapes across 180° are not cut: that is done where events are printed (`Presenting`).
    var shape: String? {
        if case .point = self { return nil }
        return geoJSON
    }

    /// The GeoJSON geometry text.
    var geoJSON: String {
        switch self {
        case .point, .line, .polygon:
            return "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
        case .collection(let shapes):
            // Nested collections are discouraged (RFC 7946 §3.1.8); KML's MultiGeometry nests.
            let flat = shapes.flatMap(\.members)
            let types = Set(flat.map(\.type))
            if types.count == 1, let type = types.first {
                let all = flat.map(\.coordinates).joined(separator: ",")
                return "{\"type\":\"Multi\(type)\",\"coordinates\":[\(all)]}"
            }
            let all = flat.map(\.geoJSON).joined(separator: ",")
            return "{\"type\":\"GeometryCollection\",\"geometries\":[\(all)]}"
        }
    }

    private var members: [FeedGeometry] {
        if case .collection(let shapes) = self { return shapes.flatMap(\.members) }
        return [self]
    }

    private var type: String {
        switch self {
        case .point: "Point"
        case .line: "LineString"
        case .polygon: "Polygon"
        case .collection: "GeometryCollection"
        }
    }

    private var coordinates: String {
        switch self {
        case .point(let point): Self.position(point)
        case .line(let points): Self.positions(points)
        case .polygon(let rings): "[" + rings.map(Self.positions).joined(separator: ",") + "]"
        case .collection: "[]"
        }
    }

    private static func positions(_ points: [Coordinate]) -> String {
        var text = "["
        for point in points {
            if text.utf8.count > 1 { text += "," }
            text += position(point)
        }
        return text + "]"
    }

    private static func position(_ point: Coordinate) -> String { "[\(point.longitude),\(point.latitude)]" }
}
