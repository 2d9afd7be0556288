import Model

extension GeoJSONShape {
    /// The shape as RFC 7946 requires it: lines and polygons are cut at 180° (§3.1.9), outer rings run
    /// counter-clockwise and holes clockwise (§3.1.6), longitudes are within ±180.
    ///
    /// Neighbours more than 180° of longitude apart are joined the shorter way, across 180°. A ring round a pole
    /// contains the pole nearer to its mean latitude, and its polygon runs along that pole. A ring that has an area
    /// only if it goes the longer way from -180 to 180 means the world, and stays whole.
    public var normalised: GeoJSONShape {
        switch self {
        case .point(let position): return .point(position.wrapped)
        case .multiPoint(let positions): return .multiPoint(positions.map(\.wrapped))
        case .lineString(let line):
            let lines = Course(line).lines
            return lines.count == 1 ? .lineString(lines[0]) : .multiLineString(lines)
        case .multiLineString(let lines): return .multiLineString(lines.flatMap { Course($0).lines })
        case .polygon(let rings):
            let polygons = Self.polygons(of: rings)
            return polygons.count == 1 ? .polygon(polygons[0]) : .multiPolygon(polygons)
        case .multiPolygon(let polygons): return .multiPolygon(polygons.flatMap { Self.polygons(of: $0) })
        case .collection(let shapes): return .collection(shapes.map(\.normalised))
        }
    }

    /// The text of a geometry, normalised; unchanged if it is normalised already or cannot be read.
    static func normalisedText(_ text: String) -> String {
        guard let shape = GeoJSONShape(text) else { return text }
        let normalised = shape.normalised
        return normalised == shape ? text : normalised.text
    }

    /// The polygons made of the rings of one polygon, the outer ring first.
    private static func polygons(of rings: [[Position]]) -> [[[Position]]] {
        let (courses, poles) = wound(rings.map { Course(ring: $0) })
        guard courses.contains(where: \.crosses) else { return [courses.map(\.positions)] }
        var (outlines, holes, loose): ([[Position]], [[Position]], [[Position]]) = ([], [], poles)
        for (index, course) in courses.enumerated() {
            let runs = course.runs
            if runs.count == 1, runs[0].first == runs[0].last {
                if index == 0 { outlines += runs } else { holes += runs }
            } else {
                loose += runs
            }
        }
        outlines += joined(loose)
        let solid = outlines.filter { abs(area(of: $0)) > leastArea }
        if solid.isEmpty, outlines.isEmpty || courses[0].mayBeWorld {
            return [courses.enumerated().map { wound($1.positions, isHole: $0 > 0) }]
        }
        var polygons = (solid.isEmpty ? outlines : solid).map { [wound($0, isHole: false)] }
        for hole in holes {
            let index = polygons.firstIndex { polygon in hole.contains { isInside($0, polygon[0]) } }
            polygons[index ?? 0].append(hole)
        }
        return polygons
    }

    /// The least area of a piece in square degrees; a smaller one is a rounding error.
    private static let leastArea = 1e-12

    // MARK: - Winding

    /// The rings of one polygon with the right winding, and a way back along the pole for each ring round one.
    private static func wound(_ courses: [Course]) -> (courses: [Course], poles: [[Position]]) {
        guard let outer = courses.first else { return ([], []) }
        // Two rings round a pole enclose a belt.
        let inner = courses.dropFirst().first { $0.laps != 0 }
        let isNorthern = inner.map { outer.middleLatitude < $0.middleLatitude } ?? (outer.middleLatitude >= 0)
        var wound: [Course] = []
        var poles: [[Position]] = []
        for (index, course) in courses.enumerated() {
            let isHole = index > 0
            guard course.laps != 0 else {
                let isWrong = isHole ? course.area > 0 : course.area < 0
                wound.append(isWrong ? course.reversed : course)
                continue
            }
            let isNorth = outer.laps != 0 ? isNorthern : course.middleLatitude >= 0
            // The inside is on the left.
            let isEastward = isNorth != isHole
            wound.append((course.laps > 0) == isEastward ? course : course.reversed)
            let latitude = isNorth ? 90.0 : -90.0
            let start = isEastward ? 180.0 : -180.0
            let back = [Position(start, latitude), Position(-start, latitude)]
            poles += Array(repeating: back, count: abs(course.laps))
        }
        return (wound, poles)
    }

    private static func wound(_ ring: [Position], isHole: Bool) -> [Position] {
        let area = area(of: ring)
        return (isHole ? area > 0 : area < 0) ? ring.reversed() : ring
    }

    /// Area on the map in square degrees; positive for a ring that runs counter-clockwise.
    fileprivate static func area(of ring: [Position]) -> Double {
        var area = 0.0
        for (start, end) in zip(ring, ring.dropFirst()) {
            area += (start.longitude - end.longitude) * (start.latitude + end.latitude) / 2
        }
        return area
    }

    // MARK: - Pieces

    /// Joins runs that begin and end on 180°, each with its inside on the left, to closed rings. From the end of a run
    /// a ring follows 180° to the next beginning: northward on the map's eastern edge, southward on its western edge.
    private static func joined(_ runs: [[Position]]) -> [[Position]] {
        var next = Array(runs.indices)
        for edge in [180.0, -180.0] {
            let sign = edge > 0 ? 1.0 : -1.0
            var ends: [(run: Int, height: Double)] = []
            var starts: [(run: Int, height: Double)] = []
            for (index, run) in runs.enumerated() {
                if let end = run.last, end.longitude == edge { ends.append((index, sign * end.latitude)) }
                if let start = run.first, start.longitude == edge { starts.append((index, sign * start.latitude)) }
            }
            ends.sort { $0.height < $1.height }
            starts.sort { $0.height < $1.height }
            // Rings that cross themselves leave ends and beginnings over; any order gives the same area.
            var (leftEnds, leftStarts): ([Int], [Int]) = ([], [])
            var place = 0
            for end in ends {
                while place < starts.count, starts[place].height < end.height {
                    leftStarts.append(starts[place].run)
                    place += 1
                }
                if place < starts.count {
                    next[end.run] = starts[place].run
                    place += 1
                } else {
                    leftEnds.append(end.run)
                }
            }
            leftStarts += starts[place...].map { $0.run }
            for (end, start) in zip(leftEnds, leftStarts) { next[end] = start }
        }
        var rings: [[Position]] = []
        var isTaken = Array(repeating: false, count: runs.count)
        for first in runs.indices where !isTaken[first] {
            var ring: [Position] = []
            var run = first
            while !isTaken[run] {
                isTaken[run] = true
                let goesOn = ring.last == runs[run].first
                ring += goesOn ? runs[run].dropFirst() : runs[run][...]
                run = next[run]
            }
            if ring.first != ring.last || ring.count < 4 { ring += ring.prefix(1) }
            rings.append(ring)
        }
        return rings
    }

    /// Whether the position is inside a closed ring of one piece.
    private static func isInside(_ position: Position, _ ring: [Position]) -> Bool {
        var isInside = false
        for (start, end) in zip(ring, ring.dropFirst())
        where (start.latitude > position.latitude) != (end.latitude > position.latitude) {
            let share = (position.latitude - start.latitude) / (end.latitude - start.latitude)
            if position.longitude < start.longitude + share * (end.longitude - start.longitude) { isInside.toggle() }
        }
        return isInside
    }
}

extension GeoJSONShape.Position {
    fileprivate var wrapped: Self { Self(Coordinate.wrapped(longitude), latitude) }

    fileprivate var isOn180: Bool { abs(longitude) == 180 }
}

/// A line or ring on its course round the world; across 180° it continues in the next turn.
private struct Course {
    typealias Position = GeoJSONShape.Position

    /// The positions, with longitudes within ±180.
    let positions: [Position]
    /// The turn of each position: 0 for the first, 1 more after each crossing eastward.
    private let turns: [Int]

    init(_ positions: [Position]) {
        let positions = positions.map(\.wrapped)
        var turns: [Int] = []
        var turn = 0
        var last = positions.first?.longitude ?? 0
        for position in positions {
            if position.longitude - last > 180 { turn -= 1 }
            if position.longitude - last < -180 { turn += 1 }
            turns.append(turn)
            last = position.longitude
        }
        self.positions = positions
        self.turns = turns
    }

    /// Creates the course of a ring, which is closed if it was not.
    init(ring: [Position]) { self.init(ring.first == ring.last ? ring : ring + ring.prefix(1)) }

    var reversed: Course { Course(positions.reversed()) }

    /// Whether the course crosses 180°, or names the antimeridian both -180 and 180.
    var crosses: Bool { turns.contains { $0 != 0 } }

    /// How often a ring runs round the world, counted eastward; 0 unless it is round a pole.
    var laps: Int { turns.last ?? 0 }

    /// Area of a ring in square degrees; positive if it runs counter-clockwise.
    var area: Double { GeoJSONShape.area(of: positions.indices.map { position($0, in: 0) }) }

    /// The mean latitude of a ring around a pole.
    var middleLatitude: Double { -area / (360 * Double(laps)) }

    /// Whether all crossings lead from -180 to 180 or back, so that they may mean the way round the world.
    var mayBeWorld: Bool {
        positions.indices.dropFirst().allSatisfy {
            turns[$0] == turns[$0 - 1] || abs(positions[$0].longitude - positions[$0 - 1].longitude) == 360
        }
    }

    /// A position in the longitudes of a turn.
    private func position(_ index: Int, in turn: Int) -> Position {
        Position(positions[index].longitude + 360 * Double(turns[index] - turn), positions[index].latitude)
    }

    // MARK: - Cutting

    /// The pieces of a ring from one point on 180° to the next, without steps along 180°. A single piece that ends
    /// where it begins is the whole ring.
    var runs: [[Position]] {
        guard let first = positions.first else { return [] }
        var runs: [[Position]] = []
        var hasEnded = true
        for index in positions.indices.dropFirst() where !isAlong180(index) {
            for part in parts(ofStepTo: index, along180: 0) {
                if hasEnded { runs.append([part.start, part.end]) } else { runs[runs.count - 1].append(part.end) }
                hasEnded = part.end.isOn180
            }
        }
        if !first.isOn180, runs.count > 1 {
            let last = runs.removeLast()
            runs[0] = last + runs[0].dropFirst()
        }
        return runs
    }

    /// The pieces of a line, cut where it crosses 180°.
    var lines: [[Position]] {
        guard crosses else { return [positions] }
        var lines: [[Position]] = []
        var turn: Int?
        for index in positions.indices.dropFirst() {
            for part in parts(ofStepTo: index, along180: turn ?? turns[index - 1]) {
                if part.turn == turn {
                    lines[lines.count - 1].append(part.end)
                } else {
                    lines.append([part.start, part.end])
                }
                turn = part.turn
            }
        }
        return lines
    }

    /// Whether a step runs along 180° or has no length.
    private func isAlong180(_ index: Int) -> Bool {
        let (start, end) = (position(index - 1, in: 0), position(index, in: 0))
        return start.longitude == end.longitude && (positions[index].isOn180 || start == end)
    }

    private struct Part {
        var turn: Int
        var start: Position
        var end: Position
    }

    /// A step of at most 180° in one or two parts, each in the longitudes of its turn.
    /// - Parameter turn: The turn that a step along 180° is counted in; the turns on both sides are possible.
    private func parts(ofStepTo index: Int, along180 turn: Int) -> [Part] {
        let (start, end) = (positions[index - 1], positions[index])
        var (first, last) = (turns[index - 1], turns[index])
        switch (start.isOn180, end.isOn180) {
        case (true, true): (first, last) = (turn, turn)
        case (true, false): first = last
        case (false, true): last = first
        case (false, false): break
        }
        guard first != last else {
            return [Part(turn: first, start: position(index - 1, in: first), end: position(index, in: first))]
        }
        let isEastward = last > first
        let edge = isEastward ? 180.0 : -180.0
        // Computed from the west, so that neighbours are cut at the same point in either direction.
        let (west, east) = isEastward ? (start, end) : (end, start)
        let share = (180 - west.longitude) / (east.longitude + 360 - west.longitude)
        let latitude = west.latitude + share * (east.latitude - west.latitude)
        return [
            Part(turn: first, start: start, end: Position(edge, latitude)),
            Part(turn: last, start: Position(-edge, latitude), end: end),
        ]
    }
}
