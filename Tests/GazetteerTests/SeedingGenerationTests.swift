import Foundation
import Gazetteer
import Model
import Reading
import Store
import TestSupport
import Testing

/// Each seeding is a new generation, invisible until it is complete.
@Suite struct SeedingGenerationTests {
    private let folder = SeedFolder()

    private func makeBuilder(keeping kept: CityTableBuilder.Kept = .init()) throws -> CityTableBuilder {
        try CityTableBuilder(path: folder.path, keeping: kept, at: seedTime)
    }

    private func city(_ name: String, id: Int64? = nil, country: String = "DE") throws -> CityRecord {
        CityRecord(
            id: id, name: name, otherNames: [name + " also"], country: country, population: 10,
            coordinate: try #require(Coordinate(latitude: 50, longitude: 8)))
    }

    @Test("seeding cities replaces cities and keeps areas; seeding areas keeps cities")
    func carryOver() throws {
        try folder.seed("admin1.txt", "countryInfo.txt")
        let first = try folder.seed("geonames-odd-rows.txt")
        #expect(first.carriedCities == 0)
        #expect(try folder.table().areaIDs("Land Berlin") == ["region:DE.16"])
        #expect(try folder.table().countries["DE"]?.geonameID == 2_921_044)

        let second = try folder.seed("worldcities-odd-rows.txt")
        #expect(second.cities == 12)
        #expect(try folder.table().places("Berlin").isEmpty)
        #expect(try folder.table().areaIDs("DEU") == ["country:DE"])

        let third = try folder.seed("admin2.txt")
        #expect(third.cities == 12)
        #expect(third.carriedCities == 12)
        #expect(third.alternates == 1)
        #expect(try folder.table().places("Koeln").map(\.name) == ["Köln"])
        // Divisions from an earlier seeding reappear when they have cities.
        try folder.seed("geonames-odd-rows.txt")
        #expect(try folder.table().areaIDs("Land Berlin") == ["region:DE.16"])
    }

    @Test("--add keeps the cities, and a GeoNames number that comes again is replaced")
    func adding() throws {
        let old = try makeBuilder()
        try old.add(try city("Old Berlin", id: 2_950_159))
        try old.add(try city("Elsewhere", id: 77))
        try old.add(try city("Of our own"))
        _ = try old.finish()
        let report = try folder.seed("geonames-odd-rows.txt", isAdding: true)
        #expect(report.cities == 6 + 2)
        #expect(report.carriedCities == 2)
        let table = try folder.table()
        #expect(try table.places("Old Berlin").isEmpty)
        #expect(try table.places("Old Berlin also").isEmpty)
        #expect(try table.places("Elsewhere also").map(\.id) == ["geonames:77"])
        #expect(try table.places("Of our own").map(\.id) == ["maxmind:0"])
        // MaxMind's rows get numbers of their own.
        try folder.seed("worldcities-utf8.txt", isAdding: true)
        #expect(CityTable.suppliers(ofTableAt: folder.path) == [.geoNames, .maxMind])
        #expect(try folder.table().places("Aixas").map(\.id) == ["maxmind:1"])
        #expect(try folder.table().cityCount == 10)
    }

    @Test("a table says whose cities it has")
    func suppliers() throws {
        #expect(CityTable.suppliers(ofTableAt: folder.path) == [])
        try folder.seed("geonames-odd-rows.txt")
        #expect(CityTable.suppliers(ofTableAt: folder.path) == [.geoNames])
        try folder.seed("worldcities-utf8.txt")
        #expect(CityTable.suppliers(ofTableAt: folder.path) == [.maxMind])
    }

    @Test("an open table goes on answering from its generation")
    func openTable() throws {
        try folder.seed("geonames-odd-rows.txt")
        let table = try folder.table()
        #expect(table.isCurrent)
        try folder.seed("worldcities-odd-rows.txt")
        #expect(!table.isCurrent)
        #expect(try table.places("Berlin").count == 1)
        #expect(try table.places("Paris").isEmpty)
        let next = try folder.table()
        #expect(next.isCurrent)
        #expect(next.generation != table.generation)
        #expect(try next.places("Paris").count == 1)
    }

    @Test("nothing is seen before the end, and what is given up leaves nothing")
    func abandoned() throws {
        let builder = try makeBuilder()
        try builder.add(try city("Town"))
        #expect(try folder.files.count == 1)
        #expect(throws: GazetteerError.self) { try folder.table() }
        builder.abandon()
        #expect(try folder.files.isEmpty)
        do {
            let dropped = try makeBuilder()
            try dropped.add(try city("Town"))
        }
        #expect(try folder.files.isEmpty)
    }

    @Test("the table is readable by everybody, whole, and one file")
    func file() throws {
        try folder.seed("geonames-odd-rows.txt")
        #expect(try folder.files == ["cities.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
    }

    @Test("leftovers go when a seeding starts; those of a seeding at work stay, and so do other files")
    func leftovers() throws {
        let stray = ["cities.sqlite.seeding-0123456789abcdef", "cities.sqlite.seeding-fedcba9876543210"]
        let others = ["cities.sqlite.seeding-note", "other.sqlite.seeding-0123456789abcdef"]
        for name in stray + others { _ = try folder.write(name, Data("left".utf8)) }
        let working = try makeBuilder()
        try working.add(try city("Town"))
        #expect(CityTableBuilder.removeLeftovers(at: folder.path) == 2)
        #expect(try folder.files.count == others.count + 1)
        _ = try folder.write(stray[0], Data())
        try folder.seed("geonames-odd-rows.txt")
        #expect(try folder.files.count == others.count + 2)
        _ = try working.finish()
        #expect(try folder.files == ["cities.sqlite"] + others)
        #expect(try folder.table().places("Town").count == 1)
    }

    @Test("a seeding that would undo another's is refused")
    func lostUpdate() throws {
        try folder.seed("geonames-odd-rows.txt")
        let slow = try makeBuilder(keeping: .init(cities: true))
        try slow.add(try city("Town"))
        try folder.seed("worldcities-odd-rows.txt")
        #expect(throws: GazetteerError.self) { try slow.finish() }
        slow.abandon()
        #expect(try folder.files == ["cities.sqlite"])
        #expect(try folder.table().places("Paris").count == 1)
    }

    @Test("a damaged table does not stand in the way of a new one, but nothing can be added to it")
    func damagedTable() throws {
        try folder.seed("geonames-odd-rows.txt")
        try Data(contentsOf: URL(fileURLWithPath: folder.path)).prefix(3000)
            .write(to: URL(fileURLWithPath: folder.path))
        #expect(throws: GazetteerError.self) { try folder.seed("geonames-odd-rows.txt", isAdding: true) }
        #expect(throws: GazetteerError.self) { try folder.seed("admin1.txt") }
        #expect(try folder.files == ["cities.sqlite"])
        let report = try folder.seed("geonames-odd-rows.txt")
        #expect(report.lostTable != nil)
        #expect(try folder.table().cityCount == 6)
    }

    @Test("a file that is no city table is never replaced: another database, an input, a text")
    func foreignFiles() throws {
        let folder = folder
        let store = folder.directory.path + "/events.sqlite"
        _ = try EventStore(path: store)
        let text = try folder.write("notes.txt", Data("my notes".utf8)).path
        for path in [store, text] {
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let error = #expect(throws: GazetteerError.self) { try CityTableBuilder(path: path, at: seedTime) }
            #expect(error?.code == .cannotWrite)
            #expect(error?.message.contains(path) == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
        let pipe = folder.directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [folder.directory.path, pipe] {
            #expect(throws: GazetteerError.self) { try CityTableBuilder(path: path, at: seedTime) }
        }
        #expect(try folder.files.allSatisfy { !$0.contains("seeding") })
        let empty = try folder.write("empty.sqlite", Data()).path
        #expect(throws: Never.self) { try CityTableBuilder(path: empty, at: seedTime).abandon() }
    }

    @Test("a link to the table stays a link")
    func link() throws {
        try folder.seed("geonames-odd-rows.txt")
        let link = folder.directory.path + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let builder = try CityTableBuilder(path: link, at: seedTime)
        _ = try builder.finish()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == folder.path)
        #expect(try folder.table().cityCount == 0)
        #expect(try CityTable(path: link).generation == folder.table().generation)
    }

    @Test("a folder that is missing is named")
    func missingFolder() throws {
        let error = #expect(throws: GazetteerError.self) {
            try CityTableBuilder(path: folder.directory.path + "/missing/cities.sqlite", at: seedTime)
        }
        #expect(error?.code == .cannotWrite)
        #expect(error?.message.contains("/missing/cities.sqlite") == true)
    }

    @Test("progress tells rows and phases")
    func progress() throws {
        let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"
        let rows = (0..<20_000).map { "de,town \($0),Town \($0),01,,50.\($0),8\n" }.joined()
        let url = try folder.write("many.txt", Data((heading + rows).utf8))
        var seen: [SeedProgress] = []
        try folder.seed([url]) { seen.append($0) }
        #expect(
            seen.map(\.phase) == [.reading(0), .reading(0), .reading(0), .indexing, .finishing])
        #expect(seen[2].rows > 16_000)
        #expect(seen[2].totalBytes == Int64(heading.utf8.count + rows.utf8.count))
        #expect(seen[2].wireBytes > 0)
    }

    @Test("of cities of one name the most populous come first, and none is lost")
    func namesakes() throws {
        let heading = "Country,City,AccentCity,Region,Population,Latitude,Longitude\n"
        let rows = (0..<30_000).map { "de,town \($0 % 9000),Town \($0 % 9000),01,\($0),50,8\n" }.joined()
        try folder.seed([try folder.write("many.txt", Data((heading + rows).utf8))])
        let table = try folder.table()
        let key = NameKey(folded: NameFolding.folded("Town 17").utf8)
        #expect(try table.cities(named: key).map(\.population) == [27_017, 18_017, 9_017, 17])
        #expect(table.cityCount == 30_000)
    }
}
