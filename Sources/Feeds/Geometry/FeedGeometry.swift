import Model

/// A shape of a feed, to be turned into a location and GeoJSON.
indirect enum FeedGeometry: Sendable, Hashable {
    case point(Coordinate)
    /// Two points or more.
    case line([Coordinate])
    /// Closed rings (see `ring(_:)`): the outer one first, then holes.
    case polygon([[Coordinate]])
    case collection([FeedGeometry])

    /// One shape out of several; nil for an empty list.
    static func combined(_ shapes: [FeedGeometry]) -> FeedGeometry? {
        shapes.count > 1 ? .collection(shapes) : shapes.first
    }

    /// The closed ring through the points; nil for fewer than three points.
    static func ring(_ points: [Coordinate]) -> [Coordinate]? {
        var ring = points
        if ring.count > 1, ring.first == ring.last { ring.removeLast() }
        guard ring.count >= 3, let first = ring.first else { return nil }
        ring.append(first)
        return ring
    }

    /// The shape's location: the point itself, the centre of a line or of a polygon's outer ring, the first location in
    /// a collection. Nil for a line or polygon that is not credible, or whose centre is 0,0.
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

    /// Whether the shape can be a real place.
    ///
    /// It is not when all its points are exactly 0,0, or when its longitudes span 180° or more. The span is measured
    /// the shorter way round, so shapes across 180° are fine. A collection is credible when all its members are.
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
        // The widest gap between neighbours is the part outside the shape.
        var gap = west + 360 - east
        for index in 1..<longitudes.count { gap = max(gap, longitudes[index] - longitudes[index - 1]) }
        // Only -180 and 180: the whole world.
        return gap > 180 && gap < 360
    }

    /// The largest radius of a circle that counts as a place, in kilometres: a quarter of the Earth's circumference
    /// across.
    static let largestRadius = 5000.0

    /// The GeoJSON geometry (RFC 7946 §3.1), longitude first; nil for a point.
    ///
    /// Shapes of one type become a MultiPoint, MultiLineString or MultiPolygon. Rings keep the feed's winding and
    /// shapes across 180° are not cut; `Presenting` does both on output.
    var shape: String? {
        if case .point = self { return nil }
        return geoJSON
    }

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
