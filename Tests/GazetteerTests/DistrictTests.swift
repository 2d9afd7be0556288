import Model
import Testing

@testable import Gazetteer

/// Districts that many regions have: which is meant, and which towns they tell.
@Suite struct DistrictTests {
    private let tables: TestTable
    private let resolver: Resolver
    private let finder: PlaceFinder

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ region: String, _ district: String,
            _ latitude: Double, _ longitude: Double
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: "US", region: region, latitude: latitude,
                longitude: longitude, district: district)
        }
        func area(_ code: String, _ name: String, _ population: Int64) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: population, latitude: 40, longitude: -90)
        }
        tables = try TestTable(
            cities: [
                city(1, "Huntsville", 180_105, "AL", "089", 34.73, -86.59),
                city(2, "Huntsville", 38_548, "TX", "471", 30.72, -95.55),
                city(3, "Lebanon", 32_372, "TN", "189", 36.21, -86.29),
                city(4, "Douglas", 17_378, "AZ", "003", 31.34, -109.55),
                city(5, "Dalton", 33_128, "GA", "313", 34.77, -84.97),
            ],
            areas: [
                area("US", "United States", 310_000_000), area("LB", "Lebanon", 4_125_000),
                area("US.TX", "Texas", 25_000_000), area("US.AL", "Alabama", 4_700_000),
                area("US.GA", "Georgia", 9_000_000), area("US.TN", "Tennessee", 6_000_000),
                area("US.AZ", "Arizona", 6_000_000), area("US.TX.471", "Walker County", 67_000),
                area("US.AL.127", "Walker County", 64_000), area("US.GA.295", "Walker County", 68_000),
                area("US.GA.097", "Douglas County", 132_000), area("US.GA.313", "Whitfield County", 102_000),
            ])
        resolver = Resolver(tables.table)
        finder = PlaceFinder(tables.table, resolver: resolver)
    }

    /// The places found in a text, each once.
    private func found(_ text: String) throws -> [String] {
        try finder.places(in: text).reduce(into: []) { ids, place in
            let id = place.resolution.place.id
            if !ids.contains(id) { ids.append(id) }
        }
    }

    @Test("a district and a town in it tell each other from their namesakes")
    func towns() throws {
        #expect(try found("The Walker County sheriff was at a fire.") == [])
        #expect(
            try found("The Walker County sheriff was at a fire in Huntsville.")
                == ["district:US.TX.471", "geonames:2"])
        let qualified = try found("The sheriff of Walker County, Georgia, saw a fire in Huntsville, Ala., on Monday.")
        #expect(qualified.contains("geonames:1") && !qualified.contains("district:US.TX.471"))
    }

    @Test("a bare name that the text also writes with County is the county, unless a town there has the name")
    func bare() throws {
        let county = "district:US.GA.097"
        #expect(try found("Douglas County, Georgia, is growing. Schools in Douglas are full.").contains(county))
        #expect(try !found("Douglas County, Georgia, is growing. Schools in Douglas are full.").contains("geonames:4"))
        #expect(try !found("Schools in Douglas, Arizona, are full.").contains(county))
    }

    @Test("a county may stand before capitalised words, which are in it")
    func bodies() throws {
        #expect(
            try found("Georgia: The Whitfield County Fair Board met.") == ["region:US.GA", "district:US.GA.313"])
    }

    @Test("in a list of counties a town's name is a county's")
    func list() throws {
        #expect(
            try found("Rain fell in Georgia in Douglas, Walker and Whitfield counties.")
                == ["region:US.GA", "district:US.GA.097", "district:US.GA.295", "district:US.GA.313"])
        // Counties of one state that are the only ones of their names are evidence for each other.
        #expect(
            try found("Rain fell in Douglas and Whitfield counties.") == ["district:US.GA.097", "district:US.GA.313"])
    }

    @Test("a country's name is the town's if a region named has one, and nothing else names the country")
    func countries() throws {
        #expect(try found("A man from Tennessee was held in Lebanon on Monday.") == ["region:US.TN", "geonames:3"])
        #expect(try found("A man from Tennessee was held in Lebanon, Lebanese police said.").contains("country:LB"))
        #expect(try found("A man was held in Lebanon on Monday.") == ["country:LB"])
    }

    @Test("a gulf is not the country whose name it has")
    func gulfs() throws {
        #expect(try found("A ship sank in the Gulf of Lebanon on Monday.") == [])
    }
}
