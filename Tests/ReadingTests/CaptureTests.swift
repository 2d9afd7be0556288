import Foundation
import TestSupport
import Testing

@testable import Reading

@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout")) struct CaptureTests {
    @Test func weeklyCAPDeclaresLatin1AndHoldsWindows1252() throws {
        var texts: [String] = []
        let data = try Captures.data("gvp/2014-07-02_WeeklyVolcanoCAP.xml")
        let document = try XMLReader.read(data, itemNames: ["info"]) { texts.append($0.text) }
        #expect(texts.count == 18)
        #expect(texts.contains { $0.contains("Kusatsu-Shiranesan’s crater") })
        #expect(document.encoding == "windows-1252")
        #expect(document.root.namespace == "urn:oasis:names:tc:emergency:cap:1.1")
        #expect(!document.isTruncated)
    }

    @Test func weeklyKMLDeclaresUTF8AndHoldsLatin1() throws {
        let data = try Captures.data("kml/2015-11-04_WeeklyVolcanoGE-Reports_first2.kml")
        var texts: [String] = []
        let document = try XMLReader.read(data, itemNames: ["Placemark"]) { texts.append($0.text) }
        #expect(texts.contains { $0.contains("Santa Sofía (12 km S") })
        #expect(document.encoding == "utf-8")
        #expect(document.problems.contains { $0.message.contains("windows-1252") })
    }

    @Test(
        arguments: [
            ("rss/nodefeedparser_illegally-nested.xml", 10, false), ("rss/feedjira_InvalidDateFormat.xml", 2, true),
            ("rss/nodefeedparser_invalid-characters.xml", 25, false), ("rss/gdacs_24h.xml", 21, false),
            ("rss/orf_rss10_2017-01.xml", 50, false), ("rss/intranet30_iso-8859-1_2018-08.xml", 30, false),
            ("rss/rome_usgs_all_hour_atom_2018-11-19.xml", 6, false), ("rss/theverge_atom_2017.xml", 10, false),
        ] as [(String, Int, Bool)]) func itemsOfRealFeedsAreFound(path: String, count: Int, isTruncated: Bool) throws
    {
        var found = 0
        let document = try XMLReader.read(try Captures.data(path), itemNames: ["item", "entry"]) { item in
            if item.child("title")?.trimmed != nil { found += 1 }
        }
        #expect(found == count)
        #expect(document.isTruncated == isTruncated)
    }

    @Test func aRealKMZIsUnpacked() throws {
        let members = try ArchiveReader.members(try Captures.data("kml/small_world.kmz"), limit: 1 << 20)
        let document = try #require(members.first { $0.name == "doc.kml" })
        #expect(try XMLReader.read(document.data).root.name == "kml")
    }
}
