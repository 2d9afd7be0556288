import Foundation
import Model
import TestSupport
import Testing

@testable import Gazetteer

@Suite struct MapPlacesTests {
    private static func city(
        _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ latitude: Double, _ longitude: Double,
        _ feature: String = "PPL", _ others: [String] = []
    ) -> TestTable.City {
        TestTable.City(
            id: id, name: name, population: population, country: country, region: "", latitude: latitude,
            longitude: longitude, feature: feature, others: others)
    }

    private static let cities = [
        city(1, "Paris", 2_000_000, "FR", 48.9, 2.3, "PPLC"), city(2, "Paris", 25_000, "US", 33.7, -95.6),
        city(3, "Parish", 1_000, "GB", 51, 0), city(4, "São Paulo", 10_000_000, "BR", -23.5, -46.6, "PPLA"),
        city(5, "Suva", 77_000, "FJ", -18.1, 178.4, "PPLC"), city(6, "Apia", 40_000, "WS", -13.8, -171.8, "PPLC"),
        city(7, "Brooklyn", 2_500_000, "US", 40.6, -73.9, "PPLX"),
        city(8, "Sankt Peterburg", 5_000_000, "RU", 59.9, 30.3, "PPLA", ["Leningrad", "Saint Petersburg"]),
        city(1_000_000_001, "Hamlet", 0, "FR", 48.8, 2.2),
    ]

    private static func names(_ answer: MapPlaces.Answer) -> [String] { answer.cities.map { $0.name } }

    @Test func theLargestComeFirstAndSectionsOfCitiesAreNoLabels() throws {
        let test = try TestTable(cities: Self.cities, areas: [])
        let places = MapPlaces(path: test.table.path)
        let all = try places.cities(in: nil, limit: 100)
        #expect(
            Self.names(all) == [
                "São Paulo", "Sankt Peterburg", "Paris", "Suva", "Apia", "Paris", "Parish", "Hamlet",
            ])
        #expect(!all.isCut)
        #expect(all.generation == test.table.generation)
        #expect(all.attribution.contains("GeoNames"))
        #expect(all.attribution.contains("MaxMind"))
        let two = try places.cities(in: nil, limit: 2)
        #expect(Self.names(two) == ["São Paulo", "Sankt Peterburg"])
        #expect(two.isCut)
    }

    @Test func aBoxMayCrossTheAntimeridian() throws {
        let test = try TestTable(cities: Self.cities, areas: [])
        let box = try #require(BoundingBox(west: 170, south: -20, east: -170, north: -10))
        let all = try MapPlaces(path: test.table.path).cities(in: box, limit: 100)
        #expect(Self.names(all) == ["Suva", "Apia"])
        // With one city kept, the table has to be read.
        let small = try #require(BoundingBox(west: 178, south: -18.5, east: -171, north: -13))
        let read = try MapPlaces(path: test.table.path, keeping: 1).cities(in: small, limit: 100)
        #expect(Self.names(read) == ["Suva", "Apia"])
        #expect(!read.isCut)
    }

    @Test func aSmallBoxIsReadFromTheWholeTableAndALargeOneIsNot() throws {
        let test = try TestTable(cities: Self.cities, areas: [])
        let places = MapPlaces(path: test.table.path, keeping: 2)
        let small = try #require(BoundingBox(west: 2, south: 48, east: 3, north: 49))
        let near = try places.cities(in: small, limit: 100)
        #expect(Self.names(near) == ["Paris", "Hamlet"])
        #expect(!near.isCut)
        let large = try #require(BoundingBox(west: -10, south: 40, east: 40, north: 60))
        let far = try places.cities(in: large, limit: 100)
        #expect(Self.names(far) == ["Sankt Peterburg"])
        #expect(far.isCut)
    }

    @Test(
        arguments: [
            ("paris", ["Paris", "Paris", "Parish"]), ("PAR", ["Paris", "Paris", "Parish"]), ("sao-p", ["São Paulo"]),
            ("Saint P", ["Sankt Peterburg"]), ("leningrad", ["Sankt Peterburg"]), ("leningr", []),
            ("brooklyn", ["Brooklyn"]), ("aris", []), ("!", []), ("hamlet", ["Hamlet"]),
        ] as [(String, [String])]) func aNameIsFoundByItsBeginning(beginning: String, names: [String]) throws
    {
        let test = try TestTable(cities: Self.cities, areas: [])
        let found = try MapPlaces(path: test.table.path).cities(in: nil, beginning: beginning, limit: 100)
        #expect(Self.names(found) == names)
    }

    @Test func aNameOutsideTheKeptOnesIsFoundWhole() throws {
        let test = try TestTable(cities: Self.cities, areas: [])
        let places = MapPlaces(path: test.table.path, keeping: 1)
        let whole = try places.cities(in: nil, beginning: "Paris", limit: 100)
        #expect(whole.cities.map { $0.country } == ["FR", "US"])
        let part = try places.cities(in: nil, beginning: "Pari", limit: 100)
        #expect(part.cities.isEmpty)
        #expect(part.isCut)
        let box = try #require(BoundingBox(west: -100, south: 30, east: -90, north: 40))
        let texas = try places.cities(in: box, beginning: "Paris", limit: 100)
        #expect(texas.cities.map { $0.country } == ["US"])
    }

    @Test func anotherSeedingCountsAtOnce() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/cities.sqlite"
        let places = MapPlaces(path: path)
        let absence = #expect(throws: GazetteerError.self) { try places.cities(in: nil, limit: 1) }
        #expect(absence?.code == .notSeeded)
        for name in ["Old Town", "New Town"] {
            let builder = try CityTableBuilder(path: path, at: Date(timeIntervalSince1970: 1_772_323_200))
            let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
            try builder.add(CityRecord(id: 1, name: name, country: "FR", coordinate: coordinate))
            _ = try builder.finish()
            let found = try places.cities(in: nil, limit: 1)
            #expect(Self.names(found) == [name])
        }
        try Data("no table".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: GazetteerError.self) { try places.cities(in: nil, limit: 1) }
    }
}
