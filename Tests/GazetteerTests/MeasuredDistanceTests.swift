import Model
import Testing

@testable import Gazetteer

/// Places at a distance from a town.
@Suite struct MeasuredDistanceTests {
    private let tables: TestTable
    private let places: EventPlaces

    init() throws {
        tables = try TestTable()
        places = EventPlaces(tables.table, resolver: Resolver(tables.table))
    }

    private func location(
        _ title: String, summary: String? = nil, place: String? = nil, author: Bool = false
    ) throws -> Location? {
        let event = UnlocatedEvent(
            category: author ? "message" : "news", place: place, placeEvidence: author ? .author : .place,
            title: title, summary: summary)
        if case .located(let location) = try places.outcome(for: event) { return location } else { return nil }
    }

    /// Kilometres from Toronto, and the direction from there as a whole number of degrees.
    private func fromToronto(_ location: Location?) -> [Int]? {
        guard let location, let toronto = Coordinate(latitude: 43.7001, longitude: -79.4163) else { return nil }
        let kilometres = toronto.distance(to: location.coordinate)
        let bearing = stride(from: 0.0, to: 360, by: 22.5).min { one, other in
            func miss(_ bearing: Double) -> Double {
                toronto.moved(kilometres: kilometres, bearing: bearing)?.distance(to: location.coordinate) ?? .infinity
            }
            return miss(one) < miss(other)
        }
        return [Int(clamping: kilometres.rounded()), Int(clamping: bearing ?? -1)]
    }

    @Test(
        "numbers, units and directions as texts write them",
        arguments: [
            ("40 km SSW of Toronto, Canada", [40, 202]), ("40km N of Toronto, Canada", [40, 0]),
            ("about 30 kilometres north-west of Toronto", [30, 315]),
            ("10 miles north-northeast of Toronto", [16, 22]),
            ("12.5 mi. to the east of Toronto", [20, 90]), ("Five miles due west from Toronto", [8, 270]),
            ("20 miles (32 km) south of the city of Toronto on Monday", [32, 180]),
            ("20 nautical miles south of Toronto", [37, 180]),
        ] as [(String, [Int])])
    func forms(text: String, expected: [Int]) throws {
        #expect(fromToronto(try location("Fire: \(text)")) == expected)
    }

    @Test("a distance with a direction is a point, whose radius is a fifth of it")
    func point() throws {
        let found = try #require(try location("Quake 40 km SSW of Toronto, Canada"))
        #expect(found.precision == .point && found.radius == 8)
        #expect(found.evidence == .distance && found.matchedText == "40 km SSW of Toronto, Canada")
        #expect(found.placeID == "geonames:6167865" && found.country == "CA")
        #expect(found.name == "Toronto, Ontario, Canada")
        #expect(try location("Quake 2 km S of Toronto")?.radius == 1)
    }

    @Test(
        "a town from which something else is measured is no place of the event",
        arguments: [
            "Ship sinks hundreds of miles off Toronto", "Quake 50 km al sur de Toronto",
            "Crash an hour north of Toronto",
            "Wreck 370 kilometers, or 230 miles, southeast of Toronto", "Hundred and fifty miles off Toronto",
            "Fire twenty-five miles south of Toronto",
        ])
    func vague(_ title: String) throws {
        #expect(try location(title) == nil)
    }

    @Test("a distance of the text moves a town of the title only if the title is vague")
    func titles() throws {
        let text = "It was 60 km south of Toronto."
        #expect(try location("Blast in central Toronto", summary: text)?.precision == .city)
        #expect(try location("Toronto rocked by blast", summary: text)?.precision == .city)
        #expect(try location("Quake shakes Toronto", summary: text)?.precision == .point)
        #expect(try location("Blast near Toronto", summary: text)?.precision == .point)
    }

    @Test("a distance without a direction is the area around the town", arguments: ["off", "from", "away from"])
    func noDirection(word: String) throws {
        let found = try #require(try location("Boat sinks 12 km \(word) Toronto"))
        #expect(found.precision == .region && found.radius == 12 && found.evidence == .distance)
        #expect(fromToronto(found)?.first == 0)
    }

    @Test("the distance is the event's place instead of the same town, in the place text, the title and the text")
    func texts() throws {
        #expect(try location("Quake near Toronto", summary: "It was 40 km N of Toronto.")?.evidence == .distance)
        #expect(try location("Quake", place: "40 km N of Toronto, Canada")?.precision == .point)
        #expect(try location("Quake in London", summary: "London is 40 km N of Toronto.")?.evidence == .title)
        #expect(try location("Hello", place: "40 km N of Toronto", author: true)?.evidence != .distance)
        // What the title puts in the town is not where the text puts other things.
        #expect(try location("Blast in Toronto", summary: "A hut 60 km south of Toronto is gone.")?.evidence == .title)
        #expect(try location("Fire in Toronto", summary: "She is from 120 miles off Toronto.")?.precision == .city)
    }

    @Test("further than 100 km neither a point nor the town is the place")
    func far() throws {
        #expect(try location("Quake 101 km N of Toronto") == nil)
        #expect(try location("Quake 1,200 km N of Toronto felt in Toronto") == nil)
        #expect(try location("Quake", place: "101 km N of Toronto") == nil)
        #expect(try location("Quake 140 km N of Toronto, Canada")?.placeID == "country:CA")
    }

    @Test(
        "no town is sure that is part of a longer name, has a namesake, or lies elsewhere",
        arguments: [
            "Quake 4 km N of Toronto de los Lagos", "Quake 4 km N of Old Toronto, Canada",
            "Quake 4 km N of Toronto Village",
            "Quake 4 km N of Toronto, Germany", "Quake 4 km N of Springfield, Xanadu",
        ])
    func unsure(title: String) throws {
        #expect(try location(title)?.evidence != .distance)
    }

    @Test("a state behind an unknown town is not its city")
    func stateBehind() throws {
        #expect(try location("Quake 4 km N of Xanadu, Washington")?.precision != .city)
    }

    @Test(
        "a number of miles is no distance from a town without the words for it",
        arguments: ["Toronto builds 40 km of roads", "40 km of Toronto roads", "The 10 km Toronto run"])
    func noDistance(title: String) throws {
        #expect(try location(title)?.evidence != .distance)
    }
}
