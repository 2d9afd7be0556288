import Foundation

// A shape touches a box or circle if they share a point, borders included. Holes are not part of the shape.
extension Shape {
    /// Whether the shape touches a box, borders included; exact, in the plane of degrees. The box may cross 180°.
    public func touches(_ box: BoundingBox) -> Bool { parts.contains { $0.touches(box) } }

    /// Whether the shape comes within a distance in kilometres, itself included, of a centre, or contains it.
    ///
    /// Distances are as in `Coordinate.distance(to:)`. An edge, which is straight in degrees, is approximated by
    /// great-circle arcs of at most a quarter of a degree, which deviate by at most 40 m.
    public func touches(circleAround centre: Coordinate, kilometres: Double) -> Bool {
        parts.contains { $0.touches(circleAround: centre, kilometres: kilometres) }
    }
}

extension Shape.Part {
    fileprivate func touches(_ box: BoundingBox) -> Bool {
        // A box whose border meets no edge lies wholly inside or wholly outside.
        paths.contains { $0.touches(box) }
            || Coordinate(latitude: box.south, longitude: box.west).map(contains) ?? false
    }

    fileprivate func touches(circleAround centre: Coordinate, kilometres: Double) -> Bool {
        contains(centre) || paths.contains { $0.comes(within: kilometres, of: centre) }
    }

    /// Whether a point lies in a polygon and in none of its holes; on a border either result is possible.
    private func contains(_ point: Coordinate) -> Bool {
        guard case .polygon(let rings) = self, let outer = rings.first, outer.contains(point) else { return false }
        return !rings.dropFirst().contains { $0.contains(point) }
    }
}

// MARK: - In the plane of degrees

extension Shape.Path {
    /// Whether an edge meets the condition; a single point counts as an edge of length 0.
    private func hasEdge(where isMeant: (Position, Position) -> Bool) -> Bool {
        guard positions.count > 1 else { return isMeant(positions[0], positions[0]) }
        return zip(border, border.dropFirst()).contains { edge in isMeant(edge.0, edge.1) }
    }

    /// Whether a point lies within the ring, by the even-odd rule.
    fileprivate func contains(_ point: Coordinate) -> Bool {
        guard latitudes.contains(point.latitude) else { return false }
        // No edge would be above a point at the pole itself.
        let y = max(-90 + 1e-9, min(90 - 1e-9, point.latitude))
        var x = point.longitude + 360 * ((longitudes.lowerBound - point.longitude) / 360).rounded(.up)
        while x <= longitudes.upperBound {
            var isInside = false
            for (a, b) in zip(positions, positions.dropFirst()) where (a.latitude > y) != (b.latitude > y) {
                let slope = (b.longitude - a.longitude) / (b.latitude - a.latitude)
                if x < a.longitude + slope * (y - a.latitude) { isInside.toggle() }
            }
            if isInside { return true }
            x += 360
        }
        return false
    }

    /// Whether an edge touches the box in any turn round the Earth.
    fileprivate func touches(_ box: BoundingBox) -> Bool {
        let rows = box.south...box.north
        guard latitudes.overlaps(rows) else { return false }
        let east = box.crossesAntimeridian ? box.east + 360 : box.east
        var turns = 360 * ((longitudes.lowerBound - east) / 360).rounded(.down)
        while box.west + turns <= longitudes.upperBound {
            let columns = (box.west + turns)...(east + turns)
            if hasEdge(where: { Self.edge($0, $1, touches: columns, rows) }) { return true }
            turns += 360
        }
        return false
    }

    /// Whether an edge touches a rectangle: no axis and no line along the edge separates them.
    private static func edge(
        _ a: Position, _ b: Position, touches columns: ClosedRange<Double>, _ rows: ClosedRange<Double>
    ) -> Bool {
        let (width, height) = (b.longitude - a.longitude, b.latitude - a.latitude)
        guard columns.overlaps(min(a.longitude, b.longitude)...max(a.longitude, b.longitude)),
            rows.overlaps(min(a.latitude, b.latitude)...max(a.latitude, b.latitude))
        else { return false }
        func side(_ longitude: Double, _ latitude: Double) -> Double {
            width * (latitude - a.latitude) - height * (longitude - a.longitude)
        }
        let south = (side(columns.lowerBound, rows.lowerBound), side(columns.upperBound, rows.lowerBound))
        let north = (side(columns.lowerBound, rows.upperBound), side(columns.upperBound, rows.upperBound))
        return min(min(south.0, south.1), min(north.0, north.1)) <= 0
            && max(max(south.0, south.1), max(north.0, north.1)) >= 0
    }
}

// MARK: - On the sphere

extension Shape.Path {
    /// The longest part of an edge, in degrees of longitude or latitude, that is approximated by one arc.
    private static let longestArc = 0.25

    /// Whether a point of the path lies within a distance in kilometres of a centre.
    fileprivate func comes(within kilometres: Double, of centre: Coordinate) -> Bool {
        let radius = kilometres / Coordinate.earthRadius
        let reach = radius * 180 / .pi + 1e-9
        let eye = UnitVector(longitude: centre.longitude, latitude: centre.latitude)
        return hasEdge { a, b in
            guard min(a.latitude, b.latitude) <= centre.latitude + reach,
                max(a.latitude, b.latitude) >= centre.latitude - reach
            else { return false }
            let (width, height) = (b.longitude - a.longitude, b.latitude - a.latitude)
            let arcs = max(1, (max(abs(width), abs(height)) / Self.longestArc).rounded(.up))
            var start = UnitVector(longitude: a.longitude, latitude: a.latitude)
            for number in 1...Int(clamping: arcs) {
                let part = Double(number) / arcs
                let end = UnitVector(longitude: a.longitude + width * part, latitude: a.latitude + height * part)
                if eye.angle(toArcFrom: start, to: end) <= radius { return true }
                start = end
            }
            return false
        }
    }
}

/// A direction from the centre of the Earth.
private struct UnitVector {
    var x: Double
    var y: Double
    var z: Double

    init(longitude: Double, latitude: Double) {
        let radians = Double.pi / 180
        x = cos(latitude * radians) * cos(longitude * radians)
        y = cos(latitude * radians) * sin(longitude * radians)
        z = sin(latitude * radians)
    }

    private init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    private func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    private func cross(_ other: UnitVector) -> UnitVector {
        UnitVector(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    private var length: Double { dot(self).squareRoot() }

    private func angle(to other: UnitVector) -> Double { atan2(cross(other).length, dot(other)) }

    /// The angle to the nearest point of an arc, in radians.
    func angle(toArcFrom start: UnitVector, to end: UnitVector) -> Double {
        let normal = start.cross(end)
        let length = normal.length
        // The direction of an arc of a few millimetres is numerically undefined.
        if length > 1e-9, normal.cross(start).dot(self) >= 0, normal.cross(end).dot(self) <= 0 {
            return abs(asin(max(-1, min(1, normal.dot(self) / length))))
        }
        return min(angle(to: start), angle(to: end))
    }
}
