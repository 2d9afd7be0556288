import Foundation
import Model
import TestSupport
import Testing

@testable import Gazetteer

@Suite struct VolcanoListTests {
    private func list(_ name: String) throws -> VolcanoList {
        try VolcanoList(try Fixtures.data("volcanoes/" + name))
    }

    private func words(_ list: VolcanoList) -> [String] { list.issues.map { $0.description } }

    @Test("A list with title line, byte order mark, semicolons and CRLF, every bad row counted by reason")
    func semicolons() throws {
        let list = try list("semicolons.csv")
        #expect(list.format == .table)
        #expect(list.rows == 15)
        let numbers: [Int?] = [211060, 360050, 210010, 243030, nil, nil, 311310]
        #expect(list.entries.map { $0.number } == numbers)
        let expected = [
            "bad_number 1 (line 8)", "missing_name 1 (line 9)", "missing_coordinate 1 (line 10)",
            "bad_coordinate 1 (line 11)", "out_of_range 1 (line 12)", "zero_coordinate 1 (line 13)",
            "duplicate 1 (line 14)", "wrong_columns 1 (line 15)", "broken_quotes 1 (line 16)",
        ]
        #expect(words(list) == expected)
        #expect(list.issues.filter { !$0.costsRow }.map { $0.reason } == ["bad_number"])

        let etna = try #require(list.entries.first)
        #expect(etna.line == 3)
        #expect(etna.name == "Etna")
        #expect(etna.coordinate == Coordinate(latitude: 37.748, longitude: 14.993))
        #expect(etna.country == "Italy")
        #expect(etna.details.type == "Stratovolcano(es)")
        #expect(etna.details.elevation == 3357)
        #expect(etna.details.lastEruptionYear == 2025)
        #expect(etna.details.setting == "Subduction zone / Continental crust (>25 km)")
        #expect(etna.point.key == "gvp:211060")

        let hills = list.entries[1]
        #expect(hills.name == "Soufrière Hills")
        #expect(hills.coordinate == Coordinate(latitude: 16.72, longitude: -62.18), "decimal commas")
        #expect(hills.country == "Montserrat; United Kingdom")
        #expect(hills.point.foldedName == "soufriere hills")
        #expect(list.entries[2].details.lastEruptionYear == -8300)
        #expect(list.entries[3].details.lastEruptionYear == nil)
        #expect(list.entries[3].details.elevation == -13)
        #expect(list.entries[4].point.key == "nameless number@1.0,2.0")
    }

    @Test("A list with commas in Windows-1252, no-break spaces for what is empty, and a line end in quotes")
    func commas() throws {
        let list = try list("commas-1252.csv")
        #expect(list.format == .table)
        #expect(list.issues.isEmpty)
        #expect(list.entries.map { $0.name } == ["Acigöl-Nevsehir", "Acamarachi", "Aca tenango"])
        #expect(list.entries.map { $0.line } == [2, 3, 4])
        #expect(list.entries[0].details.region == "Mediterranean, W Asia")
        #expect(list.entries[0].details.lastEruptionYear == -2080)
        #expect(list.entries[1].details.subregion == nil)
        #expect(list.entries[1].details.setting == nil)
        #expect(list.entries[2].details.region == "México’s south")
    }

    @Test("The app's list: three columns or five, longitude first, and a text that swallows the next volcano")
    func pictures() throws {
        let list = try list("pictures.txt")
        #expect(list.format == .pictures)
        #expect(list.rows == 8)
        let names = ["Chaîne des Puys", "Palinuro", "Acatenango", "Fuego", "Soufrière Hills"]
        #expect(list.entries.map { $0.name } == names)
        let expected = [
            "mended_quotes 1 (line 3)", "bad_link 1 (line 5)", "missing_coordinate 2 (lines 6, 7)",
            "wrong_columns 1 (line 8)",
        ]
        #expect(words(list) == expected)

        let puys = list.entries[0]
        #expect(puys.number == nil)
        #expect(puys.coordinate == Coordinate(latitude: 45.775, longitude: 2.97))
        #expect(puys.picture == "http://example.org//photos/088002.jpg")
        #expect(puys.webcam == "http://example.org/webcam?id=1")
        #expect(puys.text == "A chain of cones, \"puys\", in France.")
        #expect(puys.point.key == "chaine des puys@45.8,3.0")
        #expect(list.entries[1].picture == nil)
        #expect(list.entries[1].text == "A seamount without a picture.")
        #expect(list.entries[2].text == "It smokes, ‘but without noise.\"")
        #expect(list.entries[3].webcam == "http://example.org/Fuego.jpg")
        #expect(list.entries[4].picture == nil)
    }

    @Test("The web site's spreadsheet: titles, empty cells left out, sheets with columns of their own")
    func spreadsheet() throws {
        let list = try list("spreadsheet.xml")
        #expect(list.format == .spreadsheet)
        #expect(list.rows == 4)
        #expect(list.entries.map { $0.name } == ["Etna", "Havre Seamount", "Göllü Dag"])
        #expect(list.entries[0].details.elevation == 3357)
        #expect(list.entries[0].details.lastEruptionYear == 2025)
        #expect(list.entries[1].country == nil)
        #expect(list.entries[1].coordinate == Coordinate(latitude: -31.08, longitude: -179.033))
        #expect(list.entries[2].number == nil)
        #expect(list.entries[2].coordinate == Coordinate(latitude: 38.25, longitude: 34.57))
        #expect(words(list) == ["missing_name 1 (line 22)"])
    }

    @Test(
        "Placemarks: the number out of a link, other placemarks refused",
        arguments: ["placemarks.kml", "placemarks.kmz"]) func placemarks(name: String) throws
    {
        let list = try list(name)
        #expect(list.format == .placemarks)
        #expect(list.rows == 5)
        let numbers: [Int?] = [360050, 342090, nil]
        #expect(list.entries.map { $0.number } == numbers)
        let hills = list.entries[0]
        #expect(hills.name == "Soufrière Hills")
        #expect(hills.coordinate == Coordinate(latitude: 16.72, longitude: -62.18))
        #expect(hills.picture == "http://www.volcano.si.edu/Photos/small/094018.jpg")
        #expect(hills.webcam == "http://example.org/webcam/soufriere")
        #expect(hills.text?.hasPrefix("A dome in the island’s south.") == true)
        #expect(list.entries[1].coordinate == Coordinate(latitude: 14.473, longitude: -90.88))
        #expect(list.entries[1].text == nil, "a weekly report is no description")
        #expect(words(list) == ["missing_coordinate 1 (line 28)", "not_a_volcano 1 (line 32)"])
    }

    @Test(
        "What is no volcano list is refused by what it is",
        arguments: [
            ("", "it is empty"), (" \r\n ", "it is empty"), ("{\"a\": [1, 2]}", "'{\"a\": [1, 2]}'"),
            ("Country,City,AccentCity,Region,Population,Latitude,Longitude\nfr,paris,Paris,A8,,4,2\n", "'Country,City"),
            ("3039154\tEl Tarter\tEl Tarter\tEhl Tarter\t42.57952\t1.65362\tP\tPPL\tAD\n", "El Tarter"),
            ("Volcano Name;Country\nEtna;Italy\n", "'Volcano Name;Country'"),
            ("<html><body>Not found</body></html>", "no volcano list"), ("<rss><channel/></rss>", "<rss>"),
            ("<kml><Placemark><name>Bar</name></Placemark></kml>", "KML document that does not lead"),
            ("<Workbook><Row><Cell><Data>1</Data></Cell></Row></Workbook>", "spreadsheet without the columns"),
            ("\0\u{1}\u{2}binary", "binary data that begins with 00 01"), ("name,\"1,2\"", "'name,"),
        ] as [(String, String)]) func unknown(text: String, found: String) throws
    {
        let error = #expect(throws: GazetteerError.self) { try VolcanoList(Data(text.utf8)) }
        #expect(error?.code == .unknownFormat)
        #expect(error?.message.contains(found) == true, "\(error?.message ?? "")")
    }

    @Test("Old and new Excel workbooks get the advice to save them as CSV")
    func workbooks() throws {
        let old = Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 512))
        let error = #expect(throws: GazetteerError.self) { try VolcanoList(old) }
        #expect(error?.message.contains("save it as CSV") == true)
    }

    @Test("A document that is cut short is refused as a whole")
    func truncated() throws {
        for name in ["spreadsheet.xml", "placemarks.kml", "placemarks.kmz"] {
            let data = try Fixtures.data("volcanoes/" + name)
            let error = #expect(throws: GazetteerError.self, "\(name)") { try VolcanoList(data.dropLast(40)) }
            #expect(error?.code == .unreadableInput, "\(name)")
        }
    }

    @Test("A row that says nothing usable leaves a list without volcanoes")
    func nothingUsable() throws {
        let list = try VolcanoList(Data("Volcano Name,Latitude,Longitude\n???,1,2\n".utf8))
        #expect(list.entries.isEmpty)
        #expect(words(list) == ["missing_name 1 (line 2)"])
    }

    @Test(
        arguments: [
            ("1944 CE", 1944), ("8300 BCE", -8300), ("-6850", -6850), ("2014", 2014), ("Unknown", nil), ("", nil),
            ("1944 AD", nil), ("12 13 CE", nil),
        ] as [(String, Int?)]) func years(text: String, year: Int?)
    {
        #expect(VolcanoDraft.year(text) == year)
    }

    @Test("Details are one JSON object without what is missing")
    func details() throws {
        var entry = VolcanoEntry(
            line: 1, number: 211060, name: "Etna",
            coordinate: try #require(Coordinate(latitude: 37.748, longitude: 14.993)))
        #expect(entry.point.details == "{}")
        entry.details.type = "Stratovolcano \"es\""
        entry.details.elevation = 3357
        entry.details.lastEruptionYear = -100
        let json = #"{"type":"Stratovolcano \"es\"","elevation_m":3357,"last_eruption_year":-100}"#
        #expect(entry.point.details == json)
    }
}
