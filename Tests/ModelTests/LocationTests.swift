import Foundation
import Model
import Testing

@Suite struct LocationTests {
    @Test func wordsAreThoseThatDatabasesHold() throws {
        let methods = ["coordinates", "circle", "polygon", "line", "box", "gazetteer", "mapquest", "nominatim"]
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
