import Model
import Reading

/// Reads the shapes of a placemark (OGC 07-147r2, `kml:AbstractGeometryGroup`).
struct KMLGeometry {
    /// Unreadable tuples, and rings or lines with too few points.
    private(set) var faults: [String] = []
    /// The altitude of the first point in metres, above ground or sea as the document defines it.
    private(set) var altitude: Double?
    /// Whether the placemark has any geometry element.
    private(set) var isPresent = false

    /// The shape of a placemark; nil when it has no readable one.
    mutating func shape(ofPlacemark node: XMLNode) -> FeedGeometry? {
        var shapes: [FeedGeometry] = []
        for child in node.children where Self.names.contains(child.name) {
            if let shape = shape(child) { shapes.append(shape) }
        }
        return FeedGeometry.combined(shapes)
    }

    /// The names of geometry elements. Google's also occur with an undeclared prefix.
    static let names: Set<String> = [
        "Point", "LineString", "LinearRing", "Polygon", "MultiGeometry", "Track", "MultiTrack", "gx:Track",
        "gx:MultiTrack",
    ]

    /// The shape of one geometry element; nil with a fault when it is unreadable.
    mutating func shape(_ node: XMLNode) -> FeedGeometry? {
        isPresent = true
        switch node.name {
        case "Point":
            guard let points = coordinates(node), let point = points.first else { return nil }
            if Self.areUnknown([point]) { return fault("0,0") }
            return .point(point)
        case "LineString":
            guard let points = coordinates(node) else { return nil }
            if Self.areUnknown(points) { return fault("0,0") }
            return points.count >= 2 ? .line(points) : fault("line of one point")
        case "LinearRing":
            return ring(node).map { .line($0) }
        case "Polygon":
            guard let outer = node.child("outerBoundaryIs")?.child("LinearRing") else {
                return fault("polygon without outer boundary")
            }
            guard let outerRing = ring(outer) else { return nil }
            let inner = node.children("innerBoundaryIs").flatMap { $0.children("LinearRing") }
            var rings = [outerRing]
            for hole in inner {
                if let ring = ring(hole) { rings.append(ring) }
            }
            return .polygon(rings)
        case "Track", "gx:Track":
            return track(node)
        default:
            return shape(ofPlacemark: node)
        }
    }

    private mutating func ring(_ node: XMLNode) -> [Coordinate]? {
        guard let points = coordinates(node) else { return nil }
        if Self.areUnknown(points) { return fault("0,0") }
        guard let ring = FeedGeometry.ring(points) else {
            faults.append("ring of \(points.count) points")
            return nil
        }
        return ring
    }

    /// The points of `<coordinates>` (`kml:coordinates`): `lon,lat[,alt]`, separated by white space. Nil with a fault
    /// when there are none or one is unreadable, since a shape without one corner is another shape.
    private mutating func coordinates(_ node: XMLNode) -> [Coordinate]? {
        var points: [Coordinate] = []
        var bad: String?
        var height: Double?
        CoordinateTuple.read(node.child("coordinates")?.text ?? "") { tuple in
            if (2...3).contains(tuple.count),
                let point = Coordinate(latitude: tuple.second, longitude: tuple.first)
            {
                if points.isEmpty && tuple.third.isFinite { height = tuple.third }
                points.append(point)
            } else if bad == nil {
                bad = tuple.text
            }
        }
        if let bad { return fault(bad) }
        if points.isEmpty { return fault("no coordinates") }
        if altitude == nil { altitude = height }
        return points
    }

    /// The line of a track, which has one `gx:coord` with space-separated numbers for each point.
    private mutating func track(_ node: XMLNode) -> FeedGeometry? {
        var points: [Coordinate] = []
        for child in node.children where child.name == "coord" || child.name == "gx:coord" {
            var numbers: [Double] = []
            CoordinateTuple.read(child.text) { tuple in
                if numbers.count < 4 { numbers += tuple.numbers }
            }
            guard numbers.count >= 2, let point = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
                return fault(child.trimmed ?? "empty gx:coord")
            }
            points.append(point)
        }
        if !points.isEmpty && Self.areUnknown(points) { return fault("0,0") }
        if points.count == 1 { return .point(points[0]) }
        return points.isEmpty ? fault("empty track") : .line(points)
    }

    /// Whether all points are 0,0, which means an unknown position.
    private static func areUnknown(_ points: [Coordinate]) -> Bool {
        points.allSatisfy { $0.isNowhere }
    }

    private mutating func fault<Shape>(_ found: String) -> Shape? {
        faults.append(found)
        return nil
    }
}
