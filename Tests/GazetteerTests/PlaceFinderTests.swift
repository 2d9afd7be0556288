import Model
import Testing

@testable import Gazetteer

@Suite struct PlaceFinderTests {
    private let tables: TestTable
    private let finder: PlaceFinder

    init() throws {
        tables = try TestTable()
        finder = PlaceFinder(tables.table, resolver: Resolver(tables.table))
    }

    /// The ids of the places found.
    private func ids(
        _ text: String, context: PlaceContext = PlaceContext(), language: String? = nil
    ) throws -> [String] {
        try finder.places(in: text, context: context, language: language).map { $0.resolution.place.id }
    }

    private func names(_ text: String) throws -> [String] {
        try finder.places(in: text).map { String(text[$0.range]) }
    }

    @Test("a name is found only between token boundaries")
    func boundaries() throws {
        #expect(try ids("The ambassador spoke. Ambassador, ambassadors, Ambassadors.") == [])
        #expect(try names("Fighting was reported in Assad, Syria.") == ["Assad", "Syria"])
        #expect(try names("Parisian Londoners in Texans' Berlinale shirts") == [])
    }

    @Test("cities, regions and countries are found where they stand")
    func found() throws {
        #expect(try names("A fire in Paris, France, and another in Texas.") == ["Paris", "France", "Texas"])
        let text = "Protests in Los Angeles’s streets"
        #expect(try names(text) == ["Los Angeles"])
    }

    @Test("a country is a country, not a point in it")
    func country() throws {
        let found = try #require(try finder.places(in: "Prosecutors in Germany said so.").first)
        #expect(found.resolution.place.kind == .country)
        #expect(found.resolution.place.precision == .country)
    }

    @Test(
        "words, persons, organisations and works are no places",
        arguments: [
            "Reading is fun, and Mobile phones sell best.", "Nice weather", "Mobile sales rose",
            "Jordan Smith scored twice, said Jordan.", "Paris Hilton sang.", "London Breed spoke.",
            "Mr. Houston left.", "Sen. Dallas voted.", "Michael Dallas sang. Dallas was loved.",
            "The New York Times reported it.", "The Houston Chronicle reported it.",
            "He studied at the University of London.", "The London-Paris train", "@London #Paris",
            "The Dallas Cowboys won.", "The Texas Longhorns won.", "The Lyon Foundation gave.",
            "The Paris Agreement holds.", "An accident on London Road", "mobile, alabama",
            "the Littleham case", "Houston University reopened.", "Texas Christian University won.",
            "Toronto City lost again.", "Dallas beat Houston.", "Dallas Houston sang.", "HMAS Houston sank.",
            "Munich Institute staff left.", "The Duke of Houston spoke.", "The Treaty of Paris holds.",
            "Container ship Houston is free.", "Bigger than Toronto.", "A storm twice the size of Toronto",
            "Our town, the Paris of the South.", "The Toronto 2024 medal", "Lagos de Covadonga is a race.",
        ])
    func nonPlaces(_ text: String) throws {
        #expect(try names(text) == [])
    }

    @Test(
        "what stands behind a name leaves it a place",
        arguments: [
            ("Toronto City Council met.", "Toronto"), ("A march in Toronto City", "Toronto"),
            ("California State University students left.", "California"),
            ("Alabama votes.", "Alabama"), ("Police beat protesters in Dallas.", "Dallas"),
            ("Texas Democrats left.", "Texas"),
        ] as [(String, String)])
    func places(_ text: String, name: String) throws {
        #expect(try names(text) == [name])
    }

    @Test(
        "a country has no mayor and no high school, and organisations are of America",
        arguments: [
            "Festival in the City of Jordan", "Jordan Mayor Ann Bell spoke.", "Jordan High School reopened.",
            "Alabama Jones sang.", "The Bank of America lends.", "Ann Bell, M.D., spoke.",
            "A road in California Springs",
        ])
    func townsAndTitles(_ text: String) throws {
        #expect(try names(text) == [])
        #expect(try names("Talks in Jordan") == ["Jordan"])
    }

    @Test("a given name that is also an area's is the area behind a word such as in")
    func givenNames() throws {
        #expect(try names("Jordan Smith left for talks in Jordan.") == ["Jordan"])
        #expect(try names("Jordan Smith left. Jordan was late.") == [])
    }

    @Test("a common word counts with a place word before it, or its country or region after it")
    func commonWords() throws {
        #expect(try names("A blast in Nice, France") == ["Nice", "France"])
        #expect(try ids("A fire near Reading, Pa., was put out.").first == "geonames:5207728")
        #expect(try names("They met in Nice on Friday.") == ["Nice"])
    }

    @Test("a region behind a comma settles the city")
    func qualified() throws {
        #expect(try ids("A storm hit Paris, Texas, on Friday.") == ["geonames:4717560", "region:US.TX"])
        #expect(try ids("A storm hit London, Ontario.") == ["geonames:6058560", "region:CA.08"])
    }

    @Test("a small town counts only with its region or country beside it")
    func smallTowns() throws {
        #expect(try ids("A fire in Littleham") == [])
        #expect(try ids("A fire in Littleham, England").first == "geonames:900000003")
    }

    @Test("a headline in title case counts for large cities only, and for no words")
    func headlines() throws {
        #expect(
            try names("Police Say Beating in Houston Caught On Video Began After Friendly Encounter") == ["Houston"])
        #expect(try names("Police Say Mobile Beating Caught On Video Began After Friendly Encounter") == [])
    }

    @Test("a family name behind a name makes a person's of it in a headline too")
    func headlinePersons() throws {
        #expect(try names("Paris Jackson Opens Another Nightclub Before Holidays") == [])
        #expect(try names("Nightclub in Paris Opens Another Floor Before Holidays") == ["Paris"])
    }

    @Test("nouns with capitals are weak evidence in German")
    func german() throws {
        #expect(try names("Die Halle brannte").isEmpty == false)
        #expect(try ids("Die Halle brannte", language: "de-DE") == [])
        #expect(try ids("Feuer in Hamburg", language: "de") == ["geonames:2911298"])
    }

    @Test("initials are countries only as they are written")
    func initials() throws {
        #expect(try ids("The U.S. said so") == ["country:US"])
        #expect(try ids("The US said so") == ["country:US"])
        #expect(try ids("Tell us. Us too. TELL US MORE") == [])
    }

    @Test("places come in the order of the text")
    func order() throws {
        #expect(
            try names("From Berlin to Munich and Hamburg in Germany") == ["Berlin", "Munich", "Hamburg", "Germany"])
    }

    @Test(
        "hostile text is read in bounded time",
        arguments: [
            "", " ", "\n\n\n", "A", String(repeating: "A ", count: 50_000), String(repeating: "Paris ", count: 10_000),
            String(repeating: "Paris, ", count: 10_000), String(repeating: "A.", count: 50_000),
            String(repeating: "\u{301}", count: 50_000), String(repeating: "'s", count: 50_000),
            String(repeating: "-Paris-", count: 10_000), "🇫🇷🇩🇪\u{0}\u{FFFD}\u{202E}Paris",
        ])
    func hostile(_ text: String) throws {
        let found = try finder.places(in: text)
        #expect(found.count <= PlaceFinder.nameLimit)
    }

    @Test("nothing is read beyond the limit")
    func limit() throws {
        let padding = String(repeating: "x ", count: PlaceFinder.textLimit / 2)
        #expect(try ids(padding + "A fire in Paris, France") == [])
    }
}
