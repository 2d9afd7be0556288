@testable import Gazetteer

extension TestTable {
    /// A table of homonyms for the tests of resolving.
    static func resolverWorld() throws -> TestTable {
        let areas = areaNames.map { code, name in
            let inside = worldCities.filter { city in
                code == city.country || code == "\(city.country).\(city.region)"
            }
            let largest = inside.max { $0.population < $1.population }
            return Area(
                code: code, name: name, population: inside.reduce(0) { $0 + $1.population },
                latitude: largest?.latitude ?? 40, longitude: largest?.longitude ?? -90)
        }
        return try TestTable(cities: worldCities, areas: areas)
    }

    private static func row(
        _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
        _ longitude: Double, _ feature: String = "PPL", _ others: [String] = []
    ) -> City {
        City(
            id: id, name: name, population: population, country: country, region: region, latitude: latitude,
            longitude: longitude, feature: feature, others: others)
    }

    /// The last rows are like those of MaxMind: without population, several with the same name.
    private static let worldCities: [City] = [
        row(1, "Paris", 2_138_551, "FR", "A8", 48.85, 2.35, "PPLC"),
        row(2, "Paris", 25_171, "US", "TX", 33.66, -95.56, "PPLA2"),
        row(3, "London", 7_556_900, "GB", "ENG", 51.51, -0.13, "PPLC"),
        row(4, "London", 346_765, "CA", "08", 42.98, -81.23, "PPL"),
        row(5, "St. Thomas", 36_110, "CA", "08", 42.77, -81.18),
        row(6, "Toronto", 2_600_000, "CA", "08", 43.7, -79.42, "PPLA"),
        row(7, "Québec", 528_595, "CA", "10", 46.81, -71.21, "PPLA", ["Quebec", "Quebec City"]),
        row(8, "Montréal", 3_268_513, "CA", "10", 45.51, -73.59),
        row(9, "Edmonton", 712_391, "CA", "01", 53.55, -113.47, "PPLA"),
        row(10, "New York City", 8_175_133, "US", "NY", 40.71, -74.01, "PPL", ["New York"]),
        row(11, "Albany", 97_856, "US", "NY", 42.65, -73.76, "PPLA"),
        row(12, "Washington, D.C.", 601_723, "US", "DC", 38.9, -77.04, "PPLC", ["Washington"]),
        row(13, "Seattle", 608_660, "US", "WA", 47.61, -122.33),
        row(14, "Olympia", 46_478, "US", "WA", 47.04, -122.9, "PPLA"),
        row(15, "Springfield", 159_498, "US", "MO", 37.22, -93.3),
        row(16, "Springfield", 153_060, "US", "MA", 42.1, -72.59),
        row(17, "Springfield", 116_250, "US", "IL", 39.8, -89.64),
        row(18, "Atlanta", 420_003, "US", "GA", 33.75, -84.39, "PPLA"),
        row(19, "Savannah", 4_000_000, "US", "GA", 32.08, -81.1),
        row(20, "Miami", 400_000, "US", "FL", 25.77, -80.19),
        row(21, "Delaware", 34_753, "US", "OH", 40.3, -83.07),
        row(22, "Columbus", 800_000, "US", "OH", 39.96, -83.0),
        row(23, "Wilmington", 170_851, "US", "DE", 39.75, -75.55),
        row(24, "Philadelphia", 1_526_006, "US", "PA", 39.95, -75.16),
        row(25, "Dallas", 1_197_816, "US", "TX", 32.78, -96.8),
        row(26, "Tbilisi", 1_049_498, "GE", "51", 41.69, 44.83, "PPLC"),
        row(27, "Baghdad", 5_672_513, "IQ", "07", 33.34, 44.4, "PPLC"),
        row(28, "Mosul", 1_739_800, "IQ", "15", 36.34, 43.12, "PPLA"),
        row(29, "Ankara", 3_517_182, "TR", "68", 39.92, 32.85, "PPLC"),
        row(30, "Luxembourg", 76_684, "LU", "03", 49.61, 6.13, "PPLC"),
        row(31, "Zurich", 341_730, "CH", "ZH", 47.37, 8.55, "PPLA"),
        row(32, "Nowhere", 0, "US", "TX", 31, -97),
        row(33, "Lonely", 0, "US", "TX", 31.5, -97),
        row(34, "Twins", 0, "PL", "~1", 52.0, 20.0),
        row(35, "Twins", 0, "PL", "~1", 52.1, 20.1),
        row(36, "Novo", 0, "PL", "~1", 52, 21),
        row(37, "Novo", 0, "RU", "~2", 56, 40),
        row(38, "Novo", 0, "UA", "~3", 50, 30),
    ]

    private static let areaNames: [(code: String, name: String)] = [
        ("FR", "France"), ("US", "United States"), ("GB", "United Kingdom"), ("CA", "Canada"), ("GE", "Georgia"),
        ("IQ", "Iraq"), ("TR", "Turkey"), ("LU", "Luxembourg"), ("CH", "Switzerland"), ("PL", "Poland"),
        ("RU", "Russia"), ("UA", "Ukraine"), ("FR.A8", "Île-de-France"), ("GB.ENG", "England"), ("CA.08", "Ontario"),
        ("CA.10", "Quebec"), ("CA.01", "Alberta"), ("US.TX", "Texas"), ("US.NY", "New York"),
        ("US.DC", "Washington, D.C."), ("US.WA", "Washington"), ("US.MO", "Missouri"), ("US.MA", "Massachusetts"),
        ("US.IL", "Illinois"), ("US.GA", "Georgia"), ("US.FL", "Florida"), ("US.OH", "Ohio"), ("US.DE", "Delaware"),
        ("US.PA", "Pennsylvania"), ("US.KY", "Kentucky"), ("TR.68", "Ankara"), ("US.TX.113", "Dallas County"),
        ("US.IA.049", "Dallas County"), ("US.IA", "Iowa"), ("GB.ENG.H7", "Lincolnshire"),
        ("US.MT", "Montana"), ("BG.12", "Montana"),
    ]
}
