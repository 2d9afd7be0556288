import Foundation
import TestSupport
import Testing

@testable import Model

@Suite struct ShapeTests {
    private func shape(_ type: String, _ coordinates: String) throws -> Shape {
        try #require(Shape(geoJSON: #"{"type":"\#(type)","coordinates":\#(coordinates)}"#))
    }

    private func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) throws -> BoundingBox {
        try #require(BoundingBox(west: west, south: south, east: east, north: north))
    }

    private func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test(arguments: [
        "[[[175,-15],[-175,-15],[-175,-20],[175,-20],[175,-15]]]",
        "[[[-175,-20],[175,-20],[175,-15],[-175,-15]]]",
    ]) func aPolygonThatIsNotCutAt180Degrees(rings: String) throws {
        let alert = try shape("Polygon", rings)
        #expect(try alert.boxes == [box(175, -20, 180, -15), box(-180, -20, -175, -15)])
        for inside in try [
            box(174, -21, 176, -14), box(-176, -18, -174, -17), box(170, -18, -170, -17), box(179, -18, -179, -17),
            box(180, -18, 180, -17), box(-180, -18, -180, -17), box(-180, -90, 180, 90), box(175, -15, 175, -15),
        ] { #expect(alert.touches(inside), "\(inside)") }
        for outside in try [
            box(0, -18, 10, -17), box(-174.9, -18, 174.9, -17), box(174, -14.9, 176, -14), box(170, -25, -170, -20.1),
        ] { #expect(!alert.touches(outside), "\(outside)") }
        #expect(try alert.touches(circleAround: point(-17, 180), kilometres: 1))
        #expect(try alert.touches(circleAround: point(-17, -180), kilometres: 1))
        // 1° at 17° south is 106.3 km.
        #expect(try alert.touches(circleAround: point(-17, 174), kilometres: 107))
        #expect(try !alert.touches(circleAround: point(-17, 174), kilometres: 106))
    }

    @Test func whatIsCutAt180DegreesHasTheSameBoxes() throws {
        let cut = try shape(
            "MultiPolygon",
            """
            [[[[175,-20],[180,-20],[180,-15],[175,-15],[175,-20]]],
             [[[-180,-20],[-175,-20],[-175,-15],[-180,-15],[-180,-20]]]]
            """)
        #expect(try cut.boxes == [box(175, -20, 180, -15), box(-180, -20, -175, -15)])
        let apart = try shape("MultiPoint", "[[170,0],[-160,10],[175,5]]")
        #expect(try apart.boxes == [box(170, 0, 175, 10), box(-160, 0, -160, 10)])
        #expect(try shape("LineString", "[[-70,-20],[10,5]]").boxes == [box(-70, -20, 10, 5)])
    }

    @Test func aHoleIsNoPartOfIt() throws {
        let ring = try shape(
            "Polygon", "[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[3,3],[7,3],[7,7],[3,7],[3,3]]]")
        #expect(try !ring.touches(box(4, 4, 6, 6)))
        #expect(try ring.touches(box(4, 4, 7, 6)), "the border of the hole")
        #expect(try ring.touches(box(1, 1, 2, 2)))
        #expect(try ring.touches(box(-5, -5, 15, 15)))
        let middle = try point(5, 5)
        // The distance to both meridians is 221.5 km, to both parallels 222.4 km.
        #expect(!ring.touches(circleAround: middle, kilometres: 221))
        #expect(ring.touches(circleAround: middle, kilometres: 222))
        #expect(try ring.touches(circleAround: point(1, 1), kilometres: 0.001))
    }

    @Test func linesPointsAndCollections() throws {
        let line = try shape("LineString", "[[179,10],[-179,12]]")
        #expect(try line.touches(box(179.9, 10.9, -179.9, 11.1)))
        #expect(try !line.touches(box(179.9, 11.2, -179.9, 11.4)))
        #expect(try line.touches(circleAround: point(11, 180), kilometres: 1))
        #expect(try line.touches(circleAround: point(12, 180), kilometres: 79))
        #expect(try !line.touches(circleAround: point(12, 180), kilometres: 76))
        let points = try shape("MultiPoint", "[[1,2],[3,4,100]]")
        #expect(try points.touches(box(3, 4, 3, 4)))
        #expect(try !points.touches(box(1.5, 2, 2.5, 4)))
        let near = try point(4.001, 3)
        #expect(points.touches(circleAround: near, kilometres: 0.12))
        #expect(!points.touches(circleAround: near, kilometres: 0.11))
        let collection = try #require(
            Shape(
                geoJSON: """
                    {"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},
                    {"geometries":[{"coordinates":[[5,5],[6,6]],"type":"LineString"}],"type":"GeometryCollection"}]}
                    """))
        #expect(try collection.touches(box(0, 0, 1, 2)))
        #expect(try collection.touches(box(5.4, 5.6, 5.6, 5.6)))
        #expect(try collection.boxes == [box(1, 2, 6, 6)])
    }

    @Test func aRingRoundAPoleContainsIt() throws {
        let north = try shape("Polygon", "[[[0,70],[60,70],[120,70],[180,70],[-120,70],[-60,70],[0,70]]]")
        #expect(try north.boxes == [box(-180, 70, 180, 90)])
        #expect(try north.touches(box(-170, 85, -160, 90)))
        #expect(try !north.touches(box(10, 60, 20, 69)))
        #expect(try north.touches(circleAround: point(90, 30), kilometres: 1))
        #expect(try north.touches(circleAround: point(85, -100), kilometres: 1))
        #expect(try !north.touches(circleAround: point(60, 30), kilometres: 1100))
        #expect(try north.touches(circleAround: point(60, 30), kilometres: 1115))
        let south = try shape("Polygon", "[[[-180,-60],[180,-60],[180,-90],[-180,-90],[-180,-60]]]")
        #expect(try south.touches(box(10, -80, 20, -70)))
        #expect(try !south.touches(box(10, -50, 20, -40)))
        // The path that closes a ring at the pole is no border of a belt.
        let rings = ["60", "70"].map { "[[0,\($0)],[90,\($0)],[180,\($0)],[-90,\($0)],[0,\($0)]]" }
        let belt = try shape("Polygon", "[\(rings.joined(separator: ","))]")
        for edges in [(-2.0, 75.0, 2.0, 80.0), (40, 85, 41, 90), (-1, 90, 1, 90)] {
            #expect(try !belt.touches(box(edges.0, edges.1, edges.2, edges.3)), "\(edges)")
            #expect(try north.touches(box(edges.0, edges.1, edges.2, edges.3)), "\(edges)")
        }
        #expect(try !belt.touches(circleAround: point(90, 30), kilometres: 50))
        #expect(try !belt.touches(circleAround: point(80, 0), kilometres: 50))
        #expect(try belt.touches(circleAround: point(65, 0), kilometres: 1) && belt.touches(box(-2, 62, 2, 64)))
        let world = try shape("Polygon", "[[[-180,-90],[-180,90],[180,90],[180,-90]]]")
        #expect(try world.boxes == [box(-180, -90, 180, 90)])
        #expect(try world.touches(box(10, 10, 11, 11)))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"type":"Polygon","coordinates":[]}"#, #"{"type":"Polygon","coordinates":[[]]}"#,
        #"{"type":"Point","coordinates":[0,91]}"#, #"{"type":"Point","coordinates":[0]}"#,
        #"{"type":"Point","coordinates":[[0,1]]}"#, #"{"type":"Circle","coordinates":[0,1]}"#,
        #"{"type":"GeometryCollection","geometries":[]}"#,
    ]) func whatIsNoShape(text: String) { #expect(Shape(geoJSON: text) == nil) }

    // MARK: - Against points that lie close together

    @Test func randomPolygonsAgreeWithPointsOnTheirEdges() throws {
        var random = SplitMix(seed: 7)
        var boxes = [true: 0, false: 0]
        var circles = boxes
        for number in 0..<150 {
            let drawing = Drawing(&random)
            let shape = try #require(Shape(geoJSON: drawing.geoJSON))
            for _ in 0..<5 {
                let x = drawing.x + Double.random(in: -14...14, using: &random)
                let y = max(-89, min(82, drawing.y + Double.random(in: -14...14, using: &random)))
                let (width, height) = (
                    Double.random(in: 0.05...6, using: &random), Double.random(in: 0.05...6, using: &random)
                )
                let box = try box(Coordinate.wrapped(x), y, Coordinate.wrapped(x + width), y + height)
                let touches = shape.touches(box)
                boxes[touches, default: 0] += 1
                // The box may lie between two sampled points of an edge, but not beside them.
                if drawing.hasPoint(in: x...(x + width), y...(y + height), widened: 0) { #expect(touches, "\(number)") }
                if touches {
                    let isNear = drawing.hasPoint(in: x...(x + width), y...(y + height), widened: drawing.step + 1e-9)
                    #expect(isNear, "\(number): \(drawing.geoJSON) \(box)")
                    #expect(shape.boxes.contains { Self.overlap($0, box) }, "\(number): \(drawing.geoJSON) \(box)")
                }
                let centre = try point(y, Coordinate.wrapped(x))
                let kilometres = Double.random(in: 1...600, using: &random)
                let isWithin = shape.touches(circleAround: centre, kilometres: kilometres)
                circles[isWithin, default: 0] += 1
                let distance = drawing.contains(x, y) ? 0 : drawing.distance(from: centre)
                if distance <= kilometres - 0.05 { #expect(isWithin, "\(number): \(drawing.geoJSON) \(centre)") }
                if isWithin { #expect(distance <= kilometres + 0.05 + drawing.step * 112, "\(number)") }
            }
        }
        for count in Array(boxes.values) + circles.values { #expect(count > 20) }
    }

    /// The comparison of an entry with a box in the R*Tree.
    private static func overlap(_ entry: BoundingBox, _ box: BoundingBox) -> Bool {
        guard entry.south <= box.north, entry.north >= box.south else { return false }
        let ranges = box.crossesAntimeridian ? [box.west...180, -180...box.east] : [box.west...box.east]
        return ranges.contains { entry.west <= $0.upperBound && entry.east >= $0.lowerBound }
    }
}

/// A polygon in the plane of degrees, sometimes with a hole; longitudes may exceed 180.
private struct Drawing {
    let x, y: Double
    private let rings: [[SIMD2<Double>]]
    /// Points on all edges; `step` is the largest distance between two of them, in degrees.
    private let samples: [SIMD2<Double>]
    let step: Double

    init(_ random: inout SplitMix) {
        let x = [Double.random(in: -180...180, using: &random), 179, -179.5].randomElement(using: &random) ?? 0
        let y = Double.random(in: -75...75, using: &random)
        let size = Double.random(in: 1...9, using: &random)
        let angles = (0..<Int.random(in: 3...9, using: &random)).map { _ in
            Double.random(in: 0...(2 * .pi), using: &random)
        }.sorted()
        var rings: [[SIMD2<Double>]] = []
        for scale in Bool.random(using: &random) ? [1, 0.4] : [1] {
            var ring = angles.map { angle in
                let radius = scale * size * Double.random(in: 0.6...1, using: &random)
                return SIMD2(x + radius * cos(angle), y + radius * sin(angle))
            }
            ring.append(ring[0])
            rings.append(ring)
        }
        var samples: [SIMD2<Double>] = []
        var step = 0.0
        for (a, b) in rings.flatMap({ zip($0, $0.dropFirst()) }) {
            samples += (0...60).map { a + (b - a) * (Double($0) / 60) }
            step = max(step, ((b - a) * (b - a)).sum().squareRoot() / 60)
        }
        (self.x, self.y, self.rings, self.samples, self.step) = (x, y, rings, samples, step)
    }

    var geoJSON: String {
        let texts = rings.map { ring in
            "[" + ring.map { "[\(Coordinate.wrapped($0.x)),\($0.y)]" }.joined(separator: ",") + "]"
        }
        return #"{"type":"Polygon","coordinates":[\#(texts.joined(separator: ","))]}"#
    }

    /// Whether the box has a point of an edge or, by the winding number, the polygon a point of the box.
    func hasPoint(in columns: ClosedRange<Double>, _ rows: ClosedRange<Double>, widened: Double) -> Bool {
        let (west, east) = (columns.lowerBound, columns.upperBound)
        let (south, north) = (rows.lowerBound, rows.upperBound)
        let isOnEdge = samples.contains { sample in
            (south - widened...north + widened).contains(sample.y)
                && [-360, 0, 360].contains { (west - widened...east + widened).contains(sample.x + $0) }
        }
        if isOnEdge { return true }
        return (0...15).contains { number in
            contains(west + (east - west) * Double(number % 4) / 3, south + (north - south) * Double(number / 4) / 3)
        }
    }

    func contains(_ x: Double, _ y: Double) -> Bool {
        [-360, 0, 360].contains { turn in
            let point = SIMD2(x + turn, y)
            return Self.winds(rings[0], round: point) && !rings.dropFirst().contains { Self.winds($0, round: point) }
        }
    }

    private static func winds(_ ring: [SIMD2<Double>], round point: SIMD2<Double>) -> Bool {
        var sum = 0.0
        for (start, end) in zip(ring, ring.dropFirst()) {
            let (a, b) = (start - point, end - point)
            sum += atan2(a.x * b.y - a.y * b.x, (a * b).sum())
        }
        return abs(sum) > 3
    }

    func distance(from centre: Coordinate) -> Double {
        samples.compactMap { Coordinate(latitude: $0.y, longitude: $0.x)?.distance(to: centre) }.min() ?? .infinity
    }
}
