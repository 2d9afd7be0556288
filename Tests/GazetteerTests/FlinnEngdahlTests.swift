import Model
import Testing

@testable import Gazetteer

@Suite struct FlinnEngdahlTests {
    @Test(
        "each point has a region; on whole degrees that away from equator and Greenwich",
        arguments: [
            (48, 12, 543), (-30, -60, 133), (-6, 128, 280), (36, -5, 385), (36, 71, 717), (38.7, -9.1, 376),
            (37.75, 14.99, 398), (-20.2, -70.1, 122), (64, -21, 638), (51.5, -0.1, 533), (10, -20, 402),
            // Poles, equator, Greenwich, dateline.
            (90, 0, 633), (90, 180, 633), (-90, 0, 729), (-90, -180, 729), (0, 0, 561), (0, -30, 406), (0, 180, 618),
            (0, -180, 618), (-17, 180, 182), (-17, -180, 182), (52, 179.99, 6), (52, 180, 6), (52, -180, 6),
            (52, -179.99, 7),
            // Borders.
            (46, -130, 26), (45.999, -130, 30), (-46, 44, 432), (-46, 43.99, 431), (-53, -55, 148), (-53, -54.99, 409),
        ] as [(Double, Double, Int)])
    func numbers(latitude: Double, longitude: Double, expected: Int) throws {
        let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(FlinnEngdahl.regions.region(at: point)?.number == expected)
    }

    @Test("the whole Earth is divided")
    func whole() throws {
        for latitude in -90...90 {
            for longitude in stride(from: -180, through: 180, by: 7) {
                let point = try #require(Coordinate(latitude: Double(latitude), longitude: Double(longitude)))
                #expect(FlinnEngdahl.regions.region(at: point) != nil, "\(latitude) \(longitude)")
            }
        }
    }

    @Test("abbreviations are written out")
    func names() throws {
        func name(_ latitude: Double, _ longitude: Double) throws -> String? {
            FlinnEngdahl.regions.region(at: try #require(Coordinate(latitude: latitude, longitude: longitude)))?.name
        }
        #expect(try name(35.68, 139.7) == "Near the South Coast of Honshu, Japan")
        #expect(try name(52, -179.99) == "Andreanof Islands, Aleutian Islands")
        #expect(try name(36, 71) == "Afghanistan-Tajikistan Border Region")
    }

    @Test(
        "seas, straits, ranges and islands are areas for texts that name no more than a country",
        arguments: [
            ("Earthquake in the Banda Sea", "flinn-engdahl:280"),
            ("Strait of Gibraltar earthquake", "flinn-engdahl:385"),
            ("Quake shakes Hindu Kush region", "flinn-engdahl:718"),
            ("Ship sinks in Black Sea, army says", "flinn-engdahl:360"),
            ("Ship of Germany sinks in the Black Sea", "flinn-engdahl:360"),
            ("Black Sea Fleet leaves", nil), ("Fire in Hamburg on the North Sea", "geonames:2911298"),
            ("Talks on the Red Sea", nil), ("Storms in the Red Sea and in the Black Sea", nil),
        ] as [(String, String?)])
    func texts(title: String, expected: String?) throws {
        let tables = try TestTable()
        let places = EventPlaces(tables.table, resolver: Resolver(tables.table))
        let outcome = try places.outcome(for: UnlocatedEvent(category: "news", title: title))
        var found: Location?
        if case .located(let location) = outcome { found = location }
        #expect(found?.placeID == expected)
        if expected?.hasPrefix("flinn") ?? false {
            #expect(found?.precision == .region && found?.radius ?? 0 >= 50 && found?.country == nil)
        }
    }
}
