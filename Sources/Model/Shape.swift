/// A shape on Earth as in GeoJSON: points, lines, and polygons with holes.
///
/// Edges are straight in degrees (RFC 7946 §3.1.1) and take the shorter way round the Earth, so a shape may or may not
/// be cut at 180°. Only an edge between -180 and 180 along one latitude goes all the way round. A ring round a pole
/// contains the nearer one.
public struct Shape: Sendable, Hashable {
    /// The parts; never empty.
    let parts: [Part]

    /// A part of a shape.
    enum Part: Sendable, Hashable {
        /// A line, or a single point.
        case line(Path)
        /// The outer ring, then the holes.
        case polygon([Path])
    }

    /// The smallest box that holds the shape. A shape that crosses or touches 180° has two: the western part, which
    /// ends there, then the eastern part, which begins there. So no box has its west above its east.
    public var boxes: [BoundingBox] {
        let paths = parts.flatMap(\.paths)
        let south = paths.map(\.latitudes.lowerBound).min() ?? 0
        let north = paths.map(\.latitudes.upperBound).max() ?? 0
        let spans = paths.flatMap(\.spans).sorted { $0.lowerBound < $1.lowerBound }
        guard let first = spans.first else { return [] }
        // The extent so far, and the widest gap in it.
        var reach = first.upperBound
        var gap = reach...reach
        for span in spans.dropFirst() {
            if span.lowerBound - reach > gap.upperBound - gap.lowerBound { gap = reach...span.lowerBound }
            reach = max(reach, span.upperBound)
        }
        let isApart = gap.upperBound - gap.lowerBound > first.lowerBound + 360 - reach
        let longitudes =
            isApart ? [gap.upperBound...reach, first.lowerBound...gap.lowerBound] : [first.lowerBound...reach]
        return longitudes.compactMap {
            BoundingBox(west: $0.lowerBound, south: south, east: $0.upperBound, north: north)
        }
    }
}

extension Shape.Part {
    /// All lines and rings.
    var paths: [Shape.Path] {
        switch self {
        case .line(let path): [path]
        case .polygon(let rings): rings
        }
    }
}

// MARK: - Lines and rings

extension Shape {
    /// A line or ring whose longitudes continue beyond ±180 where it crosses 180°, so that its edges lie in one plane.
    struct Path: Sendable, Hashable {
        /// A point of that plane, in degrees.
        struct Position: Sendable, Hashable {
            var longitude: Double
            var latitude: Double
        }

        /// At least one; a ring ends with its first position.
        let positions: [Position]
        /// The positions without the path to a pole and back that closes a ring round the pole.
        let border: ArraySlice<Position>
        let longitudes: ClosedRange<Double>
        let latitudes: ClosedRange<Double>

        /// The line through the points; nil for none.
        init?(line points: [Coordinate]) { self.init(Self.unrolled(points), wayToPole: 0) }

        /// The ring through the points, closed if it was not; nil for none.
        init?(ring points: [Coordinate]) {
            guard let first = points.first else { return nil }
            var positions = Self.unrolled(points.last == first ? points : points + [first])
            if let start = positions.first, let end = positions.last, abs(end.longitude - start.longitude) > 180 {
                let pole: Double = positions.reduce(0) { $0 + $1.latitude } < 0 ? -90 : 90
                positions.append(Position(longitude: end.longitude, latitude: pole))
                positions.append(Position(longitude: start.longitude, latitude: pole))
                positions.append(start)
                self.init(positions, wayToPole: 3)
            } else {
                self.init(positions, wayToPole: 0)
            }
        }

        private init?(_ positions: [Position], wayToPole: Int) {
            let longitudes = positions.map(\.longitude)
            let latitudes = positions.map(\.latitude)
            guard let west = longitudes.min(), let east = longitudes.max(), let south = latitudes.min(),
                let north = latitudes.max()
            else { return nil }
            self.positions = positions
            border = positions.dropLast(wayToPole)
            self.longitudes = west...east
            self.latitudes = south...north
        }

        /// Shifts each point by whole turns, so that the shorter way leads to it from the point before.
        private static func unrolled(_ points: [Coordinate]) -> [Position] {
            var turns = 0.0
            var previous = points.first
            return points.map { point in
                if let from = previous {
                    let step = point.longitude - from.longitude
                    let isRound = abs(step) == 360 && point.latitude == from.latitude
                    if abs(step) > 180, !isRound { turns += step < 0 ? 360 : -360 }
                }
                previous = point
                return Position(longitude: point.longitude + turns, latitude: point.latitude)
            }
        }

        /// Its longitudes within ±180; two spans where it crosses or touches 180°.
        var spans: [ClosedRange<Double>] {
            guard longitudes.upperBound - longitudes.lowerBound < 360 else { return [-180...180] }
            let turns = 360 * ((longitudes.lowerBound + 180) / 360).rounded(.down)
            let (west, east) = (longitudes.lowerBound - turns, longitudes.upperBound - turns)
            if east >= 180 { return [west...180, -180...max(-180, east - 360)] }
            return west > -180 ? [west...east] : [-180...max(-180, east), 180...180]
        }
    }
}
