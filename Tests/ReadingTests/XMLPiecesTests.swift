import Foundation
import TestSupport
import Testing

@testable import Reading

/// The result of a document does not depend on its pieces; some input never reaches libxml2.
@Suite struct XMLPiecesTests {
    private static let cuts = [1, 7, 4096]

    // MARK: Pieces

    @Test(arguments: ["cap", "kml", "rss", "sitemap", "gvp", "fuzz/findings/rss", "fuzz/findings/kml"])
    func fixturesAreTheSameInPieces(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path).sorted()
        for name in names where name.hasSuffix(".xml") || name.hasSuffix(".kml") {
            let data = try Fixtures.data("\(folder)/\(name)")
            let whole = XMLOutcome.of(data, itemNames: ["item", "entry", "url", "Placemark", "info"])
            for cut in Self.cuts {
                let pieces = XMLOutcome.of(
                    data, itemNames: ["item", "entry", "url", "Placemark", "info"], cut: cut)
                #expect(pieces == whole, "\(folder)/\(name) in pieces of \(cut)")
            }
        }
    }

    @Test(
        arguments: [
            "<r>\r\n<item a='1\r\n2'>x\r\ny\rz</item><![CDATA[a\r\nb\r]]><![CDATA[\nc]]></r>",
            "<r><item>é — 日本 \u{1F30B} &nbsp;&#146;&hellip;</item><item><![CDATA[é]]]]>日</item></r>",
            "<r xmlns:p='urn:a'><p:item p:b='1'/><q:item/><!-- a - b --><?p x?><item>a]]&gt;b</item></r>",
            "<r><item>a &amp; b</item><item>AT&T</item><item>]]></item><item>c", "<r><item/>a &am", "<r><item/>a &; b",
            "<r><item/><![CDATA[ab", "<r><item/><!-- c --", "<r><item/><b c='d", "<r><item></r><item/>", "<a:b:1/>",
        ]) func oddDocumentsAreTheSameInPieces(xml: String)
    {
        let whole = XMLOutcome.of(xml)
        for cut in Self.cuts + [2, 3] { #expect(XMLOutcome.of(xml, cut: cut) == whole, "in pieces of \(cut)") }
    }

    @Test func longTextsAndSectionsAreTheSameInPieces() {
        // Longer than the pieces for libxml2, with sequences that must not be split.
        let units = ["é", "日本", "\r\n", "]", "]]", "-x", "?", "> ", "x\r"]
        for unit in units {
            let many = String(repeating: unit, count: 70_000)
            let items = [many, "<![CDATA[\(many)]]>", "<!--\(many)-->", "<?p \(many)?>", "<a b='\(many)'/>"]
            let xml = "<r>" + items.map { "<item>\($0)\n<z/></item>" }.joined() + "</r>"
            let whole = XMLOutcome.of(xml)
            #expect(whole.items.count == 5)
            #expect(whole.problems.isEmpty)
            #expect(whole == XMLOutcome.of(xml, cut: 1000), "\(unit)")
        }
    }

    @Test func aLongSectionIsWholeInTheText() throws {
        let long = String(repeating: "日]]x\r\n", count: 60_000)
        let meant = String(repeating: "日]]x\n", count: 60_000)
        var text = ""
        _ = try XMLReader.read(Data("<r><item><![CDATA[\(long)]]></item></r>".utf8), itemNames: ["item"]) {
            text = $0.text
        }
        #expect(text == meant)
    }

    // MARK: The end

    @Test func aDocumentThatEndsEarlyIsNotMended() {
        let start = "<r>\n<item>A</item>\n<t>x"
        let ends = [
            "", "<", "<!", "<!-", "<!--", "<!-- a > b", "<![CDATA[", "<![CDATA[a]]", "<?", "<?p", "</", "</t", "<b",
            "<b ",
            "<b c", "<b c=", "<b c='", "<b c='>'", "<b c='d' e",
        ]
        for end in ends {
            let outcome = XMLOutcome.of(start + end)
            #expect(outcome.items.count == 1)
            #expect(outcome.isTruncated)
            #expect(outcome.lostItems.isEmpty)
            #expect(outcome.problems.last?.message == "the document ends within <t>, which begins in line 3", "\(end)")
            #expect(outcome.root == XMLOutcome.of(start).root, "\(end)")
        }
    }

    @Test func whatFollowsTheRootIsNotLookedAt() {
        let attributes = (0..<2000).map { "a\($0)='' " }.joined()
        let junk = "<junk \(attributes)/>"
        for rest in ["", "\n", "x", "<", "&", junk, "</r>", "<r/>", "\u{1}", "<!-- -- -->", "<![CDATA["] {
            let outcome = XMLOutcome.of("<r><item/></r>" + rest)
            #expect(outcome.items.count == 1)
            #expect(!outcome.isTruncated)
            #expect(outcome.problems.isEmpty, "\(rest.prefix(20))")
        }
    }

    // MARK: What libxml2 is kept from

    @Test func attributesAreCountedBeforeTheyAreCompared() {
        // libxml2 would take 38 s to compare 400 000 attributes.
        let attributes = (0..<400_000).map { "a\($0)='' " }.joined()
        for end in ["/></r>", ""] {
            let clock = ContinuousClock()
            var outcome = XMLOutcome()
            let time = clock.measure { outcome = XMLOutcome.of("<r><item/><b \(attributes)" + end) }
            #expect(outcome.code == "too_large")
            #expect(outcome.message == "an element has more than 1000 attributes")
            #expect(outcome.items.count == 1)
            #expect(time < .seconds(5))
        }
        let allowed = (0..<1000).map { "a\($0)='' " }.joined()
        #expect(XMLOutcome.of("<r><b \(allowed)/></r>").code == nil)
    }

    @Test func tagsAndNamesAreBounded() {
        var limits = XMLLimits()
        limits.itemBytes = 10_000
        limits.skeletonBytes = 10_000
        let long = String(repeating: "x", count: 20_001)
        for tag in ["<b c='\(long)'/>", "<\(long)/>", "<b c='\(long)'>&</b>"] {
            #expect(XMLOutcome.of("<r>\(tag)</r>", limits: limits).code == "too_large")
            #expect(XMLOutcome.of("<r>&\(tag)</r>", limits: limits).code == "too_large")
        }
        // The item exceeds its own limit but not that of a tag: only the item is lost.
        let item = XMLOutcome.of(
            "<r><item b='\(long.prefix(15_000))'/><item/></r>", limits: limits)
        #expect(item.lostItems.map(\.code) == ["too_large"])
        #expect(item.items.count == 1)
        let prefixes = (0..<200_000).map { "<b xmlns:prefix\($0)='u'/>" }.joined()
        #expect(XMLOutcome.of("<r><item>\(prefixes)</item></r>").code == "too_large")
    }

    @Test func aReferenceWithoutEndIsNotWaitedFor() {
        let long = String(repeating: "x ", count: 500_000)
        for fault in ["&", "AT&T", "<b c='", "</", "< "] {
            let outcome = XMLOutcome.of("<r><item>A</item><item>\(fault)\(long)</item><item>C</item></r>")
            #expect(outcome.items.count == 3, "\(fault)")
            #expect(!outcome.isTruncated)
        }
    }

    @Test func noDocumentTypeReachesLibxml2() {
        // It declares an entity, an attribute with a default, and one whose values are words.
        let subset =
            "<!ENTITY e '<b>x</b>'><!ATTLIST item a CDATA 'given' b NMTOKENS #IMPLIED xmlns CDATA 'urn:given'>"
        let outcome = XMLOutcome.of("<!DOCTYPE r [\(subset)]><r><item b=' x  y '>&e;</item></r>")
        #expect(outcome.items == ["<|item|1|1 |b= x  y >&e;</>"])
        #expect(outcome.problems.map(\.message).contains("entity declarations are not followed"))
    }
}
