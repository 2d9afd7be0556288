import Model
import Testing

@testable import Gazetteer

/// Events at volcanoes of the seeded list.
@Suite struct VolcanoFinderTests {
    private let tables: TestTable
    private let places: EventPlaces

    private static func volcano(_ number: Int, _ name: String, _ country: String, _ latitude: Double)
        -> PointOfInterest?
    {
        Coordinate(latitude: latitude, longitude: 10).map {
            PointOfInterest(
                number: number, name: name, foldedName: NameFolding.folded(name), coordinate: $0, country: country)
        }
    }

    init() throws {
        tables = try TestTable()
        let list = [
            Self.volcano(1, "Xanadus", "Germany", 50), Self.volcano(2, "Alph, Nevado del", "France", 45),
            Self.volcano(3, "Michael", "United Kingdom", -57), Self.volcano(4, "Azul", "France", 44),
            Self.volcano(5, "Azul", "Germany", 51), Self.volcano(6, "Springfield", "United States", 40),
        ]
        places = EventPlaces(tables.table, resolver: Resolver(tables.table), volcanoes: list.compactMap { $0 })
    }

    private func location(
        _ title: String, summary: String? = nil, place: String? = nil, _ evidence: PlaceEvidence = .place,
        category: Model.Category = .news, by other: EventPlaces? = nil
    ) throws -> Location? {
        let event = UnlocatedEvent(
            category: category.rawValue, place: place, placeEvidence: evidence, title: title, summary: summary)
        guard case .located(let location) = try (other ?? places).outcome(for: event) else { return nil }
        return location
    }

    @Test(
        "forms of a volcano's name",
        arguments: [
            ("Mount Xanadus erupts", 1), ("Lava on Mt. Xanadus", 1), ("Smoke over Xanadus volcano", 1),
            ("Eruption of Volcán Xanadus", 1), ("Lava from Xanadus reaches the sea", 1), ("Xanadus' lava", nil),
            ("Nevado del Alph: lahars", nil), ("Lahars at Nevado del Alph", 2),
            ("Report for Michael (United Kingdom): lava lake", 3), ("Azul (Germany): lava", 5),
            ("Springfield volcano quiet", 6), ("Xanadus erupts again", 1), ("Ash from Xanadus closes airport", 1),
            ("Azul (Germany): ash plume", 5),
        ] as [(String, Int?)])
    func forms(title: String, number: Int?) throws {
        #expect(try location(title)?.placeID == number.map { "gvp:\($0)" })
    }

    @Test(
        "names that mean something else, homonyms, and texts without volcanism",
        arguments: [
            "Michael said the eruption was over", "Eruption of joy for Michael", "Xanadus wins the cup",
            "Mount Xanadus climbed", "Eruption of Volcán Azul", "Gunfire erupts in Springfield",
            "Eruption of violence in Springfield", "Lava Xanadus Smith sings", "Fire erupted at Mount Xanadus hut",
            "Springfield, United States: an eruption of violence", "Lava seen, says John Michael (United Kingdom)",
            "Student from Springfield, Georgia, builds a model volcano", "On the volcano Michael Palin waved",
            "Xanadus erupts for 40 points", "Michael erupts",
            "Houston airports closed by ash of Xanadus volcano", "Azul (It is erupting): lava",
        ])
    func others(title: String) throws {
        #expect(try location(title)?.placeID?.hasPrefix("gvp:") != true)
    }

    @Test("a volcano is a point with a radius, before datelines, authors and countries, but not a town of the feed")
    func order() throws {
        let found = try #require(try location("Mount Xanadus erupts", place: "PARIS", .dateline))
        #expect(found.precision == .point && found.radius == EventPlaces.volcanoRadius)
        #expect(found.evidence == .title && found.country == "DE" && found.name == "Xanadus")
        #expect(try location("Mount Xanadus erupts", place: "Germany")?.placeID == "gvp:1")
        #expect(try location("Mount Xanadus erupts", place: "Paris, France")?.placeID == "geonames:2988507")
    }

    @Test("a volcano of the text must be near the title's places")
    func summary() throws {
        let text = "The eruption of Xanadus went on."
        #expect(try location("Flights cancelled", summary: text)?.evidence == .summary)
        #expect(try location("Flights cancelled in Houston", summary: text)?.placeID != "gvp:1")
        #expect(try location("Xanadus: report", summary: text)?.evidence == .title)
    }

    @Test(
        "a report on volcanoes needs no word of volcanism",
        arguments: [
            ("A plume from Xanadus was visible.", 1), ("Gas rises from Springfield.", nil),
            ("Azul (Germany) was quiet.", 5), ("Springfield (United States) was quiet.", 6),
            ("Michael said that all was quiet.", nil),
        ] as [(String, Int?)])
    func report(summary: String, number: Int?) throws {
        let key = number.map { "gvp:\($0)" }
        #expect(try location("Report", summary: summary, category: .volcano)?.placeID == key)
        #expect(try location("Report", summary: summary)?.placeID?.hasPrefix("gvp:") != true)
    }

    @Test("a volcano that the list has under several names is one")
    func spellings() throws {
        let (former, present) = (Self.volcano(1, "Zanadus", "Germany", 50), Self.volcano(1, "Xanadus", "Germany", 50))
        let spelled = EventPlaces(
            tables.table, resolver: Resolver(tables.table), volcanoes: [present, former, former].compactMap { $0 })
        for title in ["Mount Xanadus erupts", "Lava from Zanadus"] {
            #expect(try location(title, by: spelled)?.placeID == "gvp:1")
        }
    }

    @Test("a distance is measured from a volcano, too")
    func distance() throws {
        let found = try #require(try location("Quake 20 km N of Xanadus volcano, Germany"))
        #expect(found.evidence == .distance && found.radius == 4 && found.coordinate.latitude > 50.1)
        #expect(try location("Quake 120 km N of Xanadus volcano")?.placeID == nil)
    }
}
