import Model
import Testing

@testable import Gazetteer

/// Where an event is whose title or first sentence names a place elsewhere than its dateline.
@Suite struct DatelineRivalTests {
    private let tables: TestTable
    private let places: EventPlaces

    init() throws {
        func city(
            _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
            _ longitude: Double, _ feature: String = "PPLA"
        ) -> TestTable.City {
            TestTable.City(
                id: id, name: name, population: population, country: country, region: region, latitude: latitude,
                longitude: longitude, feature: feature)
        }
        func area(_ code: String, _ name: String, _ population: Int64) -> TestTable.Area {
            TestTable.Area(code: code, name: name, population: population, latitude: 40, longitude: 40)
        }
        tables = try TestTable(
            cities: [
                city(1, "Amman", 1_275_857, "JO", "16", 31.955, 35.945, "PPLC"),
                city(2, "Idlib", 128_840, "SY", "12", 35.931, 36.634),
                city(3, "Rome", 2_318_895, "IT", "07", 41.892, 12.511, "PPLC"),
                city(4, "Catania", 311_584, "IT", "15", 37.492, 15.07),
                city(5, "Washington", 601_723, "US", "DC", 38.895, -77.036, "PPLC"),
                city(6, "Moscow", 10_381_222, "RU", "48", 55.752, 37.616, "PPLC"),
                city(7, "Nice", 338_620, "FR", "93", 43.703, 7.266),
                city(8, "Paris", 2_138_551, "FR", "A8", 48.853, 2.349, "PPLC"),
                city(9, "Irbid", 307_480, "JO", "18", 32.556, 35.85),
            ],
            areas: [
                area("JO", "Jordan", 6_400_000), area("SY", "Syria", 22_000_000), area("IT", "Italy", 60_000_000),
                area("US", "United States", 310_000_000), area("RU", "Russia", 140_000_000),
                area("FR", "France", 64_000_000), area("IT.15", "Sicily", 5_000_000),
            ])
        places = EventPlaces(tables.table, resolver: Resolver(tables.table))
    }

    /// The place and the text that gave it.
    private func found(_ dateline: String, _ title: String, _ sentence: String = "It was a day.") throws -> String {
        let event = UnlocatedEvent(
            category: "news", place: dateline, placeEvidence: .dateline, title: title,
            summary: "\(dateline) (Reuters) - \(sentence) More is not known.")
        guard case .located(let location) = try places.outcome(for: event) else { return "–" }
        return "\(location.placeID ?? "?") \(location.evidence?.rawValue ?? "?")"
    }

    @Test("what the title puts elsewhere is elsewhere")
    func title() throws {
        #expect(try found("AMMAN", "Warplanes hit market in Idlib, kill 15") == "geonames:2 title")
        #expect(try found("AMMAN", "Bomb in Jordan army convoy in Idlib: army") == "geonames:2 title")
        #expect(try found("ROME", "Airport closed in Catania") == "geonames:4 title")
        #expect(try found("AMMAN", "Idlib market hit by warplanes") == "geonames:2 title")
        #expect(try found("AMMAN", "Bomb kills twenty in Syria") == "country:SY title")
        #expect(try found("AMMAN", "Bus crash in Idlib kills two") == "geonames:2 title")
        #expect(try found("ROME", "Quake hits 40 km south of Catania") == "geonames:4 distance")
        #expect(try found("ROME", "Quake hits 200 km south of Catania") == "geonames:3 dateline")
    }

    @Test("so is what the first sentence puts there, if the title names nothing else")
    func sentence() throws {
        let strike = "Warplanes struck a market in the rebel-held city of Idlib on Monday, residents said."
        #expect(try found("AMMAN", "Warplanes hit market", strike) == "geonames:2 summary")
        #expect(try found("AMMAN", "Warplanes hit market in Syria", strike) == "geonames:2 summary")
        #expect(try found("ROME", "Volcano wakes up", "Ash fell in Sicily on Monday.") == "region:IT.15 summary")
        #expect(try found("AMMAN", "Jordan mourns", strike) == "geonames:1 dateline")
        #expect(try found("AMMAN", "Market hit", "It burned. It was in Idlib.") == "geonames:1 dateline")
    }

    @Test("a country around the dateline is the less exact place")
    func country() throws {
        #expect(try found("ROME", "Trial begins in Italy") == "geonames:3 dateline")
        #expect(try found("SICILY", "Trial begins in Italy") == "region:IT.15 dateline")
    }

    @Test("a government is not a place", arguments: ["Washington says", "Moscow denies", "Paris warns"])
    func government(_ who: String) throws {
        #expect(try found("AMMAN", "\(who) no strike was flown") == "geonames:1 dateline")
    }

    @Test("those who speak at the dateline speak of places afar")
    func speakers() throws {
        #expect(try found("MOSCOW", "Moscow denies role in attack in Nice") == "geonames:6 dateline")
        #expect(try found("WASHINGTON", "U.S. sees progress in Syria") == "geonames:5 dateline")
        #expect(try found("PARIS", "Man jailed for attack in Nice") == "geonames:8 dateline")
        #expect(try found("PARIS", "Man charged with plot to bomb market in Nice") == "geonames:8 dateline")
        #expect(try found("WASHINGTON", "U.S. drops plan for Idlib talks") == "geonames:5 dateline")
        #expect(try found("WASHINGTON", "Senate approves aid to rebuild schools in Idlib") == "geonames:5 dateline")
    }

    @Test("of two places elsewhere neither is sure")
    func apart() throws {
        #expect(try found("AMMAN", "Fires in Nice and in Catania") == "geonames:1 dateline")
    }

    @Test("a dateline that is written otherwise in the text, where it is shorter, moves no position beyond the end")
    func spellings() throws {
        let event = UnlocatedEvent(
            category: "news", place: "ROME\u{301}", placeEvidence: .dateline, title: "Fire", summary: "ROM\u{C9}")
        guard case .located(let location) = try places.outcome(for: event) else {
            Issue.record("not located")
            return
        }
        #expect(location.placeID == "geonames:3")
    }

    @Test("a place text of the feed is no dateline")
    func placeText() throws {
        let event = UnlocatedEvent(category: "news", place: "AMMAN", title: "Warplanes hit market in Idlib, kill 15")
        guard case .located(let location) = try places.outcome(for: event) else {
            Issue.record("not located")
            return
        }
        #expect(location.placeID == "geonames:1")
    }
}
