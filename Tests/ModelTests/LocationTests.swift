import Foundation
import Model
import Testing

@Suite struct LocationTests {
    @Test func wordsAreThoseThatDatabasesHold() throws {
        let methods = [
            "coordinates", "circle", "polygon", "line", "box", "gazetteer", "mapquest", "nominatim", "operator",
        ]
        #expect(Location.Method.allCases.map { $0.rawValue } == methods)
        #expect(methods.map { Location.Method(rawValue: $0) } == Location.Method.allCases)
        let evidence = ["place", "dateline", "author", "title", "summary", "distance"]
        #expect(PlaceEvidence.allCases.map { $0.rawValue } == evidence)
        #expect(evidence.map { PlaceEvidence(rawValue: $0) } == PlaceEvidence.allCases)
    }

    @Test func evidenceIsWrittenAsItsWord() throws {
        let texts: [PlaceEvidence] = [.author, .unknown("echo")]
        let json = try JSONEncoder().encode(texts)
        #expect(String(decoding: json, as: UTF8.self) == #"["author","echo"]"#)
        #expect(try JSONDecoder().decode([PlaceEvidence].self, from: json) == texts)
    }
}

@Suite struct PlaceCorrectionTests {
    @Test(
        arguments: [
            (91, 0, nil, nil, "latitude from -90 to 90"), (0, 361, nil, nil, "longitude from -180 to 360"),
            (.nan, 0, nil, nil, "latitude from -90 to 90"), (0, 0, nil, nil, "0,0 stands for an unknown place"),
            (1, 2, 0, nil, "a radius is above 0"), (1, 2, .infinity, nil, "at most 10000 km"),
            (1, 2, nil, " ", "a name has 1 to 200 characters"), (1, 2, nil, "a\u{7}", "no control characters"),
            (1, 2, nil, String(repeating: "é", count: 201), "1 to 200 characters"),
        ] as [(Double, Double, Double?, String?, String)])
    func whatIsNoPlaceIsToldSo(latitude: Double, longitude: Double, radius: Double?, name: String?, words: String) {
        let correction = PlaceCorrection.at(latitude: latitude, longitude: longitude, radius: radius, name: name)
        #expect(correction.fault?.contains(words) == true, "\(correction.fault ?? "none")")
        #expect(correction.location == nil)
    }

    @Test func aPlaceIsThatOfTheOperatorAndALargeRadiusMakesItARegion() throws {
        let name = String(repeating: "é", count: 200)
        for (radius, precision) in [(nil, .point), (25, .point), (25.1, .region)] as [(Double?, Location.Precision)] {
            let correction = PlaceCorrection.at(latitude: -8, longitude: 245, radius: radius, name: name)
            let place = try #require(correction.location)
            #expect(place.method == .operator && place.precision == precision && place.radius == radius)
            #expect(place.coordinate.longitude == -115 && place.name == name && place.confidence == 1)
            let json = try JSONEncoder().encode(correction)
            #expect(try JSONDecoder().decode(PlaceCorrection.self, from: json) == correction)
        }
        #expect(PlaceCorrection.nowhere.fault == nil && PlaceCorrection.nowhere.location == nil)
    }
}

@Suite struct CoordinateMoveTests {
    @Test("a moved point lies at the distance, in the direction, also across 180° and over a pole")
    func moved() throws {
        let origin = try #require(Coordinate(latitude: 0, longitude: 179.9))
        let east = try #require(origin.moved(kilometres: 50, bearing: 90))
        #expect(abs(east.distance(to: origin) - 50) < 1e-6)
        #expect(east.longitude < -179 && abs(east.latitude) < 1e-9)
        let north = try #require(Coordinate(latitude: 89.9, longitude: 10)?.moved(kilometres: 50, bearing: 0))
        #expect(abs(abs(north.longitude) - 170) < 1e-6 && north.latitude < 89.9)
        #expect(origin.moved(kilometres: .nan, bearing: 0) == nil)
        #expect(origin.moved(kilometres: 0, bearing: 45) == origin)
    }
}

@Suite struct CompassTests {
    /// In the north and the south, across 180°, and beside both poles.
    private static let places = [(38.7, -9.1), (-17.0, 179.95), (-89.8, 10.0), (89.9, -170.0), (0.0, 0.0)]

    @Test("the bearing of a moved point is the one in which it was moved", arguments: places)
    func bearing(latitude: Double, longitude: Double) throws {
        let origin = try #require(Coordinate(latitude: latitude, longitude: longitude))
        for bearing in stride(from: 0.0, to: 360, by: 22.5) {
            let moved = try #require(origin.moved(kilometres: 60, bearing: bearing))
            let turn = abs(origin.bearing(to: moved) - bearing)
            #expect(min(turn, 360 - turn) < 1e-6, "\(bearing)")
        }
        #expect((0...360).contains(origin.bearing(to: origin)))
    }

    @Test("a circle lies in the box round it", arguments: places)
    func box(latitude: Double, longitude: Double) throws {
        let centre = try #require(Coordinate(latitude: latitude, longitude: longitude))
        for kilometres in [0.0, 50, 100, 3000, 12_000, 30_000, .infinity] {
            let box = try #require(BoundingBox(round: centre, kilometres: kilometres))
            for bearing in stride(from: 0.0, to: 360, by: 15) {
                let point = try #require(centre.moved(kilometres: min(kilometres, 20_000), bearing: bearing))
                #expect(box.contains(point), "\(kilometres) km at \(bearing)°")
            }
        }
    }

    @Test(
        arguments: [
            (0, "N"), (11.2, "N"), (11.3, "NNE"), (225, "SW"), (337.6, "NNW"), (348.8, "N"), (360, "N"), (-90, "W"),
            (765, "NE"), (.nan, "N"), (.infinity, "N"),
        ] as [(Double, String)]) func aBearingHasItsPoint(bearing: Double, point: String)
    {
        #expect(Compass.point(bearing) == point)
    }
}
