import Foundation
import Model
import Testing

@testable import Presenting

/// Geometries byte by byte.
@Suite struct WellKnownBinaryTests {
    /// The bytes of a geometry, in hexadecimal.
    private static func hex(_ geoJSON: String) -> String? { geometry(geoJSON)?.bytes.hex }

    private static func geometry(_ geoJSON: String) -> WellKnownBinary? {
        GeoJSONShape(geoJSON, droppingHeights: true).flatMap { WellKnownBinary($0) }
    }

    /// The bytes of the numbers 1 and 2, and of the positions 1,2 and 2,1.
    private static let one = "000000000000f03f"
    private static let two = "0000000000000040"
    private static let a = one + two
    private static let b = two + one
    private static let point = "0101000000"
    private static let line = "0102000000" + "02000000" + a + b
    private static let ring = "04000000" + a + b + b + a

    @Test func aPointIsLongitudeAndLatitude() throws {
        let coordinate = try #require(Coordinate(latitude: 2, longitude: 1))
        #expect(WellKnownBinary(coordinate).bytes.hex == Self.point + Self.a)
        #expect(WellKnownBinary(coordinate).isPoint)
        #expect(Self.hex(#"{"type":"Point","coordinates":[1,2]}"#) == Self.point + Self.a)
        #expect(Self.hex(#"{"type":"Point","coordinates":[1,2,-99.5]}"#) == Self.point + Self.a)
    }

    @Test func linesAndPolygonsCountTheirPositionsAndRings() {
        #expect(Self.hex(#"{"type":"LineString","coordinates":[[1,2],[2,1]]}"#) == Self.line)
        let ring = "[[1,2],[2,1],[2,1],[1,2]]"
        #expect(
            Self.hex("{\"type\":\"Polygon\",\"coordinates\":[\(ring),\(ring)]}")
                == "0103000000" + "02000000" + Self.ring + Self.ring)
        #expect(Self.geometry(#"{"type":"LineString","coordinates":[[1,2],[2,1]]}"#)?.isPoint == false)
    }

    @Test func eachOfSeveralHasItsOwnCode() {
        #expect(
            Self.hex(#"{"type":"MultiPoint","coordinates":[[1,2],[2,1]]}"#)
                == "0104000000" + "02000000" + Self.point + Self.a + Self.point + Self.b)
        #expect(
            Self.hex(#"{"type":"MultiLineString","coordinates":[[[1,2],[2,1]]]}"#)
                == "0105000000" + "01000000" + Self.line)
        #expect(
            Self.hex(#"{"type":"MultiPolygon","coordinates":[[[[1,2],[2,1],[2,1],[1,2]]]]}"#)
                == "0106000000" + "01000000" + "0103000000" + "01000000" + Self.ring)
    }

    @Test func aCollectionHoldsGeometriesOfAnySort() {
        let line = #"{"type":"LineString","coordinates":[[1,2],[2,1]]}"#
        let inner = "{\"type\":\"GeometryCollection\",\"geometries\":[\(line)]}"
        let outer =
            "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\",\"coordinates\":[1,2]},\(inner)]}"
        #expect(
            Self.hex(outer)
                == "0107000000" + "02000000" + Self.point + Self.a + "0107000000" + "01000000" + Self.line)
    }

    @Test func theExtentHoldsAllPositions() throws {
        let shape = Self.geometry(#"{"type":"MultiPoint","coordinates":[[-178,3],[5.5,-60],[0,0]]}"#)
        let box = try #require(shape).extent
        #expect([box.west, box.east, box.south, box.north] == [-178, 5.5, -60, 3])
    }

    @Test(arguments: [
        #"{"type":"Polygon","coordinates":[]}"#, #"{"type":"GeometryCollection","geometries":[]}"#,
        #"{"type":"Point","coordinates":[]}"#, #"{"type":"Point","coordinates":[1]}"#,
        #"{"type":"Point","coordinates":["1","2"]}"#, #"{"type":"Point"}"#,
        #"{"type":"LineString","coordinates":[1,2]}"#,
        #"{"type":"MultiPoint","coordinates":{"0":[1,2]}}"#, #"{"type":"Circle","coordinates":[1,2]}"#,
        #"{"type":"Feature","geometry":null}"#, "[1,2]", "null",
    ])
    func whatIsNoGeometryOrHasNoPositionMakesNone(geoJSON: String) {
        #expect(Self.hex(geoJSON) == nil)
    }
}

extension Sequence where Element == UInt8 {
    /// The bytes in hexadecimal.
    var hex: String { map { String(format: "%02x", $0) }.joined() }
}
