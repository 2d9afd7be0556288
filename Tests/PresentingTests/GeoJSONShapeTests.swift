import Model
import Presenting
import TestSupport
import Testing

/// Shapes by RFC 7946: cut at 180°, with the inside to the left.
@Suite struct GeoJSONShapeTests {
    private typealias Position = GeoJSONShape.Position

    private static func shape(_ type: String, _ coordinates: String) throws -> GeoJSONShape {
        try #require(GeoJSONShape(#"{"type":"\#(type)","coordinates":\#(coordinates)}"#))
    }

    // MARK: - Winding

    @Test func ringsAreWoundWithTheInsideToTheLeft() throws {
        let wrong = "[[[0,0],[0,9],[9,9],[9,0],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]"
        let right = "[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]"
        #expect(try Self.shape("Polygon", wrong).normalised == Self.shape("Polygon", right))
        #expect(try Self.shape("MultiPolygon", "[\(wrong)]").normalised == Self.shape("MultiPolygon", "[\(right)]"))
    }

    @Test(arguments: [
        // A shape that ends at 180°, the world, and one with a ring without area.
        #"{"type":"Polygon","coordinates":[[[170.0,0.0],[180.0,0.0],[180.0,9.0],[170.0,9.0],[170.0,0.0]]]}"#,
        #"{"type":"Polygon","coordinates":[[[-180.0,0.0],[-170.0,0.0],[-170.0,9.0],[-180.0,9.0],[-180.0,0.0]]]}"#,
        #"{"type":"Polygon","coordinates":[[[170.0,0.0],[180.0,4.5],[170.0,9.0],[170.0,0.0]]]}"#,
        #"{"type":"Polygon","coordinates":[[[-180.0,-90.0],[180.0,-90.0],[180.0,90.0],[-180.0,90.0],[-180.0,-90.0]]]}"#,
        #"{"type":"Polygon","coordinates":[[[1.0,1.0],[2.0,2.0],[1.0,1.0],[1.0,1.0]]]}"#,
        #"{"type":"Polygon","coordinates":[]}"#,
        #"{"type":"LineString","coordinates":[[170.0,0.0],[180.0,1.0],[180.0,2.0],[170.0,3.0]]}"#,
        #"{"type":"MultiPoint","coordinates":[[180.0,0.0],[-180.0,0.0]]}"#,
        #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1.0,2.0]}]}"#,
    ]) func whatIsRightStaysAsItIs(text: String) throws {
        let shape = try #require(GeoJSONShape(text))
        #expect(shape.text == text)
        #expect(shape.normalised == shape)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"type":"Circle","coordinates":[1,2]}"#, #"{"type":"Point"}"#,
        #"{"type":"Point","coordinates":[1]}"#, #"{"type":"Point","coordinates":[1,2,3]}"#,
        #"{"type":"LineString","coordinates":[[1,2],["3",4]]}"#, #"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#,
        #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":null}]}"#,
    ]) func whatIsNoShapeIsNotRead(text: String) {
        #expect(GeoJSONShape(text) == nil)
    }

    // MARK: - Cutting

    @Test(arguments: [
        ("[[170,0],[-170,10]]", "[[[170,0],[180,5]],[[-180,5],[-170,10]]]"),
        ("[[-170,10],[170,0]]", "[[[-170,10],[-180,5]],[[180,5],[170,0]]]"),
        ("[[170,0],[190,10]]", "[[[170,0],[180,5]],[[-180,5],[-170,10]]]"),
        ("[[170,0],[180,5],[-170,5]]", "[[[170,0],[180,5]],[[-180,5],[-170,5]]]"),
        ("[[170,0],[180,5],[180,8],[-170,8]]", "[[[170,0],[180,5],[180,8]],[[-180,8],[-170,8]]]"),
        ("[[170,0],[-170,0],[170,4]]", "[[[170,0],[180,0]],[[-180,0],[-170,0],[-180,2]],[[180,2],[170,4]]]"),
    ]) func aLineIsCut(line: String, parts: String) throws {
        #expect(try Self.shape("LineString", line).normalised == Self.shape("MultiLineString", parts))
        #expect(
            try Self.shape("MultiLineString", "[[[1,2],[3,4]],\(line)]").normalised
                == Self.shape("MultiLineString", "[[[1,2],[3,4]],\(parts.dropFirst())"))
    }

    @Test func aLineThatEndsOn180IsNotCut() throws {
        #expect(
            try Self.shape("LineString", "[[170,0],[-180,5]]").normalised
                == Self.shape("LineString", "[[170,0],[180,5]]"))
    }

    /// The two halves of a box from 175 to -175 and from -20 to -15.
    private static let fiji = """
        [[[[180,-15],[175,-15],[175,-20],[180,-20],[180,-15]]],\
        [[[-180,-20],[-175,-20],[-175,-15],[-180,-15],[-180,-20]]]]
        """

    @Test(arguments: [
        "[[175,-15],[-175,-15],[-175,-20],[175,-20],[175,-15]]",
        "[[175,-15],[175,-20],[-175,-20],[-175,-15],[175,-15]]",
        "[[175,-15],[175,-20],[185,-20],[185,-15],[175,-15]]",
        "[[175,-15],[-175,-15],[-175,-20],[175,-20]]",
    ]) func aPolygonIsCutHoweverItIsWritten(ring: String) throws {
        let halves = try Self.shape("MultiPolygon", Self.fiji)
        let polygon = try Self.shape("Polygon", "[\(ring)]")
        #expect(polygon.normalised == halves)
        #expect(halves.normalised == halves)
        let other = "[[[1,1],[2,1],[2,2],[1,1]]]"
        #expect(
            try Self.shape("MultiPolygon", "[\(other),[\(ring)]]").normalised
                == Self.shape("MultiPolygon", "[\(other),\(Self.fiji.dropFirst())"))
        #expect(GeoJSONShape.collection([polygon]).normalised == GeoJSONShape.collection([halves]))
    }

    /// The two halves of a box from 170 to -170 and from 0 to 9.
    private static let halves = """
        [[[[180,9],[170,9],[170,0],[180,0],[180,9]]],[[[-180,0],[-170,0],[-170,9],[-180,9],[-180,0]]]]
        """

    private static let meetings: [(String, String)] = [
        // The shape ends at 180°, written as -180°.
        ("[[[170,0],[-180,0],[-180,9],[170,9],[170,0]]]", "[[[[180,9],[170,9],[170,0],[180,0],[180,9]]]]"),
        // It crosses 180° at positions on it, written once and twice.
        ("[[[170,0],[180,0],[-170,0],[-170,9],[180,9],[170,9],[170,0]]]", halves),
        ("[[[170,0],[180,0],[-180,0],[-170,0],[-170,9],[-180,9],[180,9],[170,9],[170,0]]]", halves),
        // It runs along 180° before it crosses.
        (
            "[[[170,0],[180,0],[180,9],[-170,9],[-170,20],[170,20],[170,0]]]",
            """
            [[[[180,20],[170,20],[170,0],[180,0],[180,20]]],\
            [[[-180,9],[-170,9],[-170,20],[-180,20],[-180,9]]]]
            """
        ),
        // It crosses 180° and touches it from outside elsewhere.
        (
            "[[[190,-9],[190,9],[170,9],[170,1],[180,0],[170,-1],[170,-9],[190,-9]]]",
            """
            [[[[-180,-9],[-170,-9],[-170,9],[-180,9],[-180,-9]]],\
            [[[180,9],[170,9],[170,1],[180,0],[180,9]]],[[[180,0],[170,-1],[170,-9],[180,-9],[180,0]]]]
            """
        ),
    ]

    @Test("180° itself belongs to both sides", arguments: meetings)
    func meeting180(rings: String, parts: String) throws {
        let parts = Self.polygons(try Self.shape("MultiPolygon", parts))
        #expect(Self.polygons(try Self.shape("Polygon", rings).normalised) == parts)
    }

    @Test func holesAreCutOrGoWithTheirSide() throws {
        let outer = "[[170,-20],[-170,-20],[-170,20],[170,20],[170,-20]]"
        let across = "[[175,-5],[-175,-5],[-175,5],[175,5],[175,-5]]"
        let cut = """
            [[[[180,20],[170,20],[170,-20],[180,-20],[180,-5],[175,-5],[175,5],[180,5],[180,20]]],\
            [[[-180,-20],[-170,-20],[-170,20],[-180,20],[-180,5],[-175,5],[-175,-5],[-180,-5],[-180,-20]]]]
            """
        #expect(try Self.shape("Polygon", "[\(outer),\(across)]").normalised == Self.shape("MultiPolygon", cut))
        let beside = "[[-174,-5],[-172,-5],[-172,5],[-174,5],[-174,-5]]"
        let whole = """
            [[[[180,20],[170,20],[170,-20],[180,-20],[180,20]]],\
            [[[-180,-20],[-170,-20],[-170,20],[-180,20],[-180,-20]],\
            [[-174,-5],[-174,5],[-172,5],[-172,-5],[-174,-5]]]]
            """
        #expect(try Self.shape("Polygon", "[\(outer),\(beside)]").normalised == Self.shape("MultiPolygon", whole))
    }

    @Test func aRingThereAndBackIsCutAsWell() throws {
        let parts = "[[[[180,0],[175,0],[180,0],[180,0]]],[[[-180,0],[-175,0],[-180,0],[-180,0]]]]"
        #expect(
            try Self.shape("Polygon", "[[[175,0],[-175,0],[175,0],[175,0]]]").normalised
                == Self.shape("MultiPolygon", parts))
    }

    // MARK: - Poles

    private static let caps: [(String, String)] = [
        (
            "[[[0,60],[90,60],[180,60],[-90,60],[0,60]]]",
            "[[[180,90],[-180,90],[-180,60],[-90,60],[0,60],[90,60],[180,60],[180,90]]]"
        ),
        (
            "[[[0,60],[-90,60],[180,60],[90,60],[0,60]]]",
            "[[[180,90],[-180,90],[-180,60],[-90,60],[0,60],[90,60],[180,60],[180,90]]]"
        ),
        (
            "[[[0,-60],[90,-60],[170,-60],[-90,-60],[0,-60]]]",
            "[[[-180,-90],[180,-90],[180,-60],[170,-60],[90,-60],[0,-60],[-90,-60],[-180,-60],[-180,-90]]]"
        ),
        // The ring already runs along the pole.
        (
            "[[[-180,-90],[-180,-84],[0,-70],[180,-84],[180,-90],[-180,-90]]]",
            "[[[-180,-90],[180,-90],[180,-84],[0,-70],[-180,-84],[-180,-90]]]"
        ),
        // A belt contains no pole.
        (
            "[[[0,-9],[90,-9],[180,-9],[-90,-9],[0,-9]],[[0,20],[90,20],[180,20],[-90,20],[0,20]]]",
            """
            [[[-180,-9],[-90,-9],[0,-9],[90,-9],[180,-9],\
            [180,20],[90,20],[0,20],[-90,20],[-180,20],[-180,-9]]]
            """
        ),
    ]

    @Test("A ring around a pole goes along it", arguments: caps)
    func aRingAroundAPole(rings: String, result: String) throws {
        #expect(try Self.shape("Polygon", rings).normalised == Self.shape("Polygon", result))
    }

    // MARK: - Areas

    /// Twice the area in square degrees, positive for a counter-clockwise ring.
    private static func doubleArea(_ ring: [Position]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) {
            $0 + $1.0.longitude * $1.1.latitude - $1.1.longitude * $1.0.latitude
        }
    }

    private static func polygons(_ shape: GeoJSONShape) -> [[[Position]]] {
        switch shape {
        case .polygon(let rings): [rings]
        case .multiPolygon(let polygons): polygons
        default: []
        }
    }

    /// A ring whose positions are all visible from the centre; `offsets` are the corners.
    private static func star(_ centre: Position, _ offsets: [Position], _ scale: Double) -> [Position] {
        let ring = offsets.map {
            Position(centre.longitude + scale * $0.longitude, centre.latitude + scale * $0.latitude)
        }
        return ring + ring.prefix(1)
    }

    @Test func cuttingKeepsTheArea() throws {
        // Corners of a star, none due east or west, so that few lie on 180°.
        let corners = [
            Position(1, 0.3), Position(0.6, 0.9), Position(-0.2, 1), Position(-0.9, 0.5), Position(-1, -0.4),
            Position(-0.4, -0.9), Position(0.3, -1), Position(0.8, -0.6),
        ]
        var random = SplitMix(seed: 1)
        for round in 0..<500 {
            let width = Double.random(in: 1...60, using: &random)
            let height = Double.random(in: 1...40, using: &random)
            let offsets = corners.map { corner in
                let length = Double.random(in: 0.3...1, using: &random)
                return Position(length * width * corner.longitude, length * height * corner.latitude)
            }
            let centre = Position(
                Double.random(in: 120...240, using: &random).rounded(),
                Double.random(in: -45...45, using: &random).rounded())
            var rings = [Self.star(centre, offsets, 1), Self.star(centre, offsets, 0.4)]
            let expected = abs(Self.doubleArea(rings[0])) - abs(Self.doubleArea(rings[1]))
            // As in feeds: longitudes within ±180, in either direction.
            rings = rings.map { ring -> [Position] in
                let within = ring.map { Position($0.longitude > 180 ? $0.longitude - 360 : $0.longitude, $0.latitude) }
                return round.isMultiple(of: 2) ? within : within.reversed()
            }
            let polygons = Self.polygons(GeoJSONShape.polygon(rings).normalised)
            var area = 0.0
            for rings in polygons {
                for (index, ring) in rings.enumerated() {
                    area += Self.doubleArea(ring)
                    #expect((Self.doubleArea(ring) > 0) == (index == 0), "\(round)")
                    #expect(ring.count >= 4 && ring.first == ring.last, "\(round)")
                    #expect(ring.allSatisfy { abs($0.longitude) <= 180 }, "\(round)")
                    let steps = zip(ring, ring.dropFirst()).map { abs($0.longitude - $1.longitude) }
                    #expect(steps.allSatisfy { $0 <= 180 }, "\(round)")
                }
            }
            #expect(abs(area - expected) < 1e-6, "\(round): \(polygons)")
        }
    }

    @Test func aCapKeepsItsArea() throws {
        var random = SplitMix(seed: 2)
        for round in 0..<200 {
            let isNorth = round.isMultiple(of: 2)
            let longitudes = (0..<12).map { Double($0) * 30 + Double.random(in: -14...14, using: &random) }
            let ring = longitudes.map { longitude in
                let latitude = Double.random(in: 20...85, using: &random)
                return Position(longitude > 180 ? longitude - 360 : longitude, isNorth ? latitude : -latitude)
            }
            var expected = 0.0
            for index in ring.indices {
                let next = (index + 1) % ring.count
                let width = longitudes[next] - longitudes[index] + (next == 0 ? 360 : 0)
                expected += width * (180 - abs(ring[index].latitude) - abs(ring[next].latitude))
            }
            let closed = ring + ring.prefix(1)
            let shape = GeoJSONShape.polygon([round.isMultiple(of: 3) ? closed.reversed() : closed])
            let polygons = Self.polygons(shape.normalised)
            #expect(polygons.count == 1, "\(round)")
            let area = polygons.flatMap { $0 }.reduce(0.0) { $0 + Self.doubleArea($1) }
            #expect(abs(area - expected) < 1e-6, "\(round): \(polygons)")
        }
    }
}
