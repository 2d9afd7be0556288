import Foundation
import Model
import Testing

@Suite struct LocationTests {
    @Test func wordsAreThoseThatDatabasesHold() throws {
        let methods = ["coordinates", "circle", "polygon", "line", "box", "gazetteer", "mapquest", "nominatim"]
        #expect(Location.Method.allCases.map { $0.rawValue } == methods)
        #expect(methods.map { Location.Method(rawValue: $0) } == Location.Method.allCases)
        let evidence = ["place", "dateline", "author", "title", "summary"]
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
