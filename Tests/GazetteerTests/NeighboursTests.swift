import Foundation
import Model
import Testing

@testable import Gazetteer

@Suite struct NeighboursTests {
    private static func city(
        _ id: String, _ region: String, _ latitude: Double, _ longitude: Double, population: Int64 = 200_000
    ) throws -> PlaceCandidate {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
        return PlaceCandidate(
            place: Place(
                kind: .city, id: id, name: id, country: "US", region: region, population: population,
                coordinate: coordinate),
            form: .name)
    }

    /// The features of a candidate among neighbours; the names of the text are its words.
    private func features(
        of candidate: PlaceCandidate, named name: String, among meanings: [String: [PlaceCandidate]], in text: String
    ) throws -> PlaceFeatures {
        var mentions: [DocumentMention] = []
        for word in text.split(separator: " ") {
            let range = word.startIndex..<word.endIndex
            mentions.append(
                DocumentMention(
                    range: range, name: MentionName(range, in: text), candidates: meanings[String(word)] ?? [],
                    qualifiers: [], scanned: nil))
        }
        let names = text.split(separator: " ").map { String($0) }
        var order: [String] = []
        for name in names where !order.contains(name) { order.append(name) }
        let groups = names.compactMap { order.firstIndex(of: $0) }
        let neighbours = Neighbours(
            mentions, groups: groups, senses: [:], try DocumentEvidence([], table: try TestTable().table),
            PlaceContext())
        var features = PlaceFeatures()
        neighbours.read(candidate, try #require(order.firstIndex(of: name)), &features)
        return features
    }

    @Test("of other names the nearest city and the part in the candidate's region count, in the document's whole")
    func others() throws {
        let aurora = [try Self.city("a1", "CO", 39.73, -104.83), try Self.city("a2", "IL", 41.76, -88.32)]
        let denver = try Self.city("d", "CO", 39.74, -104.98)
        let joliet = try Self.city("j", "IL", 41.53, -88.08)
        let chicago = try Self.city("c", "IL", 41.85, -87.65)
        let meanings = ["Aurora": aurora, "Denver": [denver], "Joliet": [joliet], "Chicago": [chicago]]
        let text = "Aurora Denver Joliet Chicago Aurora"
        for candidate in aurora {
            let read = try features(of: candidate, named: "Aurora", among: meanings, in: text)
            let others = [denver, joliet, chicago]
            let near = others.filter { $0.regionCode == candidate.regionCode }
            let distances = others.map { $0.place.coordinate.distance(to: candidate.place.coordinate) }
            #expect(read[.nearRegion] == Double(near.count) / 3)
            #expect(read[.fitsRegion] == Double(near.count) / 3)
            #expect(read[.nearest] == exp(-(distances.min() ?? 0) / 100))
        }
    }

    @Test("a place under another name is no neighbour of itself, but one in the same spot is")
    func itself() throws {
        let york = try Self.city("y", "NY", 40.71, -74.01)
        let harlem = try Self.city("h", "NY", 40.71, -74.01)
        let boston = try Self.city("b", "MA", 42.36, -71.06)
        let alone = try features(of: york, named: "York", among: ["York": [york], "Gotham": [york]], in: "York Gotham")
        #expect(alone[.nearest] == 0 && alone[.nearRegion] == 0)
        let meanings = ["York": [york], "Gotham": [york], "Harlem": [harlem], "Boston": [boston]]
        let read = try features(of: york, named: "York", among: meanings, in: "York Gotham Harlem Boston")
        #expect(read[.nearest] == 1 && read[.nearRegion] == 0.5)
    }

    @Test("villages are no neighbours")
    func villages() throws {
        let town = try Self.city("t", "VT", 44.26, -72.57)
        let village = try Self.city("v", "VT", 44.2, -72.5, population: 900)
        let read = try features(of: town, named: "Town", among: ["Town": [town], "Thorp": [village]], in: "Town Thorp")
        #expect(read[.nearest] == 0 && read[.fitsRegion] == 1)
    }
}
