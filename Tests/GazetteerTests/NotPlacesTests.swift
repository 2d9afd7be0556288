import Model
import Testing

@testable import Gazetteer

/// The words that name no places for a source, and the names of the places that others mean.
@Suite struct NotPlacesTests {
    private let tables: TestTable
    private let places: EventPlaces

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
            _ longitude: Double, _ others: [String] = [], feature: String = "PPL"
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: country, region: region, latitude: latitude,
                longitude: longitude, feature: feature, others: others)
        }
        func area(
            _ code: String, _ name: String, _ population: Int64, _ latitude: Double, _ longitude: Double
        ) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: population, latitude: latitude, longitude: longitude)
        }
        tables = try TestTable(
            cities: [
                city(1, "Anda", 145_000, "CN", "08", 46.4, 125.32),
                city(2, "New York City", 8_175_133, "US", "NY", 40.71, -74.01, ["New York", "Manhattan"]),
                city(3, "York", 198_051, "GB", "ENG", 53.96, -1.08),
                city(4, "Athens", 115_452, "US", "GA", 33.96, -83.38),
                city(5, "Athens", 664_046, "GR", "ESYE31", 37.98, 23.73, feature: "PPLC"),
                city(6, "Beijing", 11_716_620, "CN", "22", 39.9, 116.4, ["北京", "Peking"], feature: "PPLC"),
                city(7, "Chicago", 2_695_598, "US", "IL", 41.85, -87.65),
                city(8, "Tbilisi", 1_049_498, "GE", "51", 41.69, 44.83, feature: "PPLC"),
            ],
            areas: [
                area("CN", "China", 11_861_620, 40, 116), area("US", "United States", 11_000_000, 40.8, -77.7),
                area("GB", "United Kingdom", 198_051, 53.96, -1.08), area("GR", "Greece", 664_046, 37.98, 23.73),
                area("GE", "Georgia", 1_049_498, 41.69, 44.83), area("SG", "Singapore", 3_547_809, 1.29, 103.85),
                area("CN.08", "Heilongjiang", 145_000, 46.4, 125.32), area("CN.22", "Beijing", 11_716_620, 39.9, 116.4),
                area("US.NY", "New York", 8_175_133, 40.71, -74.01),
                area("US.IL", "Illinois", 2_695_598, 41.85, -87.65), area("US.GA", "Georgia", 115_452, 33.96, -83.38),
                area("GB.ENG", "England", 198_051, 53.96, -1.08),
            ])
        places = EventPlaces(tables.table, resolver: Resolver(tables.table))
    }

    /// The place of an event: its id, `–` for none, `?` for a question to a service.
    private func found(_ event: UnlocatedEvent) throws -> String {
        switch try places.outcome(for: event) {
        case .located(let location): location.placeID ?? "coordinate"
        case .ask: "?"
        case .unresolved: "–"
        }
    }

    private func located(_ title: String, place: String? = nil) throws -> Location? {
        let event = UnlocatedEvent(category: "news", place: place, title: title)
        if case .located(let location) = try places.outcome(for: event) { return location } else { return nil }
    }

    @Test(
        "a word names no place, in any spelling that the table folds; a longer name does, and a phrase is no shorter one",
        arguments: [
            ("Ändå rallies once more", [], "geonames:1"), ("Ändå rallies once more", ["Ändå"], "–"),
            ("Ändå rallies once more", ["Manhattan", "ANDA"], "–"),
            ("A\u{308}nda\u{30A} rallies once more", ["Ändå"], "–"), ("Ändå rallies once more", ["Ä"], "geonames:1"),
            ("Ändå hör vi inte av dem", [], "–"), ("Ice 100 times the area of Manhattan", [], "–"),
            ("Ice melts in Manhattan", [], "geonames:2"), ("Ice melts in Manhattan", ["manhattan"], "–"),
            ("A polished U.S. accent", [], "country:US"), ("A polished U.S. accent", ["U.S."], "–"),
            ("Fire in York", ["York"], "–"), ("Fire in New York", ["York"], "geonames:2"),
            ("Fire in New York", ["New  York"], "–"), ("Lower Manhattan talks", ["Manhattan"], "–"),
            ("Memories of Singapore Sling", ["Singapore Sling"], "–"),
            ("Fire in Singapore", ["Singapore Sling"], "country:SG"),
        ] as [(String, [String], String)])
    func words(title: String, notPlaces: [String], expected: String) throws {
        #expect(try found(UnlocatedEvent(category: "news", title: title, notPlaces: notPlaces)) == expected)
        let summary = UnlocatedEvent(category: "news", title: "A report", summary: title, notPlaces: notPlaces)
        #expect(try found(summary) == expected)
    }

    @Test("the other names of a text count as if the word were not there; behind a name an area still tells which")
    func others() throws {
        func found(_ title: String, without words: [String]) throws -> String {
            try self.found(UnlocatedEvent(category: "news", title: title, notPlaces: words))
        }
        #expect(try found("Manhattan fire in Chicago", without: []) == "country:US")
        #expect(try found("Manhattan fire in Chicago", without: ["Manhattan"]) == "geonames:7")
        #expect(try found("Georgia votes", without: ["Georgia"]) == "–")
        #expect(try found("Fire in Athens, Georgia", without: ["Georgia"]) == "geonames:4")
        #expect(try found("Fire in Athens, Georgia", without: ["Athens", "Georgia"]) == "–")
    }

    @Test(
        "of a place text the part with the word is left out, and no service is asked about it",
        arguments: [
            ("北京", [], "geonames:6"), ("北京", ["北京"], "–"), ("Lower Manhattan", [], "geonames:2"),
            ("Lower Manhattan", ["Manhattan"], "–"), ("Downtown Manhattan, Chicago", ["Manhattan"], "geonames:7"),
            ("new york", ["York"], "geonames:2"), ("ÄNDÅ", ["Ändå"], "–"),
            ("Athens, Georgia", ["Georgia"], "geonames:4"),
            ("Manhattan / Chicago", ["Manhattan"], "geonames:7"), ("Xanaduville", ["Manhattan"], "?"),
        ] as [(String, [String], String)])
    func placeTexts(place: String, notPlaces: [String], expected: String) throws {
        for evidence in [PlaceEvidence.place, .author] {
            let event = UnlocatedEvent(
                category: "message", place: place, placeEvidence: evidence, title: "A report", notPlaces: notPlaces)
            #expect(try found(event) == expected, "\(evidence)")
        }
    }

    @Test("a word that names no place is no vote for a home")
    func votes() throws {
        var event = UnlocatedEvent(category: "news", title: "Illinois votes")
        #expect(try places.homeVotes(of: event)["US.IL"] != nil)
        event.notPlaces = ["illinois"]
        #expect(try places.homeVotes(of: event) == [:])
    }

    @Test("a place has the table's name, with those of its region and country, beside the words that led to it")
    func names() throws {
        let anda = try located("Ändå rallies once more")
        #expect(anda?.matchedText == "Ändå" && anda?.name == "Anda, Heilongjiang, China")
        #expect(try located("Fire in New York")?.name == "New York City, New York, United States")
        #expect(try located("A report", place: "Peking")?.name == "Beijing, China", "region and city have one name")
        #expect(try located("A report", place: "Georgia")?.name == "Georgia")
        #expect(try located("A report", place: "Illinois")?.name == "Illinois, United States")
        #expect(try located("A report", place: "Tbilisi")?.name == "Tbilisi, Georgia", "the table lacks the region")
        let shared = try located("Manhattan fire in Chicago")
        #expect(shared?.matchedText == "Manhattan" && shared?.name == "United States")
    }
}
