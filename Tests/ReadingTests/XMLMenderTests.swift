import Foundation
import TestSupport
import Testing

@testable import Reading

/// How XML that libxml2 refuses is mended, and what its own recovery would lose.
@Suite struct XMLMenderTests {
    private func mended(_ xml: String) -> String {
        Data(xml.utf8).withUnsafeBytes { raw in
            var mender = XMLMender(XMLInput(raw.assumingMemoryBound(to: UInt8.self)), from: 0, maximumTagBytes: 1 << 20)
            var out: [UInt8] = []
            while mender.mend() { out += mender.output }
            return String(decoding: out, as: UTF8.self)
        }
    }

    private func titles(_ xml: String) throws -> [String?] {
        var titles: [String?] = []
        _ = try XMLReader.read(Data(xml.utf8), itemNames: ["item"]) { titles.append($0.child("title")?.text) }
        return titles
    }

    // MARK: What libxml2's recovery loses

    @Test func aMissingEndTagCostsNoLaterItem() throws {
        let items = (0..<50).map { "<item><title>\($0)\($0 == 3 ? "" : "</title>")</item>" }.joined()
        #expect(try titles("<rss><channel>\(items)</channel></rss>") == (0..<50).map { "\($0)" })
    }

    @Test func ampersandsStayInTexts() throws {
        #expect(try titles("<r><item><title>AT&T R & B</title></item></r>") == ["AT&T R & B"])
        #expect(try titles("<r><item><title>?a=1&b=2</title></item></r>") == ["?a=1&b=2"])
        #expect(try titles("<r><item><title>a &bogus; b &nbsp c</title></item></r>") == ["a &bogus; b &nbsp c"])
    }

    @Test func ampersandsStayInValues() throws {
        var links: [String?] = []
        let xml = "<r><item href='http://a/?a=1&b=2&amp;c=3&copy;'/><item href='x &nbsp; y'/></r>"
        _ = try XMLReader.read(Data(xml.utf8), itemNames: ["item"]) { links.append($0.attribute("href")) }
        #expect(links == ["http://a/?a=1&b=2&c=3©", "x \u{A0} y"])
    }

    @Test func surrogatePairsAreOneCharacter() throws {
        #expect(try titles("<r><item><title>quake &#55357;&#56832; felt</title></item></r>") == ["quake 😀 felt"])
        #expect(try titles("<r><item><title>&#xD83C;&#xdf0b;&#x1F30B;</title></item></r>") == ["🌋🌋"])
        #expect(try titles("<r><item><title>a&#56832;&#55357;b</title></item></r>") == ["ab"])
        let document = try XMLReader.read(Data("<r a='&#55357;&#56832;'>&#55357;&#56832;</r>".utf8))
        #expect(document.root.attribute("a") == "😀")
        #expect(document.problems.isEmpty)
    }

    // MARK: Both passes

    @Test(
        arguments: [
            "&", "<", "</b>", "<b>", "<b c=d>", "\u{1}", "&bogus;", "]]>", "<b c='1' c='2'/>", "<!-- -- -->",
            "<?xml version='1.0'?>", "<!DOCTYPE x>", "<b c='&nbsp;'/>", "<p:q:1/>",
        ]) func eachItemIsPassedOnOnceWhereverTheFaultIs(fault: String) throws
    {
        for place in 0..<8 {
            let items = (0..<8).map { number in
                "<item>\n<title>\(number)</title>\(number == place ? fault : "")<x:y/></item>"
            }
            var found: [String] = []
            var numbers: Set<[Int]> = []
            var lines: [Int] = []
            let xml = "<r>\(items.joined(separator: "\n"))</r>"
            let document = try XMLReader.read(Data(xml.utf8), itemNames: ["item"]) { item in
                found.append(item.child("title")?.text ?? "")
                lines.append(item.line)
                let names = ["title", "x:y"].compactMap { item.descendants($0).first?.nameNumber }
                numbers.insert([item.nameNumber] + names)
            }
            #expect(found == (0..<8).map { "\($0)" }, "in item \(place)")
            #expect(lines == (0..<8).map { 2 * $0 + 1 })
            // A name has one number, whichever pass finds it.
            #expect(numbers.count == 1)
            #expect(!document.isTruncated)
            #expect(document.lostItems.isEmpty)
        }
    }

    @Test func anItemTooLargeIsLostOnceInBothPasses() {
        var limits = XMLLimits()
        limits.itemBytes = 1000
        let long = String(repeating: "x", count: 1001)
        let items = "<item>A</item>\n<item>\(long)</item>\n<item>B</item>"
        let outcome = XMLOutcome.of("<r>\(items)<item>&</item>\n<item>\(long)</item></r>", limits: limits)
        #expect(outcome.items.count == 3)
        #expect(outcome.lostItems.map(\.line) == [2, 4])
    }

    // MARK: What is written

    @Test(
        arguments: [
            ("<r>a &amp; b &#65; &eacute;&#10;</r>", "<r>a &#38; b A é&#10;</r>"),
            ("<r>a & b < c > d ]]></r>", "<r>a &amp; b &lt; c &gt; d ]]&gt;</r>"),
            ("<r><![CDATA[<b>&amp;]]></r>", "<r>&lt;b&gt;&amp;amp;</r>"),
            ("<r>a<!-- b -->c<?p d?>e</r>", "<r>ace</r>"), ("<r>a<!--\n\n-->b</r>", "<r>a<!--\n\n-->b</r>"),
            ("<r><a><b>x</a></c></r> y", "<r><a><b>x</b></a></r>"), ("<r><a\n/></r\n>", "<r><a\n/></r\n>"),
            ("<r><a></r\n b>", "<r><a></a></r\n>"), ("<r>a\r\nb\rc</r>", "<r>a\nb&#10;c</r>"),
            ("<r a = 'b'\n\tc=\"d\re\"/>", "<r a = 'b'\n\tc=\"d e\"/>"),
            ("<r a='1' b='2' a='3\n4'/>", "<r a='1' b='2' \n/>"),
            ("<r a='&quot;&#39;&lt;&#9;&#1;&nbsp;'/>", "<r a='&#34;&#39;&#60;&#9;\u{A0}'/>"),
            ("<r><a b=c>d</a></r>", "<r>&lt;a b=c&gt;d</r>"),
            ("<r><p:a:1 /><b p:a:1='x'/></r>", "<r>&lt;p:a:1 /&gt;<b /></r>"),
            ("<r>\u{0}a\u{FFFE}<b c='\u{1}d'/></r>", "<r>a<b c='d'/></r>"), ("<r><a>x<b", "<r><a>x"),
            ("<r>x<!-- y", "<r>x"), ("<r>&\u{E9};&#xD800;</r>", "<r>&amp;\u{E9};</r>"),
        ] as [(String, String)]) func textIsMended(written: String, expected: String)
    {
        #expect(mended(written) == expected)
    }

    @Test(arguments: ["cap", "kml", "rss", "sitemap", "gvp"])
    func whatIsWellFormedKeepsItsMeaning(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path).sorted()
        for name in names where name.hasSuffix(".xml") || name.hasSuffix(".kml") {
            let text = TextEncoding.utf8(try Fixtures.data("\(folder)/\(name)"), declared: nil)
            let root = text.withUnsafeBytes { raw in
                (try? XMLProlog(XMLInput(raw.assumingMemoryBound(to: UInt8.self))))?.root
            }
            guard let root else { continue }
            let body = Data(text.dropFirst(root))
            let items: Set = ["item", "entry", "url", "Placemark", "info"]
            let direct = XMLOutcome.of(body, itemNames: items)
            guard direct.code == nil else { continue }
            let again = XMLOutcome.of(Data(mended(String(decoding: body, as: UTF8.self)).utf8), itemNames: items)
            #expect(again.items == direct.items, "\(folder)/\(name)")
            #expect(again.root == direct.root, "\(folder)/\(name)")
        }
    }

    /// Fragments that may be wrong next to each other.
    private static let pieces = [
        "&", "&amp;", "&nbsp;", "&#146;", "&#0;", "&#x", "&bogus;", ";", "<", ">", "</", "</a>", "</b", "</ a>", "<a>",
        "<a", "<a b='", "<a b='c'>", "<a b='c' b='d'>", "<a b='&'/>", "<a b='&lt;<'/>", "<a b=c>", "<a b>", "<a/",
        "<a\n/>", "<p:a>", "<:a>", "<a:>", "<a::b>", "<p:a:b>", "<p:a:1>", "<a p:a:1='x'/>", "<a xmlns:p=''>",
        "<a xmlns='u' xmlns='v'>", "<1>", "<!", "<!-", "<!--", "-->", "--", "<!-- c -->", "<![CDATA[", "<![CD", "]]>",
        "]]", "<![CDATA[x]]>", "<?", "<?p", "?>", "<?p q?>", "<?xml version='1.0'?>", "<!DOCTYPE a>",
        "<!ENTITY a 'b'>", "'", "\"", "=", "\r", "\n", "\r\n", "\u{0}", "\u{1}", "\u{FFFE}", "é", "\u{301}", "<é>",
        "<\u{301}>", "x",
    ]

    @Test func whatIsMendedIsTaken() {
        for first in Self.pieces {
            for second in Self.pieces {
                for (start, end) in [("<r>", "</r>"), ("<r><item a='1'>", "</item><item/></r>")] {
                    let outcome = XMLOutcome.of(start + first + second + end)
                    #expect(outcome.message?.contains("libxml2") != true, "\(first)\(second)")
                }
            }
        }
    }
}
