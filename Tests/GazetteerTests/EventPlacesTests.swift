import Model
import Testing

@testable import Gazetteer

@Suite struct EventPlacesTests {
    private let tables: TestTable
    private let places: EventPlaces

    init() throws {
        tables = try TestTable()
        places = EventPlaces(tables.table, resolver: Resolver(tables.table))
    }

    private func outcome(
        place: String? = nil, author: Bool = false, dateline: Bool = false, title: String = "Untitled",
        summary: String? = nil, context: PlaceContext = PlaceContext()
    ) throws -> LocalOutcome {
        try places.outcome(
            for: UnlocatedEvent(
                category: author ? "message" : "news", place: place,
                placeEvidence: author ? .author : dateline ? .dateline : .place, title: title, summary: summary,
                context: context))
    }

    private func location(_ outcome: LocalOutcome) -> Location? {
        if case .located(let location) = outcome { location } else { nil }
    }

    private func query(_ outcome: LocalOutcome) -> PlaceQuery? {
        if case .ask(let query) = outcome { query } else { nil }
    }

    private func isUnresolved(_ outcome: LocalOutcome) -> Bool {
        if case .unresolved = outcome { true } else { false }
    }

    // MARK: - Place texts

    @Test("a dateline is the event's place, before what the title names")
    func dateline() throws {
        let found = try #require(
            location(try outcome(place: "MOSUL, Iraq/BAGHDAD", title: "France mourns after blast in Paris")))
        #expect(found.placeID == "geonames:99072")
        #expect(found.country == "IQ")
        #expect(found.method == .gazetteer)
        #expect(found.precision == .city)
        #expect(found.evidence == .place)
        #expect(found.matchedText == "MOSUL, Iraq")
        #expect(found.confidence > 0.9 && found.confidence <= 1)
    }

    @Test("of several cities of a dateline the first that the table knows is taken")
    func severalCities() throws {
        #expect(location(try outcome(place: "BERLIN/ZURICH"))?.placeID == "geonames:2950159")
        #expect(location(try outcome(place: "XANADU, Ruritania/ZURICH"))?.placeID == "geonames:2657896")
        #expect(location(try outcome(place: "SACRAMENTO, Calif."))?.placeID == "geonames:5389489")
    }

    @Test("a country is precision country, a region is precision region, and none is a point")
    func precision() throws {
        let country = try #require(location(try outcome(place: "Germany")))
        #expect(country.precision == .country)
        #expect(country.placeID == "country:DE")
        #expect(country.country == "DE")
        let region = try #require(location(try outcome(place: "Texas")))
        #expect(region.precision == .region)
        #expect(region.country == "US")
        let named = try #require(
            location(try outcome(title: "Prosecutors in Germany give France a warning in Germany")))
        #expect(named.precision == .country)
        #expect(named.evidence == .title)
    }

    @Test("a place text that the table does not know is a question, with its context")
    func unknown() throws {
        let context = PlaceContext(country: "GB")
        let asked = try #require(
            query(try outcome(place: "XANADU, Ruritania", title: "Fire in Paris", context: context)))
        #expect(asked.text == "XANADU, Ruritania")
        #expect(asked.folded == "xanadu ruritania")
        #expect(asked.context == context)
        #expect(asked.evidence == .place)
        #expect(asked.namedCountry == nil)
    }

    @Test("a dateline is where a report was written: told as such, and trusted less than an area")
    func datelineTrust() throws {
        let area = try #require(location(try outcome(place: "TORONTO")))
        let written = try #require(location(try outcome(place: "TORONTO", dateline: true)))
        #expect(area.evidence == .place && written.evidence == .dateline)
        #expect(written.placeID == area.placeID && written.confidence < area.confidence)
    }

    @Test("people's own words in scripts without capitals are not asked for")
    func unasked() throws {
        #expect(query(try outcome(place: "たまに版権", author: true)) == nil)
        #expect(query(try outcome(place: "Xanaduville", author: true)) != nil)
    }

    @Test("what the text says of its country goes with the question, before what the source says")
    func ownCountry() throws {
        let asked = try #require(
            query(try outcome(place: "XANADU, Germany", context: PlaceContext(country: "GB"))))
        #expect(asked.context == PlaceContext(country: "DE"))
        #expect(asked.key == "xanadu germany|DE|")
    }

    @Test("an ambiguous place text is settled by the title, else it is a question")
    func ambiguous() throws {
        #expect(location(try outcome(place: "Springfield", title: "Fire in Toronto"))?.placeID == "geonames:6167865")
        #expect(query(try outcome(place: "Springfield", title: "A fire"))?.text == "Springfield")
    }

    @Test("the context settles what is ambiguous")
    func context() throws {
        let found = location(try outcome(place: "London", context: PlaceContext(country: "CA", region: "08")))
        #expect(found?.placeID == "geonames:6058560")
        #expect(location(try outcome(place: "London"))?.placeID == "geonames:2643743")
    }

    @Test("areas that an event covers together give what they share")
    func areas() throws {
        let apart = try #require(location(try outcome(place: "Los Angeles, CA; Houston, TX")))
        #expect(apart.placeID == "country:US")
        #expect(apart.precision == .country)
        let near = try #require(location(try outcome(place: "Hamburg, Germany; Berlin, Germany")))
        #expect(near.precision == .region)
    }

    @Test("of several areas one that is known by its bare name alone does not count without its country")
    func fewAreasKnown() throws {
        let asked = try #require(query(try outcome(place: "Paris; Xanadu County")))
        #expect(asked.text == "Xanadu County")
        let france = PlaceContext(country: "FR")
        #expect(location(try outcome(place: "Paris; Xanadu County", context: france))?.placeID == "geonames:2988507")
        #expect(location(try outcome(place: "Paris, Texas; Xanadu County"))?.placeID == "geonames:4717560")
        #expect(location(try outcome(place: "Hamburg; Berlin; Xanadu County"))?.precision == .region)
    }

    // MARK: - Authors

    @Test("where the author says to be counts, with less trust")
    func author() throws {
        let found = try #require(location(try outcome(place: "London, UK", author: true, title: "Good morning")))
        #expect(found.placeID == "geonames:2643743")
        #expect(found.evidence == .author)
        #expect(found.confidence < 0.7)
        #expect(location(try outcome(place: "Mérida / Venezuela", author: true))?.placeID == "geonames:3632308")
        #expect(location(try outcome(place: "東京", author: true))?.placeID == "geonames:1850147")
    }

    @Test("what an author's device has written is no point of the event")
    func device() throws {
        let found = try #require(location(try outcome(place: "ÜT: 12.5,3.5", author: true)))
        #expect(found.precision == .city)
        #expect(found.evidence == .author)
        #expect(found.country == nil)
        #expect(found.coordinate == Coordinate(latitude: 12.5, longitude: 3.5))
    }

    @Test(
        "an author's joke goes nowhere and to no service",
        arguments: [
            "he/him", "everywhere", "in your heart", "Worldwide", "the moon", "🌍 Earth", "ÜT: 0.0,0.0", "chillin", "🎸",
        ])
    func jokes(_ text: String) throws {
        #expect(isUnresolved(try outcome(place: text, author: true, title: "Good morning")))
    }

    // MARK: - Running text

    @Test("a city of the title wins over its country and over the summary")
    func title() throws {
        let found = try #require(
            location(
                try outcome(title: "Blast in Baghdad shakes Iraq", summary: "Officials in Mosul said so on Friday.")))
        #expect(found.placeID == "geonames:98182")
        #expect(found.evidence == .title)
        #expect(found.matchedText == "Baghdad")
        #expect(found.precision == .city)
    }

    @Test("a city of the summary counts if it lies in what the title names")
    func summary() throws {
        let inside = try #require(
            location(try outcome(title: "Storm hits Germany", summary: "Roofs came down in Hamburg.")))
        #expect(inside.placeID == "geonames:2911298")
        #expect(inside.evidence == .summary)
        let outside = try #require(
            location(try outcome(title: "Storm hits Germany", summary: "A spokesman in London, England, said so.")))
        #expect(outside.placeID == "country:DE")
        #expect(outside.precision == .country)
        // With several places in the text, only the title's place is certain, unless one place leads.
        let several = try #require(
            location(
                try outcome(
                    title: "Storm hits Germany", summary: "It was felt in Hamburg, Germany, and in London, England.")))
        #expect(several.placeID == "country:DE")
        let leading = try #require(
            location(
                try outcome(
                    title: "Storm hits Germany",
                    summary:
                        "Roofs came down in Hamburg, Germany. The port of Hamburg is closed. London, England, is calm.")
            ))
        #expect(leading.placeID == "geonames:2911298")
    }

    @Test("cities that lie apart give the country they share, or nothing")
    func apart() throws {
        let shared = try #require(location(try outcome(title: "Floods in Hamburg and Munich, Germany")))
        #expect(shared.placeID == "country:DE")
        #expect(shared.precision == .country)
        #expect(isUnresolved(try outcome(title: "Talks in Paris, France, and Moscow, Russia")))
    }

    @Test(
        "where something comes from yields, an area yields to one in it, and a name of several places is told as such")
    func yielding() throws {
        #expect(
            location(try outcome(title: "Drugs from Lagos found in Toronto"))?.placeID == "geonames:6167865")
        #expect(location(try outcome(title: "Quake 30 km from Toronto felt in Lagos"))?.evidence != .title)
        #expect(location(try outcome(title: "Pilot from Toronto dies"))?.placeID == "geonames:6167865")
        #expect(location(try outcome(title: "Fire in Berks County, Pennsylvania"))?.placeID == "district:US.PA.011")
        #expect(try outcome(title: "Fire in Springfield") == .unresolved(reason: MissingPlace.ambiguous.words))
    }

    @Test("the text of a feed may begin with the title")
    func repeated() throws {
        let summary = "Fire in Houston was smaller than one in Dallas and one in Dallas County."
        #expect(location(try outcome(title: "Fire in Houston", summary: summary))?.placeID == "geonames:4699066")
    }

    @Test(
        "a title that is cut, or written in another form than the text, is as long as there",
        arguments: [
            ("TORONTO (Reuters) - Bomb…", "TORONTO (Reuters) - Bomb 🙂"), ("Fire…", "Fire🙂"), ("…", "🙂"),
            ("Fire in Toronto e\u{301}…", "Fire in Toronto \u{e9}🙂"),
            ("Fire in Toronto \u{e9}", "Fire in Toronto e\u{301}"),
        ])
    func cutTitles(title: String, summary: String) throws {
        #expect(!isUnresolved(try outcome(place: "TORONTO", dateline: true, title: title, summary: summary)))
        _ = try outcome(title: title, summary: summary)
    }

    @Test("what follows a cut title is not of the title")
    func afterCutTitle() throws {
        let summary = "Talks in a Berlin suburb and in London. London. London."
        #expect(location(try outcome(title: "Talks in …", summary: summary))?.placeID == "geonames:2643743")
    }

    @Test("a city named twice as often leads")
    func leads() throws {
        let found = location(
            try outcome(
                title: "Storm in Paris and London",
                summary: "Paris was hit first. Roads in Paris were flooded."))
        #expect(found?.placeID == "geonames:2988507")
    }

    @Test("a message's title is its text's beginning and counts once")
    func message() throws {
        let found = try #require(
            location(try outcome(author: true, title: "Snow in Berlin…", summary: "Snow in Berlin and more to come")))
        #expect(found.placeID == "geonames:2950159")
        #expect(found.evidence == .summary)
    }

    @Test("words of running text never go to a service")
    func noQuestions() throws {
        #expect(isUnresolved(try outcome(title: "Earthquake near Xanadu", summary: "Xanadu, Ruritania, was hit.")))
        #expect(isUnresolved(try outcome(title: "The ambassador spoke", summary: "Ambassadors listened.")))
    }

    @Test("nothing is ever at 0,0")
    func nullIsland() throws {
        #expect(location(try outcome(place: "Null Point")) == nil)
        #expect(location(try outcome(title: "Fire in Null Point, England"))?.coordinate.latitude != 0)
    }

    @Test("an event without any place is unresolved")
    func nothing() throws {
        #expect(isUnresolved(try outcome(title: "")))
        #expect(isUnresolved(try outcome(place: "", title: "Stocks rise", summary: "")))
    }

    // MARK: - Other places of a title

    @Test(
        "who is there, and what else happens, does not tell where the event is",
        arguments: [
            ("Tokyo man found in Deir al-Balah", nil), ("Strike in Deir al-Balah as talks resume in Tokyo", nil),
            ("Strike near Deir al-Balah; Tokyo votes", nil), ("Tokyo-born actor retires", nil),
            ("Tokyo man held in France", "FR"), ("Paris man held in France", "FR"), ("A Tokyo woman wins", "JP"),
            ("Singer born in Tokyo dies in Lyon, France", "FR"), ("Tokyo man in January march", "JP"),
            ("Talks in Tokyo as strike hits Deir al-Balah", "JP"), ("Tokyo edges Lyon", nil),
        ] as [(String, String?)])
    func others(title: String, country: String?) throws {
        #expect(try location(outcome(title: title))?.country == country)
    }
}
