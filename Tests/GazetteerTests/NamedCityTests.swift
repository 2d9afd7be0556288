import Model
import Testing

@testable import Gazetteer

/// Cities that someone looks for by name.
@Suite struct NamedCityTests {
    private let world: TestTable
    private let resolver: Resolver

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
            _ longitude: Double, _ others: [String] = []
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: country, region: region, latitude: latitude,
                longitude: longitude, others: others)
        }
        func area(_ code: String, _ name: String) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: 1_000_000, latitude: 10, longitude: -90)
        }
        world = try TestTable(
            cities: [
                city(1, "La Paz", 812_799, "BO", "04", -16.5, -68.15),
                city(2, "La Paz", 250_141, "MX", "03", 24.14, -110.3),
                city(3, "La Paz", 900, "BO", "04", -16.52, -68.1), city(4, "Paris", 2_138_551, "FR", "A8", 48.85, 2.35),
                city(5, "Paris", 24_782, "US", "TX", 33.66, -95.56), city(6, "Novo", 0, "BR", "01", -1, -50),
                city(7, "Novo", 0, "BR", "02", -10, -60),
                city(8, "Munich", 1_260_391, "DE", "02", 48.14, 11.58, ["München"]),
                city(9, "Islamabad", 601_600, "PK", "08", 33.72, 73.04),
                city(10, "Chittagong", 3_920_222, "BD", "84", 22.34, 91.83, ["Islamabad"]),
                city(11, "Islamabad", 900, "BD", "84", 23.1, 92.2),
            ],
            areas: [
                area("BO", "Bolivia"), area("MX", "Mexico"), area("MX.03", "Baja California Sur"), area("FR", "France"),
                area("US", "United States"), area("US.TX", "Texas"), area("BR", "Brazil"), area("DE", "Germany"),
                area("PK", "Pakistan"), area("BD", "Bangladesh"), area("BD.84", "Chattogram"),
            ])
        resolver = Resolver(world.table)
    }

    @Test(
        arguments: [
            ("La Paz, Bolivia", [1]), ("la paz,  baja california sur, mexico", [2]), ("La Paz, Mexico", [2]),
            ("Paris", [4]),
            ("Paris, Texas", [5]), ("München", [8]), ("Islamabad", [9]), ("Islamabad, Bangladesh", [10]),
            ("Islamabad, Chattogram, Bangladesh", [11]),
            ("La Paz", [1, 2, 3]), ("Novo", [6, 7]), ("Atlantis", []), ("Paris, Atlantis", []), ("", []), (",", []),
            ("France", []),
        ] as [(String, [Int])])
    func aNameMeansOneCitySeveralOrNone(text: String, ids: [Int]) throws {
        #expect(try resolver.cities(named: text).map(\.id) == ids.map { "geonames:\($0)" })
    }

    @Test func aPlaceHasNamesAroundIt() throws {
        let place = try #require(try resolver.cities(named: "La Paz, Mexico").first)
        let around = resolver.surroundings(of: place)
        #expect(around.region == "Baja California Sur" && around.country == "Mexico")
        #expect(try resolver.country(of: "Texas") == "US")
        #expect(try resolver.country(of: "Paris") == nil)
    }
}
