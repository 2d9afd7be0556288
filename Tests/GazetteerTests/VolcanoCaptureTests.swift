import Foundation
import Model
import Store
import TestSupport
import Testing

@testable import Gazetteer

/// Real lists, read from beside the checkout.
@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
struct VolcanoCaptureTests {
    private func list(_ path: String) throws -> VolcanoList { try VolcanoList(try Captures.data(path)) }
    private func pictures() throws -> VolcanoList { try list("gvp/volcano_list_with_pictures.txt") }
    private func of2014() throws -> VolcanoList { try list("gvp/2014-07_volcano_list.csv") }
    private func of2019() throws -> VolcanoList { try list("gvp/2019-10-23_GVP_Volcano_List_Holocene.csv") }
    private func words(_ list: VolcanoList) -> [String] { list.issues.map { $0.description } }

    @Test("The app's list: 1538 records of RFC 4180, of which one holds two volcanoes")
    func appList() throws {
        let list = try pictures()
        #expect(list.format == .pictures)
        #expect(list.rows == 1539)
        #expect(list.entries.count == 1539)
        #expect(words(list) == ["mended_quotes 1 (line 1154)"])
        #expect(list.entries.count { $0.picture != nil } == 1312)
        #expect(list.entries.count { $0.webcam != nil } == 138)
        #expect(list.entries.allSatisfy { $0.text != nil })
        let fuego = try #require(list.entries.first { $0.name == "Fuego" })
        #expect(fuego.webcam == "http://www.insivumeh.gob.gt/geofisica/vulcanologia/Fuego.jpg")
        #expect(list.entries.contains { $0.name == "Soufrière St. Vincent" })
    }

    @Test("The list of 2014: 1530 lines with the header, two numbers given twice, one volcano at 0,0")
    func listOf2014() throws {
        let list = try of2014()
        #expect(list.rows == 1530 - 1)
        #expect(list.entries.count == 1526)
        #expect(words(list) == ["duplicate 2 (lines 547, 746)", "zero_coordinate 1 (line 1075)"])
        #expect(list.entries.allSatisfy { $0.number != nil && $0.country != nil })
        #expect(list.entries.contains { $0.name == "Göllü Dag" })
    }

    @Test("The list of 2019: 1428 lines with title and header")
    func listOf2019() throws {
        let list = try of2019()
        #expect(list.rows == 1428 - 2)
        #expect(list.entries.count == 1426)
        #expect(list.issues.isEmpty)
        #expect(list.entries.allSatisfy { $0.number != nil && $0.country != nil })
    }

    @Test("The weekly placemarks")
    func weekly() throws {
        let list = try self.list("kml/2015-11-04_WeeklyVolcanoGE-Reports_first2.kml")
        let numbers: [Int?] = [342090, 234010]
        #expect(list.entries.map { $0.number } == numbers)
        #expect(list.entries.allSatisfy { $0.text == nil && $0.picture == nil })
        #expect(throws: GazetteerError.self) { try self.list("kml/geonet_nz_earthquakes_2010-09.kml") }
        #expect(throws: GazetteerError.self) { try self.list("cities/PROVENANCE.md") }
    }

    @Test("Seeded in either order, the app's list and that of 2019 come to the same volcanoes, once each")
    func bothLists() throws {
        let plain = try pictures().entries.map { $0.point }
        let numbered = try of2019().entries.map { $0.point }
        let directory = TemporaryDirectory()
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        var results: [[String: PointOfInterest]] = []
        for (name, lists) in [("first", [plain, numbered]), ("second", [numbered, plain])] {
            let store = try EventStore(path: directory.path + "/\(name).sqlite")
            for list in lists { _ = try store.seed(list, at: now) }
            for list in lists { #expect(try store.seed(list, at: now).unchanged == list.count) }
            let stored = try store.pointsOfInterest()
            #expect(stored.count == 1591)
            results.append(Dictionary(uniqueKeysWithValues: stored.map { ($0.key, $0.point) }))
        }
        #expect(results.first == results.last)
        let etna = try #require(results.first?["gvp:211060"])
        #expect(etna.country == "Italy")
        #expect(etna.picture?.hasPrefix("http://www.volcano.si.edu/") == true)
        #expect(etna.webcam == "http://www.ct.ingv.it/en/webcam-etna.html")
        #expect(etna.text?.isEmpty == false)
    }
}
