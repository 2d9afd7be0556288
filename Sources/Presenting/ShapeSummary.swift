import Foundation
public import Model

/// A summary of a GeoJSON geometry for people: its parts, box and area.
public struct ShapeSummary: Sendable, Hashable {
    /// Its parts in words: `polygon with 4 points`, `2 polygons with 9 points, 1 hole`. A ring's closing point does not
    /// count.
    public let words: String
    /// The smallest box round it, also across 180°; in practice never nil.
    public let box: BoundingBox?
    /// Its area on the sphere (`Coordinate.earthRadius`) in square kilometres, without holes; nil without a polygon.
    public let area: Double?

    /// Summarises a geometry; nil for one without a position on Earth. Positions that are not on Earth are left out.
    public init?(_ shape: GeoJSONShape) {
        var pieces = Pieces()
        pieces.add(shape)
        guard !pieces.tracks.isEmpty else { return nil }
        words = pieces.words
        box = pieces.box
        area = pieces.polygons > 0 ? pieces.area : nil
    }
}

/// Counts and measures of a geometry's parts.
private struct Pieces {
    private(set) var polygons = 0
    private(set) var area = 0.0
    /// Points, lines and outer rings.
    private(set) var tracks: [[Coordinate]] = []
    private var points = 0
    private var lines = 0
    private var holes = 0
    private var vertices = 0

    mutating func add(_ shape: GeoJSONShape) {
        switch shape {
        case .point(let position): add(point: position)
        case .multiPoint(let positions): for position in positions { add(point: position) }
        case .lineString(let line): add(line: line)
        case .multiLineString(let lines): for line in lines { add(line: line) }
        case .polygon(let rings): add(polygon: rings)
        case .multiPolygon(let polygons): for rings in polygons { add(polygon: rings) }
        case .collection(let shapes): for shape in shapes { add(shape) }
        }
    }

    private mutating func add(point position: GeoJSONShape.Position) {
        guard let point = position.coordinate else { return }
        points += 1
        vertices += 1
        tracks.append([point])
    }

    private mutating func add(line positions: [GeoJSONShape.Position]) {
        let line = positions.compactMap(\.coordinate)
        guard !line.isEmpty else { return }
        lines += 1
        vertices += line.count
        tracks.append(line)
    }

    /// Adds a polygon: the outer ring, then the holes.
    private mutating func add(polygon rings: [[GeoJSONShape.Position]]) {
        var isOuter = true
        for positions in rings {
            let ring = positions.compactMap(\.coordinate)
            guard !ring.isEmpty else { continue }
            vertices += ring.count > 1 && ring.first == ring.last ? ring.count - 1 : ring.count
            if isOuter {
                polygons += 1
                area += Self.area(within: ring)
                tracks.append(ring)
            } else {
                holes += 1
                area -= Self.area(within: ring)
            }
            isOuter = false
        }
    }

    // MARK: Words

    var words: String {
        let kinds = [(polygons, "polygon"), (lines, "line"), (points, "point")].filter { $0.0 > 0 }
        var words = kinds.map { $0.0 == 1 ? $0.1 : $0.0.counted($0.1) }.joined(separator: " and ")
        if vertices > points { words += " with " + vertices.counted("point") }
        if holes > 0 { words += ", " + holes.counted("hole") }
        return words
    }

    // MARK: Measures

    /// Degrees from one longitude to another by the shorter way, positive eastward.
    private static func turn(from start: Double, to end: Double) -> Double { Coordinate.wrapped(end - start) }

    /// Square kilometres within a ring: the sum of the trapezoids between its edges and the equator, on the sphere of
    /// `Coordinate.distance(to:)`.
    private static func area(within ring: [Coordinate]) -> Double {
        let radians = Double.pi / 180
        var sum = 0.0
        for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
            sum +=
                turn(from: start.longitude, to: end.longitude) * radians
                * (sin(start.latitude * radians) + sin(end.latitude * radians)) / 2
        }
        return abs(sum) * Coordinate.earthRadius * Coordinate.earthRadius
    }

    /// The box that leaves out the widest gap between the tracks' arcs of longitude.
    var box: BoundingBox? {
        let latitudes = tracks.joined().map(\.latitude)
        let arcs = tracks.map { Self.arc(of: $0) }.sorted { $0.start < $1.start }
        guard let south = latitudes.min(), let north = latitudes.max(), let first = arcs.first,
            let last = arcs.map({ $0.end }).max()
        else { return nil }
        var (west, east, widest) = (first.start, last, first.start + 360 - last)
        // An arc that continues beyond 180° covers the beginning.
        var reach = max(first.end, last - 360)
        for arc in arcs.dropFirst() {
            if arc.start - reach > widest { (west, east, widest) = (arc.start, reach, arc.start - reach) }
            reach = max(reach, arc.end)
        }
        guard widest > 0 else { return BoundingBox(west: -180, south: south, east: 180, north: north) }
        return BoundingBox(west: west, south: south, east: Coordinate.wrapped(east), north: north)
    }

    /// The longitudes of a track, by the shorter way along each edge: `start` within ±180°, `end` east of it.
    private static func arc(of track: [Coordinate]) -> (start: Double, end: Double) {
        var (here, west, east) = (track[0].longitude, track[0].longitude, track[0].longitude)
        for (start, end) in zip(track, track.dropFirst()) {
            here += turn(from: start.longitude, to: end.longitude)
            west = min(west, here)
            east = max(east, here)
        }
        let start = Coordinate.wrapped(west)
        return (start, start + east - west)
    }
}

extension GeoJSONShape.Position {
    /// Nil if it is not on Earth.
    fileprivate var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
