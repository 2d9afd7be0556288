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
