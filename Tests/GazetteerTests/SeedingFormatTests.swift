import Foundation
import Gazetteer
import Reading
import TestSupport
import Testing

/// Unknown formats are refused before anything is written.
@Suite struct SeedingFormatTests {
    private let folder = SeedFolder()

    private func refusal(_ files: [URL]) -> GazetteerError? {
        do {
            try folder.seed(files)
            return nil
        } catch {
            return error as? GazetteerError
        }
    }

    private func refusal(_ text: String) throws -> String? {
        let url = try folder.write("input", Data(text.utf8))
        defer { try? FileManager.default.removeItem(at: url) }
        let error = try #require(refusal([url]))
        #expect(error.code == .unknownFormat)
        return error.message
    }

    @Test(
        "formats are known by their content",
        arguments: [
            ("worldcities-odd-rows.txt", InputFormat.worldCities), ("worldcities-utf8.txt", .worldCities),
            ("geonames-odd-rows.txt", .geoNamesCities), ("admin1.txt", .admin1), ("admin2.txt", .admin2),
            ("countryInfo.txt", .countryInfo),
        ])
    func known(name: String, format: InputFormat) throws {
        #expect(InputFormat(sample: Array(try Fixtures.data("cities/\(name)"))) == format)
    }

    @Test("what is unknown is described, and nothing is written")
    func unknown() throws {
        let cases = [
            ("", "an empty file"), (" \n\n", "a file of white space"),
            ("{\"a\": 1}", "a JSON document that begins \"{"),
            ("<?xml version=\"1.0\"?><kml/>", "an XML document that begins"),
            ("SQLite format 3\0", "an SQLite database"),
            ("a\tb\tc\n", "a table of 3 columns (between tabs) that begins \"a b c\""), ("BZh9", "packed with bzip2"),
            ("just words\n", "a text that begins \"just words\""), ("a\0b", "binary data"),
        ]
        for (text, words) in cases {
            let message = try #require(try refusal(text))
            #expect(message.contains(words), "\(message)")
            #expect(message.contains("worldcitiespop"), "\(message)")
        }
        #expect(try folder.files.isEmpty)
    }

    @Test("documents that are often taken for a table are named")
    func named() throws {
        let page = try #require(refusal([Fixtures.url("cities/html-page.txt")]))
        #expect(page.message.contains("an HTML page titled \"404 \u{FFFD}[31mNot Found\""), "\(page)")
        let blocks = try #require(refusal([Fixtures.url("cities/geolite-location.csv")]))
        #expect(blocks.message.contains("GeoLiteCity"), "\(blocks)")
        let other = try #require(refusal([Fixtures.url("cities/other-columns.csv")]))
        #expect(other.message.contains("4 columns (between commas)"), "\(other)")
    }

    @Test("one unknown input among several: nothing is written")
    func oneOfSeveral() throws {
        try folder.seed("worldcities-utf8.txt")
        let generation = try folder.table().generation
        let error = refusal([Fixtures.url("cities/geonames-odd-rows.txt"), Fixtures.url("cities/html-page.txt")])
        #expect(error?.code == .unknownFormat)
        #expect(try folder.table().generation == generation)
        #expect(try folder.files == ["cities.sqlite"])
    }

    @Test("an input without a row that can be used replaces nothing")
    func nothingUsable() throws {
        try folder.seed("worldcities-utf8.txt")
        let url = try folder.write(
            "empty.txt", Data("Country,City,AccentCity,Region,Population,Latitude,Longitude\nde,x,X,01,,91,8\n".utf8))
        let error = try #require(refusal([url]))
        #expect(error.code == .unreadableInput)
        #expect(error.message.contains("out_of_range 1"))
        #expect(try folder.files == ["cities.sqlite", "empty.txt"])
        #expect(try folder.table().cityCount == 2)
    }

    @Test("the first lines may be broken or comments")
    func brokenBeginning() throws {
        let rows = String(decoding: try Fixtures.data("cities/geonames-odd-rows.txt"), as: UTF8.self)
        #expect(InputFormat(sample: Array(("# made by hand\nbroken\t\trow\n" + rows).utf8)) == .geoNamesCities)
    }

    @Test(
        "captures are known, or refused by name",
        .enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func captures() throws {
        let kept = [
            ("worldcitiespop_sample20000_utf8.csv", InputFormat.worldCities, 20_000),
            ("worldcitiespop_head100_latin1.txt", .worldCities, 99),
            ("geonames_cities15000.txt", .geoNamesCities, 23_351), ("geonames_admin1CodesASCII.txt", .admin1, 3_967),
            ("geonames_admin2Codes.txt", .admin2, 45_154), ("geonames_countryInfo.txt", .countryInfo, 250),
        ]
        for (name, format, count) in kept {
            let report = try folder.seed([Captures.url("cities/\(name)")])
            #expect(report.inputs.first?.format == format)
            #expect(report.inputs.first?.kept == count, "\(name): \(report.inputs)")
            #expect(report.inputs.first?.refused.isEmpty == true, "\(name): \(report.inputs)")
        }
        for name in ["GeoLiteCity-Location_2012_latin1.csv", "citipy_worldcities.csv", "PROVENANCE.md"] {
            #expect(refusal([Captures.url("cities/\(name)")])?.code == .unknownFormat, "\(name)")
        }
    }
}
