import Model
import Testing

@testable import Gazetteer

/// The rules that tell a city from a region or country of its name, and a place from similar words. Each has a case
/// that needs it and one that it must not affect.
@Suite struct PlaceRulesTests {
    private let world: TestTable
    private let resolver: Resolver
    private let finder: PlaceFinder
    private let places: EventPlaces

    init() throws {
        world = try TestTable.rulesWorld()
        resolver = Resolver(world.table)
        finder = PlaceFinder(world.table, resolver: resolver)
        places = EventPlaces(world.table, resolver: resolver)
    }

    // MARK: - A text of its own

    @Test(
        "a region gives way to a larger city or a capital of its name",
        arguments: [
            ("WASHINGTON", "US.DC"), ("Washington, USA", "US.DC"), ("Gaza", "PS.GZ"), ("Manchester", "GB.ENG"),
            // The city is smaller than the region, or larger under another name.
            ("Ontario", "region:CA.08"), ("Edo", "region:NG.37"), ("Gaza, Mozambique", "region:MZ.02"),
        ] as [(String, String)])
    func regionOrCity(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test(
        "a region with its country is the region, unless its own city has the name",
        arguments: [
            ("Oregon, USA", "region:US.OR"), ("TX, USA", "region:US.TX"), ("New York, USA", "US.NY"),
            ("Oregon, Ohio", "US.OH"), ("Ontario, CA", "US.CA"), ("Toronto, CA", "CA.08"),
            ("TX, Canada", "unknownName"),
        ] as [(String, String)])
    func regionInCountry(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test(
        "a city may have its area behind it without a comma, which is no word in small letters",
        arguments: [
            ("Orlando Fl", "US.FL"), ("London UK", "GB.ENG"), ("Toronto Canada", "CA.08"), ("Lagos-Nigeria", "NG.05"),
            ("Fort Wayne IN", "US.IN"), ("Fort Wayne in", "unknownName"), ("Orlando UK", "unknownName"),
        ] as [(String, String)])
    func areaWithoutComma(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test(
        "continents, directions and what is named after neither city nor region are no places",
        arguments: [
            ("Asia", "notAPlace"), ("The South", "notAPlace"), ("Bay Area", "unknownName"), ("West Bank", "unlikely"),
            ("Tokyo area", "JP.40"), ("West London", "GB.ENG"), ("northern Cameroon", "country:CM"),
        ] as [(String, String)])
    func largerThanCountries(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test(
        "a direction or a kind of area may stand before the comma; a city elsewhere than in the region is none",
        arguments: [
            ("North London, UK", "GB.ENG"), ("Lagos State, Nigeria", "region:NG.05"),
            ("Paris, Île-de-France", "unknownName"), ("North Oregon, Ohio", "unknownName"),
            ("Oregon, Kentucky", "unknownName"),
        ] as [(String, String)])
    func wider(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test(
        "only the code of a name of several words has a full stop after each letter",
        arguments: [
            ("L.A.", "unknownName"), ("O.R.", "unknownName"), ("N.C.", "region:US.NC"),
        ] as [(String, String)])
    func stops(text: String, expected: String) throws {
        #expect(try meaning(text, PlaceContext(country: "US")) == expected)
    }

    @Test(
        "an abbreviation is a state if it has ten times the inhabitants of all others",
        arguments: [("NC", "region:US.NC"), ("CO", "ambiguous"), ("CA", "ambiguous")] as [(String, String)])
    func codes(text: String, expected: String) throws {
        #expect(try meaning(text) == expected)
    }

    @Test("a city that is larger than the small country of its name is meant, but not in that country")
    func smallCountry() throws {
        #expect(try meaning("Granada") == "ES.51")
        #expect(try meaning("Granada", PlaceContext(country: "GD")) == "country:GD")
        #expect(try meaning("Armenia") == "country:AM")
    }

    // MARK: - A name in a document

    @Test(
        "a name in a document is weighed against regions and countries of that name",
        arguments: [
            ("Israeli strikes kill dozens in [Gaza] again", "PS.GZ"),
            ("Palestinian officials said [Gaza] was hit", "PS.GZ"),
            ("[Santiago] protests spread, Chile's government said", "CL.12"),
            ("Police arrest three after [Manchester] attack", "GB.ENG"),
            ("Police in [Batman], Turkey, said so", "TR.76"),
            ("[Georgia] governor signs law", "region:US.GA"),
            ("[Georgia] Government signs law", "country:GE"),
        ] as [(String, String)])
    func inDocument(marked: String, expected: String) throws {
        let parts = marked.split(omittingEmptySubsequences: false) { $0 == "[" || $0 == "]" }
        try #require(parts.count == 3)
        let text = parts.joined(separator: "")
        let start = text.index(text.startIndex, offsetBy: parts[0].count)
        let end = text.index(start, offsetBy: parts[1].count)
        let outcome = try #require(try resolver.resolve([start..<end], in: text).first)
        #expect(Self.label(outcome) == expected)
    }

    // MARK: - Running text

    @Test(
        "what is taken for a place in running text",
        arguments: [
            ("Asia stocks rise while the Philippines votes", ["Philippines"]),
            // The text means no country by its code, since it could mean a village.
            ("The army was in VI on Friday", []),
            ("The ÑŽ team", []), ("The NZ team", ["NZ"]),
            ("A boat sank off Goat Island", []), ("They landed in Island on Friday", ["Island"]),
            ("Matsuyama starts strong. Hideki Matsuyama sits four shots off", []),
            ("Matsuyama votes. Tonight Matsuyama counts", ["Matsuyama", "Matsuyama"]),
            ("White House adviser resigns, United States officials say", ["United States"]),
            // Too small without a word such as `in`.
            ("Santa Cruz mourns", []),
            ("Santiago mourns", ["Santiago"]),
            ("Santiago Perez-Lopez retires", []), ("Turkey dinner for all", []), ("Turkey votes", ["Turkey"]),
            ("Turkey recalled, as turkey sold badly", []),
            ("Chile peppers sell", []), ("Miss Chile left", []), ("Tokyo fever subsides", []),
            ("A case of fever in Tokyo", ["Tokyo"]), ("Chile mourns", ["Chile"]),
            // What is compared with a place is not in it.
            ("It burned 100 times the area of Tokyo", []), ("A town with twice the population of Lyon", []),
            ("A lake as large as Paris", []), ("Fires in the area of Tokyo", ["Tokyo"]),
            // Parties and speakers.
            ("United Turkey wins the vote", []), ("Forza Chile wins the vote", []),
            ("Turkey wins the vote", ["Turkey"]),
            ("The line broke, Orlando said", []), ("Matsuyama says the line broke. Matsuyama mends it", []),
            ("The mayor of Tokyo said so", ["Tokyo"]),
            // Something else's abbreviation, or somebody's attitude.
            ("The rules of NC and the URI", []), ("An anti-Turkey protest", []),
            // The table has none there.
            ("Flood in Tokyo, Montana", ["Montana"]),
            // A word such as `Ms.` is no code.
            ("As for Orlando, Ms. Rice left", ["Orlando"]), ("Near Paris, Mt. Hood smokes", ["Paris"]),
            ("KARLSTAD: Projektledaren talade", ["KARLSTAD"]),
        ] as [(String, [String])])
    func inRunningText(text: String, expected: [String]) throws {
        let names = try finder.places(in: text).map { String(text[$0.range]) }
        #expect(names == expected)
    }

    @Test("a place that a long text names first far down is not where the event is")
    func lead() throws {
        let far = String(repeating: "x ", count: 520)
        #expect(try location(summary: far + "in Paris, France") == nil)
        #expect(try location(summary: String(far.prefix(800)) + "in Paris, France") == "Paris, France")
        // The first mention counts, however often another place follows.
        let story = "Protests in Paris, France, went on. \(far)Riots in Lyon, France, and again in Lyon and in Lyon."
        #expect(try location(summary: story) == "Paris, France")
    }

    @Test("a list of countries is no question, an unknown name is")
    func questions() throws {
        #expect(try asks("Argentina, Chile") == nil)
        #expect(try asks("Xanadu, Chile") == "Xanadu, Chile")
    }

    @Test("China is known by the names that people write")
    func china() throws {
        let china = try #require(CountryNames.country("CN"))
        #expect(china.name == "China")
        #expect(china.otherNames.contains("中国"))
        #expect(CountryNames.country("FR")?.name == "France")
    }

    // MARK: - Reading outcomes

    private func meaning(_ text: String, _ context: PlaceContext = PlaceContext()) throws -> String {
        Self.label(try resolver.resolve(text, context: context))
    }

    /// The label of a city, such as `US.TX`, the id of an area, else the reason.
    private static func label(_ outcome: ResolveOutcome) -> String {
        switch outcome {
        case .found(let resolution):
            let place = resolution.place
            return place.kind == .city ? "\(place.country).\(place.region)" : place.id
        case .abstained(let reason, candidates: _): return reason.rawValue
        }
    }

    private func outcome(place: String? = nil, summary: String? = nil) throws -> LocalOutcome {
        try places.outcome(
            for: UnlocatedEvent(category: "news", place: place, title: "A report", summary: summary))
    }

    /// The words that located the event.
    private func location(summary: String) throws -> String? {
        guard case .located(let location) = try outcome(summary: summary) else { return nil }
        return location.matchedText
    }

    private func asks(_ place: String) throws -> String? {
        guard case .ask(let query) = try outcome(place: place) else { return nil }
        return query.text
    }
}

extension TestTable {
    /// A table of names that a city shares with a region or country.
    fileprivate static func rulesWorld() throws -> TestTable {
        var cities = rulesCities
        for index in cities.indices { cities[index].id = Int64(index + 1) }
        let areas = rulesAreas.map { code, name, population in
            let inside = cities.first { code == $0.country || code == "\($0.country).\($0.region)" }
            return Area(
                code: code, name: name, population: population, latitude: inside?.latitude ?? 40,
                longitude: inside?.longitude ?? -90)
        }
        return try TestTable(cities: cities, areas: areas)
    }

    private static func row(
        _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
        _ longitude: Double, _ feature: String = "PPL", _ others: [String] = []
    ) -> City {
        City(
            id: 0, name: name, population: population, country: country, region: region, latitude: latitude,
            longitude: longitude, feature: feature, others: others)
    }

    private static let rulesCities: [City] = [
        row("Washington", 18_761, "US", "UT", 37.13, -113.51),
        row("Washington D.C.", 601_723, "US", "DC", 38.9, -77.04, "PPLC", ["Washington"]),
        row("Gaza", 410_000, "PS", "GZ", 31.5, 34.47, "PPLA"),
        row("Manchester", 395_515, "GB", "ENG", 53.48, -2.24, "PPLA2"),
        row("London", 7_556_900, "GB", "ENG", 51.51, -0.13, "PPLC"),
        row("Ontario", 171_214, "US", "CA", 34.06, -117.65),
        row("Santa Cruz", 62_864, "US", "CA", 36.97, -122.03),
        row("Toronto", 2_600_000, "CA", "08", 43.7, -79.42, "PPLA"),
        row("Tokyo", 8_336_599, "JP", "40", 35.69, 139.69, "PPLC", ["Edo"]),
        row("Matsuyama", 443_322, "JP", "05", 33.84, 132.77, "PPLA"),
        row("Oregon", 20_291, "US", "OH", 41.64, -83.49),
        row("New York City", 8_175_133, "US", "NY", 40.71, -74.01, "PPL", ["New York"]),
        row("Orlando", 255_483, "US", "FL", 28.54, -81.38),
        row("Fort Wayne", 253_691, "US", "IN", 41.13, -85.13),
        row("White House", 11_226, "US", "TN", 36.47, -86.65),
        row("Lagos", 9_000_000, "NG", "05", 6.45, 3.39, "PPLA"),
        row("Lagos", 18_831, "PT", "08", 37.1, -8.67),
        row("Asia", 23_546, "PH", "NIR", 9.55, 122.52),
        row("Bank", 12_000, "AZ", "~1", 39.45, 49.24),
        row("Paris", 2_138_551, "FR", "A8", 48.85, 2.35, "PPLC"),
        row("Lyon", 472_317, "FR", "84", 45.75, 4.85, "PPLA"),
        row("Granada", 234_325, "ES", "51", 37.19, -3.61, "PPLA2"),
        row("Armenia", 315_328, "CO", "23", 4.53, -75.68, "PPLA"),
        row("Santiago", 4_837_295, "CL", "12", -33.46, -70.65, "PPLC"),
        row("Santiago de los Caballeros", 1_200_000, "DO", "25", 19.45, -70.69, "PPLA", ["Santiago"]),
        row("Batman", 447_106, "TR", "76", 37.89, 41.13, "PPLA"),
        row("Vi", 1_000, "SE", "24", 62.45, 17.4),
        row("Karlstad", 74_141, "SE", "22", 59.38, 13.5, "PPLA"),
    ]

    /// Kentucky and Île-de-France have no city here; Grenada and Iceland have names that others call them by.
    private static let rulesAreas: [(code: String, name: String, population: Int64)] = [
        ("US", "United States", 310_232_863), ("GB", "United Kingdom", 62_348_447), ("CA", "Canada", 33_679_000),
        ("PS", "Palestinian Territory", 3_800_000), ("IL", "Israel", 7_353_985), ("MZ", "Mozambique", 22_061_451),
        ("JM", "Jamaica", 2_847_232), ("NG", "Nigeria", 154_000_000), ("PT", "Portugal", 10_676_000),
        ("JP", "Japan", 127_288_000), ("PH", "Philippines", 99_900_177), ("SO", "Somalia", 10_112_453),
        ("CM", "Cameroon", 19_294_149), ("FR", "France", 64_768_389), ("ES", "Spain", 46_505_963),
        ("GD", "Granada", 107_818), ("AM", "Armenia", 2_968_000), ("CO", "Colombia", 47_790_000),
        ("CL", "Chile", 16_746_491), ("AR", "Argentina", 41_343_201), ("DO", "Dominican Republic", 9_823_821),
        ("TR", "Turkey", 77_804_122), ("DE", "Germany", 81_802_257), ("GE", "Georgia", 4_630_000),
        ("SE", "Sweden", 9_555_893), ("NZ", "New Zealand", 4_252_277), ("IS", "Island", 308_910),
        ("NC", "New Caledonia", 216_494), ("VI", "U.S. Virgin Islands", 108_708),
        ("US.WA", "Washington", 6_724_540), ("US.DC", "Washington, D.C.", 601_723), ("US.OR", "Oregon", 3_831_074),
        ("US.OH", "Ohio", 11_536_504), ("US.TX", "Texas", 25_000_000), ("US.NY", "New York", 19_378_102),
        ("US.CA", "California", 37_000_000), ("US.FL", "Florida", 18_688_787), ("US.IN", "Indiana", 6_483_802),
        ("US.KY", "Kentucky", 0), ("US.NC", "North Carolina", 9_535_483), ("US.CO", "Colorado", 5_029_196),
        ("US.GA", "Georgia", 9_687_653), ("US.LA", "Louisiana", 4_533_372),
        ("US.MS", "Mississippi", 2_967_297), ("US.MT", "Montana", 989_415),
        ("GB.ENG", "England", 51_000_000), ("CA.08", "Ontario", 12_800_000),
        ("MZ.02", "Gaza", 298_000), ("JM.08", "Manchester", 52_000), ("NG.05", "Lagos", 10_000_000),
        ("NG.37", "Edo", 3_200_000), ("SO.04", "Bay", 400_000), ("CM.14", "South", 200_000),
        ("FR.11", "Île-de-France", 0), ("DO.25", "Santiago", 1_343_423), ("TR.76", "Batman", 585_000),
        ("FR.11.75", "Paris", 0),
    ]
}
