import Model
import Testing

@testable import Gazetteer

/// The home of a source: which names vote for it, and what it tells about names that several places have.
@Suite struct HomeTests {
    private let tables: TestTable
    private let resolver: Resolver
    private let places: EventPlaces
    private static let texas = PlaceContext(country: "US", region: "TX")

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
            _ longitude: Double
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: country, region: region, latitude: latitude,
                longitude: longitude)
        }
        func area(_ code: String, _ name: String, _ population: Int64) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: population, latitude: 40, longitude: -90)
        }
        tables = try TestTable(
            cities: [
                city(1, "Springfield", 166_810, "US", "MO", 37.22, -93.3),
                city(2, "Springfield", 116_250, "US", "IL", 39.8, -89.64),
                city(3, "Palestine", 18_712, "US", "TX", 31.76, -95.63),
                city(4, "Athens", 115_452, "US", "GA", 33.96, -83.38),
                city(5, "Gaza", 410_000, "PS", "GZ", 31.5, 34.47),
                city(6, "Chicago", 2_695_598, "US", "IL", 41.85, -87.65),
                city(7, "Dallas", 1_300_092, "US", "TX", 32.78, -96.81),
                city(8, "Memphis", 650_000, "US", "TN", 35.15, -90.05),
                city(9, "Memphis", 300, "US", "TX", 34.72, -100.53),
                city(10, "Graz", 222_326, "AT", "06", 47.07, 15.44),
                city(11, "Salzburg", 150_269, "AT", "05", 47.8, 13.04),
            ],
            areas: [
                area("US", "United States", 310_000_000), area("PS", "Palestine", 4_000_000),
                area("LB", "Lebanon", 4_125_000), area("US.TX", "Texas", 25_000_000),
                area("US.IL", "Illinois", 12_700_000), area("US.MO", "Missouri", 6_000_000),
                area("US.GA", "Georgia", 9_000_000), area("GE", "Georgia", 4_600_000),
                area("PS.GZ", "Gaza Strip", 1_700_000), area("US.TX.001", "Anderson County", 58_000),
                area("US.TN.001", "Anderson County", 75_000), area("US.TN", "Tennessee", 6_000_000),
                area("US.NE", "Nebraska", 1_800_000), area("AT", "Austria", 8_200_000),
                area("AT.01", "Burgenland", 286_000), area("AT.05", "Salzburg", 530_000),
                area("AT.06", "Styria", 1_210_000),
            ])
        resolver = Resolver(tables.table)
        places = EventPlaces(tables.table, resolver: resolver)
    }

    /// The places that a title names; `–` for none.
    private func found(_ title: String, home: PlaceContext = PlaceContext(), place: String? = nil) throws -> String {
        let event = UnlocatedEvent(category: "news", place: place, title: title, home: home)
        if case .located(let location) = try places.outcome(for: event) { return location.placeID ?? "?" }
        return "–"
    }

    @Test("a town before a capitalised word that is unknown is the one at home")
    func institutions() throws {
        let illinois = PlaceContext(country: "US", region: "IL")
        #expect(try found("Springfield Riding Club to host a rodeo", home: illinois) == "geonames:2")
        #expect(try found("Springfield Jones to host a rodeo", home: illinois) == "–")
        #expect(try found("Springfield Riding Club to host a rodeo", home: Self.texas) == "–")
        #expect(try found("Dallas Riding Club to host a rodeo") == "geonames:7", "known to all")
    }

    @Test("of homonyms the one at home is meant, unless the text has its region")
    func homonyms() throws {
        let illinois = PlaceContext(country: "US", region: "IL")
        #expect(try found("Fire in Springfield") == "–")
        #expect(try found("Fire in Springfield", home: illinois) == "geonames:2")
        #expect(try found("Fire in Springfield, Mo., is out", home: illinois) == "geonames:1")
    }

    @Test("a home never turns a name into nothing that is found without it")
    func namesakes() throws {
        #expect(try found("Fire in Athens") == "geonames:4")
        #expect(try found("Fire in Athens", home: Self.texas) == "geonames:4")
        #expect(try found("Fire in Athens, Ga., is out", home: Self.texas) == "geonames:4")
        #expect(try found("Fire in Chicago", home: Self.texas) == "geonames:6")
    }

    @Test(
        "towns of Austria are found without a home, at home, and with a home that is wrong",
        arguments: [nil, "AT", "AT.05", "AT.06", "US", "US.TX"] as [String?])
    func austria(code: String?) throws {
        let parts = code?.split(separator: ".").map { String($0) } ?? []
        let home = PlaceContext(country: parts.first, region: parts.count > 1 ? parts[1] : nil)
        #expect(try found("Brand in Graz", home: home) == "geonames:10")
        let salzburg = try found("Unfall in Salzburg", home: home)
        #expect(["geonames:11", "region:AT.05"].contains(salzburg), "the city, or the region of its name around it")
    }

    @Test("where the home leaves several places of a name, what is found without it holds; one of the settings stays")
    func withoutHome() throws {
        #expect(try found("Fire in Memphis") == "geonames:8")
        let read = try PlaceFinder(tables.table, resolver: resolver).scored(in: "Fire in Memphis", context: Self.texas)
        #expect(read.map { $0.outcome } == [.abstained(.ambiguous, candidates: [])])
        #expect(try found("Fire in Memphis", home: Self.texas) == "geonames:8")
        #expect(try found("Fire in Springfield", home: Self.texas) == "–", "none of the readings finds it")
        let event = UnlocatedEvent(category: "news", title: "Fire in Memphis", context: Self.texas)
        #expect(try places.outcome(for: event) == .unresolved(reason: MissingPlace.ambiguous.words))
    }

    @Test("a country's name means the town at home, unless the text points to the country")
    func countries() throws {
        #expect(try found("Palestine police find a car") == "country:PS")
        #expect(try found("Palestine police find a car", home: Self.texas) == "geonames:3")
        #expect(try found("Palestine talks begin, Palestinian says", home: Self.texas) == "country:PS")
        #expect(
            try found("Lebanon police find a car", home: Self.texas) == "country:LB", "no town at home has the name")
    }

    @Test("a learned home says nothing about a dateline; settings go before it")
    func precedence() throws {
        #expect(try found("A fire", home: Self.texas, place: "Athens, Georgia, USA") == "geonames:4")
        let event = UnlocatedEvent(
            category: "news", title: "Fire in Springfield", context: PlaceContext(country: "US", region: "MO"),
            home: PlaceContext(country: "US", region: "IL"))
        guard case .located(let location) = try places.outcome(for: event) else {
            Issue.record("not located")
            return
        }
        #expect(location.placeID == "geonames:1")
    }

    @Test(
        "regions by name and areas behind a town vote, names of towns and countries alone do not",
        arguments: [
            ("Texas votes", ["US": 2, "US.TX": 2]), ("A man from Tyler, Texas", ["US": 2, "US.TX": 2]),
            ("Rain in Springfield", [:]), ("Rain in Palestine", [:]), ("Rain in Beirut, Lebanon", ["LB": 2]),
            ("Anderson County votes", ["US": 2, "US.TN": 1, "US.TX": 1]),
            ("Anderson County, Texas, votes", ["US": 2, "US.TX": 2]),
            ("Texas and Illinois vote", ["US": 2, "US.IL": 1, "US.TX": 1]),
        ] as [(String, [String: Double])])
    func votes(text: String, expected: [String: Double]) throws {
        let votes = try resolver.homeVotes(in: text)
        #expect(votes.keys.sorted() == expected.keys.sorted())
        for (code, most) in expected {
            let vote = try #require(votes[code])
            #expect(vote > most * 0.85 && vote <= most, "\(code): \(vote)")
        }
    }

    @Test("a name votes by how sure it is that it means the area")
    func sureness() throws {
        #expect(try resolver.homeVotes(in: "A man from Athens, Georgia") == ["US.GA": 2])
        let georgia = try resolver.homeVotes(in: "Rain in Georgia")
        #expect(georgia.keys.sorted() == ["US.GA"])
        #expect(try #require(georgia["US.GA"]) < 1.6, "it may be the country")
    }

    /// The home that a source learns from news with these titles.
    private func learned(_ titles: [String], language: String? = nil, host: String = "") throws -> PlaceContext {
        var home = LearnedHome()
        for title in titles {
            home.count(
                try places.homeVotes(
                    of: UnlocatedEvent(category: "news", title: title, language: language),
                    address: PlaceContext(host: host).country))
        }
        return home.context
    }

    /// Nine titles about three states; ‹› stands for the state.
    private static func stories(_ titles: [String]) -> [String] {
        titles.flatMap { title in ["Texas", "Illinois", "Missouri"].map { title.replacing("‹›", with: $0) } }
    }

    private static let german = stories([
        "Die Polizei in ‹› sucht nach dem Mann", "Nach dem Sturm in ‹› ist die Lage ernst",
        "Das Gesetz wird in ‹› nicht geändert",
    ])
    private static let portuguese = stories([
        "A polícia do ‹› prende um homem que não pagou", "Em ‹›, o governo diz que não vai pagar",
        "Chuva no ‹› já deixa mais de cem pessoas sem casa",
    ])
    private static let english = stories(["Police in ‹› search for a man", "Storm hits ‹›", "‹› changes its law"])

    @Test("world news in another language puts no source in the USA")
    func abroad() throws {
        #expect(try learned(Self.english).country == "US")
        #expect(try learned(Self.german) == PlaceContext(), "by the texts alone")
        #expect(try learned(Self.german, language: "de", host: "rss.orf.at") == PlaceContext())
        let short = ["Sturm in Texas", "Brand in Texas"]
        #expect(try learned(short, host: "orf.at") == PlaceContext(), "by the host alone")
        #expect(try learned(Self.portuguese) == PlaceContext())
        #expect(try learned(Self.portuguese, language: "pt-BR", host: "g1.globo.com") == PlaceContext())
        #expect(try learned(Self.portuguese, host: "noticias.example.com.br") == PlaceContext())
    }

    @Test("the country of the feed's address or language helps its own places, and does nothing by itself")
    func ownCountry() throws {
        let news = Self.german + Array(repeating: "Brand in Burgenland", count: 7)
        #expect(try learned(news, language: "de") == PlaceContext())
        #expect(try learned(news, language: "de", host: "orf.at") == PlaceContext(country: "AT"))
        #expect(try learned(news, language: "de-AT", host: "example.com") == PlaceContext(country: "AT"))
        #expect(try learned(Self.german, language: "de-AT") == PlaceContext())
    }

    @Test("a local paper learns its region, whatever its domain")
    func localPaper() throws {
        let titles = [
            "Two men from Norfolk, Neb., are held", "Nebraska votes on a road", "Fire near Lincoln, Neb., is out",
        ]
        let nebraska = PlaceContext(country: "US", region: "NE")
        #expect(try learned(titles, language: "en-US", host: "paper.example.com") == nebraska)
        #expect(try learned(titles) == nebraska)
        #expect(try learned(titles, language: "en", host: "paper.example.co") == nebraska)
    }

    @Test(
        "the domain of a host may name a country",
        arguments: [
            ("rss.orf.at", "AT"), ("www.bbc.co.uk", "GB"), ("example.com", nil), ("192.168.1.10", nil), ("[::1]", nil),
            ("", nil),
        ] as [(String, String?)])
    func domains(host: String, expected: String?) {
        #expect(PlaceContext(host: host) == PlaceContext(country: expected))
    }

    @Test func messagesDoNotVote() throws {
        let news = UnlocatedEvent(category: "news", title: "Texas votes")
        #expect(try places.homeVotes(of: news).count == 2)
        let message = UnlocatedEvent(category: "message", title: "Texas votes")
        #expect(try places.homeVotes(of: message) == [:])
    }
}
