import Model
import Testing

@testable import Gazetteer

/// Names that a famous city abroad, a capital or a region shares with a town that the document or the home means.
@Suite struct HomonymTests {
    private let tables: TestTable
    private let places: EventPlaces

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
            _ longitude: Double, _ feature: String = "PPL", _ others: [String] = []
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: country, region: region, latitude: latitude,
                longitude: longitude, feature: feature, others: others)
        }
        func area(_ code: String, _ name: String, _ population: Int64) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: population, latitude: 40, longitude: -90)
        }
        tables = try TestTable(
            cities: [
                city(1, "Alexandria", 3_811_516, "EG", "06", 31.22, 29.96, "PPLA"),
                city(2, "Alexandria", 47_723, "US", "LA", 31.31, -92.45),
                city(3, "Hamburg", 1_739_117, "DE", "04", 53.58, 10.02, "PPLA"),
                city(4, "San José", 335_007, "CR", "08", 9.93, -84.08, "PPLC"),
                city(5, "San Jose", 945_942, "US", "CA", 37.34, -121.89),
                city(6, "Philadelphia", 1_526_006, "US", "PA", 39.95, -75.16),
                city(7, "Amman", 1_675_857, "JO", "16", 31.96, 35.95, "PPLC", ["Philadelphia"]),
                city(8, "Kansas City", 475_378, "US", "MO", 39.1, -94.58),
                city(9, "Washington, D.C.", 601_723, "US", "DC", 38.9, -77.04, "PPLC", ["Washington"]),
                city(10, "Washington", 27_000, "US", "UT", 37.13, -113.51),
                city(11, "Springfield", 166_810, "US", "MO", 37.22, -93.3),
                city(12, "Springfield", 153_060, "US", "MA", 42.1, -72.59),
                city(13, "St. John's", 108_860, "CA", "05", 47.56, -52.71, "PPLA"),
                city(14, "Saint John", 400_000, "AG", "04", 17.12, -61.85, "PPLC"),
                city(15, "Bristol", 60_477, "US", "CT", 41.68, -72.95),
                city(16, "Melbourne", 4_246_375, "AU", "07", -37.81, 144.96, "PPLA"),
                city(17, "Melbourne", 76_068, "US", "FL", 28.08, -80.61),
                city(18, "Delhi", 10_927_986, "IN", "07", 28.65, 77.23, "PPLA"),
                city(19, "Córdoba", 1_428_214, "AR", "05", -31.41, -64.18, "PPLA"),
                city(20, "Córdoba", 140_896, "MX", "30", 18.89, -96.93),
                city(21, "Florida", 53_441, "CU", "05", 21.52, -78.23),
                city(22, "Nevada", 20_000, "US", "MO", 37.84, -94.35),
            ],
            areas: [
                area("US", "United States", 310_000_000), area("EG", "Egypt", 80_000_000),
                area("DE", "Germany", 81_000_000),
                area("CR", "Costa Rica", 4_500_000), area("JO", "Jordan", 6_400_000), area("CA", "Canada", 33_000_000),
                area("AG", "Antigua", 86_000), area("AU", "Australia", 21_000_000), area("IN", "India", 1_100_000_000),
                area("AR", "Argentina", 41_000_000), area("MX", "Mexico", 112_000_000), area("CU", "Cuba", 11_000_000),
                area("EG.06", "Alexandria", 4_100_000), area("DE.04", "Hamburg", 1_739_117),
                area("IN.07", "Delhi", 11_000_000),
                area("CR.08", "San José", 1_000_000), area("AR.05", "Córdoba", 3_000_000),
                area("US.LA", "Louisiana", 4_500_000), area("US.CA", "California", 37_000_000),
                area("US.PA", "Pennsylvania", 12_700_000), area("US.MO", "Missouri", 6_000_000),
                area("US.KS", "Kansas", 2_800_000), area("US.WA", "Washington", 6_700_000),
                area("US.OH", "Ohio", 11_500_000),
                area("US.FL", "Florida", 18_000_000), area("US.NV", "Nevada", 2_700_000),
                area("US.MD", "Maryland", 5_700_000),
                area("US.MD.033", "Prince George's County", 863_420), area("US.VA.149", "Prince George County", 35_725),
                area("US.VA", "Virginia", 8_000_000), area("US.MD.001", "Lincoln County", 9_000),
                area("US.OH.001", "Lincoln County", 9_000), area("CA.05", "Newfoundland", 510_000),
            ])
        places = EventPlaces(tables.table, resolver: Resolver(tables.table))
    }

    /// The id of the event's place; `–` for none.
    private func found(_ title: String, home: PlaceContext = PlaceContext()) throws -> String {
        let event = UnlocatedEvent(category: "news", title: title, home: home)
        if case .located(let location) = try places.outcome(for: event) { return location.placeID ?? "?" }
        return "–"
    }

    @Test(
        "a region or a country that the document names goes before famous cities elsewhere",
        arguments: [
            ("Louisiana police: fire in Alexandria", "geonames:2"), ("Fire in Alexandria", "geonames:1"),
            ("California wildfire nears San Jose", "geonames:5"), ("Man shot in Hamburg", "geonames:3"),
            ("Bristol man held in Ohio", "region:US.OH"), ("Kansas City man held", "geonames:8"),
        ] as [(String, String)])
    func evidence(title: String, expected: String) throws {
        #expect(try found(title) == expected)
    }

    @Test(
        "what is not sure is open",
        arguments: [
            "Fire in Lincoln County", "Fire near Nevada City", "Ann Bell, M.D., held",
        ])
    func open(_ title: String) throws {
        #expect(try found(title) == "–")
    }

    @Test("another name of a city yields to a town's own")
    func alternates() throws {
        #expect(try found("Fire in Philadelphia") == "geonames:6")
        #expect(try found("Jordan: fire in Philadelphia, Amman says") == "geonames:7")
    }

    @Test(
        "the country behind a name",
        arguments: [
            ("Blast in Washington, United States", "geonames:9"), ("Fire in Springfield, United States", "country:US"),
            ("Fire in St. John's, Canada", "geonames:13"), ("Florida, Cuba brace for storm", "region:US.FL"),
            ("Fire in Florida, Cuba", "geonames:21"), ("Alexandria, Egypt braces for storm", "geonames:1"),
            ("Fire in Prince George's County, Maryland", "district:US.MD.033"),
        ] as [(String, String)])
    func qualified(title: String, expected: String) throws {
        #expect(try found(title) == expected)
    }

    @Test("a local paper's town goes before those that all know, a national paper's does not")
    func homes() throws {
        let louisiana = PlaceContext(country: "US", region: "LA")
        #expect(try found("Fire in Alexandria", home: louisiana) == "geonames:2")
        #expect(try found("Fire in Alexandria, Egypt", home: louisiana) == "geonames:1")
        // A home speaks for its towns, not against those elsewhere.
        #expect(try found("Delhi man held", home: louisiana) == "geonames:18")
        #expect(try found("India: Delhi man held", home: louisiana) == "geonames:18")
        #expect(try found("Fire in Melbourne", home: PlaceContext(country: "US")) == "geonames:16")
        #expect(try found("Fire in Melbourne", home: PlaceContext(country: "US", region: "FL")) == "geonames:17")
    }
}
