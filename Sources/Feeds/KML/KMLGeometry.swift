import Model
import Reading

/// Reads the shapes of a placemark (OGC 07-147r2, `kml:AbstractGeometryGroup`).
struct KMLGeometry {
    /// Unreadable tuples, and rings or lines with too few points.
    private(set) var faults: [String] = []
    /// The first tuple of each shape that held several, joined by commas, which were read one by one.
    private(set) var joined: [String] = []
    /// The first time of the first track that has one, as text.
    private(set) var start: String?
    /// The altitude of the first point in metres, above ground or sea as the document defines it.
    private(set) var altitude: Double?
    /// Whether the placemark has any geometry element.
    private(set) var isPresent = false
    /// Whether the placemark has more than `FeedGeometry.mostPoints` points. The shape is then what came before.
    private(set) var isCut = false
    private var points = 0

    /// The shape of a placemark; nil when it has no readable one.
    mutating func shape(ofPlacemark node: XMLNode) -> FeedGeometry? {
        var shapes: [FeedGeometry] = []
        for child in node.children where !isCut && Self.names.contains(child.name) {
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
            var rings = [outerRing]
            for inner in node.children("innerBoundaryIs") {
                for hole in inner.children("LinearRing") where !isCut {
                    if let ring = ring(hole) { rings.append(ring) }
                }
            }
            return isCut ? nil : .polygon(rings)
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

    /// The points of `<coordinates>` (`kml:coordinates`): `lon,lat[,alt]`, separated by white space, or by commas if
    /// that has only one meaning. Nil with a fault when there are none or one is unreadable, since a shape without one
    /// corner is another shape.
    private mutating func coordinates(_ node: XMLNode) -> [Coordinate]? {
        var found: [Coordinate] = []
        var bad: String?
        var several: String?
        var height: Double?
        func add(_ tuple: CoordinateTuple) -> Bool {
            guard (2...3).contains(tuple.count), let point = Coordinate(latitude: tuple.second, longitude: tuple.first)
            else { return false }
            if found.isEmpty && tuple.third.isFinite { height = tuple.third }
            return take(point, into: &found)
        }
        node.child("coordinates")?.withText { text in
            CoordinateTuple.read(text) { tuple in
                let parts = tuple.divided(text)
                if parts != nil, several == nil { several = Self.quote(tuple, in: text) }
                if parts?.allSatisfy({ add($0) }) ?? add(tuple) { return true }
                if !isCut { bad = Self.quote(tuple, in: text) }
                return false
            }
        }
        if let several { joined.append(several) }
        if isCut { return nil }
        if let bad { return fault(bad) }
        if found.isEmpty { return fault("no coordinates") }
        if altitude == nil { altitude = height }
        return found
    }

    /// The beginning of a tuple in the feed's own words.
    private static func quote(_ tuple: CoordinateTuple, in text: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: text[tuple.range].prefix(200), as: UTF8.self)
    }

    /// Adds a point; returns false if there are too many.
    private mutating func take(_ point: Coordinate, into found: inout [Coordinate]) -> Bool {
        points += 1
        isCut = points > FeedGeometry.mostPoints
        if !isCut { found.append(point) }
        return !isCut
    }

    /// The line of a track, which has one `when` and one `gx:coord` with space-separated numbers for each point. An
    /// empty `gx:coord` means that the position at that time is not known.
    private mutating func track(_ node: XMLNode) -> FeedGeometry? {
        var found: [Coordinate] = []
        for child in node.children {
            if start == nil, child.name == "when" || child.name == "gx:when" { start = child.trimmed }
            guard child.name == "coord" || child.name == "gx:coord" else { continue }
            var numbers: [Double] = []
            child.withText { text in
                CoordinateTuple.read(text) { tuple in
                    numbers += tuple.numbers
                    return numbers.count < 2
                }
            }
            if numbers.isEmpty { continue }
            guard numbers.count >= 2, let point = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
                return fault(child.trimmed ?? "")
            }
            guard take(point, into: &found) else { return nil }
        }
        if !found.isEmpty && Self.areUnknown(found) { return fault("0,0") }
        if found.count == 1 { return .point(found[0]) }
        return found.isEmpty ? fault("empty track") : .line(found)
    }

    /// Whether all points are 0,0, which means an unknown position.
    private static func areUnknown(_ points: [Coordinate]) -> Bool {
        points.allSatisfy { $0.isNowhere }
    }

    private mutating func fault<Shape>(_ found: String) -> Shape? {
        faults.append(found.beginning(200))
        return nil
    }
}
