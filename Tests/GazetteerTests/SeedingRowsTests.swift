import Foundation
import Gazetteer
import Model
import TestSupport
import Testing

/// One bad row costs one row.
@Suite struct SeedingRowsTests {
    private let folder = SeedFolder()

    @Test("MaxMind's rows: bad ones are counted by reason with their lines, the rest is seeded")
    func worldCities() throws {
        let report = try folder.seed("worldcities-odd-rows.txt")
        let input = try #require(report.inputs.first)
        #expect(input.format == .worldCities)
        #expect(input.rows == 24)
        #expect(input.kept == 12)
        #expect(
            input.counts == [
                .missingFields: 2, .extraFields: 1, .brokenQuoting: 1, .badEncoding: 1, .badNumber: 2, .outOfRange: 2,
                .zeroCoordinates: 1, .badCode: 1, .noName: 1,
            ])
        let missing = try #require(input.refused.first { $0.fault == .missingFields })
        #expect(missing.examples.map(\.line) == [13, 24])
        #expect(missing.examples.first?.text == "xx,too,few,columns")
        let encoding = try #require(input.refused.first { $0.fault == .badEncoding })
        #expect(encoding.examples.first?.text == "de,control,Con\u{85}trol,01,,50,8")
        #expect(report.cities == 12)
        #expect(report.alternates == 1)

        let table = try folder.table()
        #expect(table.cityCount == 12)
        #expect(table.seeded == seedTime)
        let aixas = try #require(try table.places("Aixas").first)
        #expect(aixas.name == "Aixàs")
        #expect(aixas.country == "AD")
        #expect(aixas.region == "~06")
        #expect(aixas.geonameID == nil)
        #expect(aixas.population == 0)
        #expect(aixas.coordinate == Coordinate(latitude: 42.4833333, longitude: 1.4666667))
        #expect(try table.places("Kamyanetspodilskyy").isEmpty)
        #expect(try table.places("Kam\"yanetsPodilskyy").map(\.name) == ["Kam\"yanetsPodilskyy"])
        #expect(try table.places("Sangiugul").map(\.name) == ["Sangiugul\""])
        // Köln is the city's name, Koeln its other one.
        #expect(try table.places("Koeln").map(\.name) == ["Köln"])
        #expect(try table.places("KÖLN").map(\.population) == [963_395])
        #expect(try table.places("Kinshasa").map(\.country) == ["CD"])
        #expect(try table.places("Frankfurt").map(\.region) == [""])
    }

    @Test("regions of the USA, Canada and Australia join the states known without a file")
    func states() throws {
        try folder.seed("worldcities-odd-rows.txt")
        let table = try folder.table()
        #expect(try table.places("Springfield").map(\.region) == ["IL"])
        #expect(try table.places("Toronto").map(\.region) == ["08"])
        #expect(try table.places("London").map(\.region) == ["08"])
        #expect(try table.places("Perth").map(\.region) == ["08"])
        #expect(table.areaIDs("Ont.") == ["region:CA.08"])
        #expect(table.areaIDs("Illinois") == ["region:US.IL"])
        #expect(table.areaIDs("WA") == ["region:AU.08", "region:US.WA"])
        #expect(table.regions["AU.08"]?.precision == .region)
        #expect(table.regions["US.WA"]?.precision == .country, "no city of Washington is here")
        let ontario = try #require(table.regions["CA.08"])
        #expect(ontario.population == 4_612_187 + 346_774)
        #expect(ontario.name == "Ontario")
        #expect(ontario.coordinate.longitude > -80 && ontario.coordinate.longitude < -79)
    }

    @Test("a copy in UTF-8 is told by its content")
    func worldCitiesInUTF8() throws {
        let report = try folder.seed("worldcities-utf8.txt")
        let input = try #require(report.inputs.first)
        #expect(input.kept == 2)
        #expect(input.counts == [.badEncoding: 1])
        #expect(try folder.table().places("Koln").map(\.name) == ["Köln"])
    }

    @Test("an encoding that the sample leaves open is told by the first row that has more than ASCII")
    func lateEncoding() throws {
        let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"
        let plain = String(repeating: "de,a,A,01,,50,8\n", count: 5000)
        for (name, last) in [("latin1", Data([0x4B, 0xF6, 0x6C, 0x6E])), ("utf8", Data("Köln".utf8))] {
            let row = Data("de,koln,".utf8) + last + Data(",07,,50,6\n".utf8)
            try folder.seed([try folder.write(name, Data((heading + plain).utf8) + row)])
            #expect(try folder.table().places("Koln").map(\.name) == ["Köln"], "\(name)")
        }
    }

    @Test("GeoNames' rows: populated places are kept with their other names")
    func geoNames() throws {
        let report = try folder.seed("geonames-odd-rows.txt")
        let input = try #require(report.inputs.first)
        #expect(input.format == .geoNamesCities)
        #expect(input.rows == 14)
        #expect(input.kept == 6)
        #expect(input.skipped == [.notACity: 1, .historical: 2])
        #expect(input.counts == [.missingFields: 2, .badCode: 1, .badNumber: 1, .duplicate: 1])
        #expect(report.alternates == 6)

        let table = try folder.table()
        let berlin = try #require(try table.places("Berlin").first)
        #expect(berlin.id == "geonames:2950159")
        #expect(berlin.feature == "PPLC")
        #expect(berlin.region == "16")
        #expect(berlin.population == 3_426_354)
        #expect(try table.places("Берлин").map(\.name) == ["Berlin"])
        #expect(try table.places("new york").map(\.name) == ["New York City"])
        #expect(try table.places("NYC").isEmpty)
        #expect(try table.places("Los Angeles").map(\.district) == ["037"])
        #expect(try table.places("Near Zero").map(\.coordinate.latitude) == [0.00009])
    }

    @Test("areas lie in the middle of their people, right across 180°")
    func middles() throws {
        try folder.seed("geonames-odd-rows.txt", "admin1.txt", "admin2.txt", "countryInfo.txt")
        let table = try folder.table()
        let fiji = try #require(table.countries["FJ"])
        #expect(abs(fiji.coordinate.longitude) > 179)
        #expect(fiji.population == 27_949 + 100)
        let northern = try #require(table.regions["FJ.03"])
        #expect(abs(northern.coordinate.longitude - 179.36) < 0.01)
        // This is the number in countryInfo, not the sum of the cities.
        #expect(table.countries["DE"]?.population == 81_802_257)
        let key = NameKey(folded: NameFolding.folded("Los Angeles County").utf8)
        let county = try #require(try table.districts(named: key).first)
        #expect(county.place.id == "district:US.CA.037")
        #expect(county.place.population == 3_792_621)
        // A country without a city has no place.
        #expect(table.countries["FR"] == nil)
    }

    @Test("an area has the spread of its cities, a single city none")
    func radii() throws {
        let rows = """
            Country,City,AccentCity,Region,Population,Latitude,Longitude
            ec,west,West,01,1000,0,-80
            ec,east,East,01,1000,0,-78
            pe,alone,Alone,02,1000,-12,-77

            """
        try folder.seed([try folder.write("spread.txt", Data(rows.utf8))])
        let table = try folder.table()
        let radius = try #require(table.countries["EC"]?.radius)
        // Each lies a degree from the middle.
        #expect(abs(radius - 111.2) < 0.1)
        #expect(table.countries["PE"] != nil && table.countries["PE"]?.radius == nil)
        #expect(try table.places("West").first?.radius == nil)
    }

    @Test("rows of divisions and countries")
    func areas() throws {
        let report = try folder.seed("admin1.txt", "countryInfo.txt")
        #expect(report.inputs.map(\.format) == [.admin1, .countryInfo])
        #expect(report.inputs[0].kept == 5)
        #expect(report.inputs[0].counts == [.duplicate: 1, .badCode: 1, .badNumber: 1])
        #expect(report.inputs[1].kept == 2)
        #expect(report.inputs[1].skipped == [.historical: 1])
        #expect(report.cities == 0)
    }

    @Test("countries have their names in English, in their own languages, and common aliases")
    func countryNames() throws {
        try folder.seed("geonames-odd-rows.txt")
        let table = try folder.table()
        for name in ["Germany", "Deutschland", "DE"] { #expect(table.areaIDs(name).contains("country:DE"), "\(name)") }
        for name in ["USA", "U.S.", "United States", "America", "Estados Unidos"] {
            #expect(table.areaIDs(name).contains("country:US"), "\(name)")
        }
    }

    @Test("England is the United Kingdom only while the table has no England")
    func nations() throws {
        let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"
        let london = heading + "gb,london,London,H9,1,51.5,-0.1\n"
        try folder.seed([try folder.write("london.txt", Data(london.utf8))])
        #expect(try folder.table().areaIDs("England") == ["country:GB"])
        try folder.seed("admin1.txt")
        #expect(try folder.table().areaIDs("England") == ["region:GB.ENG"])
    }

    @Test("too long a line or a name costs one row")
    func longRows() throws {
        let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"
        let long = String(repeating: "x", count: 501)
        let longer = String(repeating: "x", count: 1_100_000)
        let rows = "de,a,A,01,,50,8\nde,b,\(long),01,,50,8\nde,c,\(longer),01,,50,8\nde,d,D,01,,50,8\n"
        let report = try folder.seed([try folder.write("long.txt", Data((heading + rows).utf8))])
        #expect(report.inputs[0].kept == 2)
        #expect(report.inputs[0].counts == [.tooLong: 2])
    }
}
