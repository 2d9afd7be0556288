import Foundation
import Testing

@testable import Reading

@Suite struct XMLReaderTests {
    /// The parts of an item that a test needs, kept beyond the call.
    struct Item: Equatable {
        var title: String?
        var line: Int
    }

    private func read(
        _ xml: String, named names: Set<String> = ["item"], limits: XMLLimits = XMLLimits()
    ) throws -> (items: [Item], document: XMLDocument) {
        var items: [Item] = []
        let document = try XMLReader.read(Data(xml.utf8), itemNames: names, limits: limits) { node in
            items.append(Item(title: node.child("title")?.trimmed, line: node.line))
        }
        return (items, document)
    }

    private func code(_ xml: String, limits: XMLLimits = XMLLimits()) -> String? {
        do throws(ReadingError) {
            _ = try XMLReader.read(Data(xml.utf8), limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: Items and the rest

    @Test func itemsComeOneByOneAndTheRestIsASkeleton() throws {
        let (items, document) = try read(
            """
            <rss version="2.0"><channel><title>Feed</title>
            <item><title> A </title></item>
            <item><title>B</title></item>
            <ttl>60</ttl></channel></rss>
            """)
        #expect(items == [Item(title: "A", line: 2), Item(title: "B", line: 3)])
        #expect(document.root.name == "rss")
        #expect(document.root.attribute("version") == "2.0")
        let channel = try #require(document.root.child("channel"))
        #expect(channel.children.map(\.name) == ["title", "ttl"])
        #expect(channel.text == "Feed\n60")
        #expect(document.problems.isEmpty)
        #expect(!document.isTruncated)
        #expect(document.encoding == "utf-8")
    }

    @Test func anItemInsideAnItemBelongsToTheOuterOne() throws {
        var inner: [Int] = []
        _ = try XMLReader.read(
            Data("<r><item><title>A</title><item><title>B</title></item></item><item/></r>".utf8), itemNames: ["item"]
        ) { node in inner.append(node.children("item").count) }
        #expect(inner == [1, 0])
    }

    @Test func foldersStayInTheSkeleton() throws {
        let (items, document) = try read(
            """
            <kml><Document><Folder><name>F</name><Placemark><title>P</title></Placemark></Folder>
            <Placemark><title>Q</title></Placemark></Document></kml>
            """, named: ["Placemark"])
        #expect(items.map(\.title) == ["P", "Q"])
        #expect(document.root.descendants("name").map(\.text) == ["F"])
        #expect(document.root.descendants("Placemark").isEmpty)
    }

    @Test func aRootThatIsAnItemLeavesACopyWithItsAttributes() throws {
        var found: [String] = []
        let document = try XMLReader.read(Data("<alert a='1'><x>y</x></alert>".utf8), itemNames: ["alert"]) { node in
            found.append(node.text)
        }
        #expect(found == ["y"])
        #expect(document.root.name == "alert")
        #expect(document.root.attribute("a") == "1")
        #expect(document.root.text == "")
        #expect(!document.isTruncated)
    }

    @Test func nodesAnswerByNameAndNamespace() throws {
        let root = try XMLReader.read(
            Data(
                """
                <a xmlns="urn:one" xmlns:t="urn:two" xml:lang="de" plain="1" t:plain="2">\
                <b>x</b><t:b>y</t:b><c><b>z</b></c></a>
                """.utf8)
        ).root
        #expect(root.namespace == "urn:one")
        #expect(root.child("b")?.text == "x")
        #expect(root.child("b", in: "urn:two")?.text == "y")
        #expect(root.child("b", in: "urn:three") == nil)
        #expect(root.children("b").count == 2)
        #expect(root.children("b", in: "urn:one").count == 1)
        #expect(root.descendants("b").map(\.text) == ["x", "y", "z"])
        #expect(root.attribute("plain") == "1")
        #expect(root.attribute("plain", namespace: "urn:two") == "2")
        #expect(root.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace") == "de")
        #expect(root.attribute("lang") == nil)
        #expect(root.text == "xyz")
    }

    @Test func anUndeclaredPrefixStaysInTheName() throws {
        let document = try XMLReader.read(Data("<r><georss:point x:y='1'>1 2</georss:point></r>".utf8))
        let point = try #require(document.root.child("georss:point"))
        #expect(point.namespace == "")
        #expect(point.text == "1 2")
        #expect(point.attribute("x:y") == "1")
        #expect(!document.problems.isEmpty)
    }

    @Test func anUndeclaredPrefixDoesNotHideItems() throws {
        let (items, document) = try read(
            """
            <x:rss><x:title>T</x:title><y:title>U</y:title>
            <x:item><x:title>A</x:title></x:item></x:rss>
            """)
        #expect(items.map(\.title) == ["A"])
        #expect(document.root.child("title")?.text == "T")
        #expect(document.root.children("title").count == 1)
        #expect(document.root.descendants("title").count == 1)
        let (others, _) = try read("<r xmlns:z='urn:z'><z:item><title>B</title></z:item></r>")
        #expect(others.map(\.title) == ["B"])
    }

    @Test func textOfHTMLIsWrittenAsItIs() throws {
        let root = try XMLReader.read(Data("<c>1 &lt; 2<img src=x><b>y</b></c>".utf8)).root
        #expect(root.html == "1 < 2<img src=x><b>y</b>")
        #expect(root.markup == "1 &lt; 2&lt;img src=x&gt;<b>y</b>")
    }

    @Test func elementsThatAreNotInlineAreSpaced() throws {
        let text = "<c>a<x>1</x><wind_speed>2<b>3</b></wind_speed><BR/>4<i f='5'/></c>"
        let root = try XMLReader.read(Data(text.utf8)).root
        #expect(root.spacedHTML == #"a <x>1</x>  2<b>3</b>  <BR/> 4<i f="5"/>"#)
    }

    @Test func markupIsWrittenAgain() throws {
        let document = try XMLReader.read(
            Data(
                """
                <c>t<h:div xmlns:h="urn:h">a &lt; b<br/><b c='d"&amp;e'>x</b>y</h:div></c>
                """.utf8))
        #expect(document.root.markup == #"t<div>a &lt; b<br/><b c="d&quot;&amp;e">x</b>y</div>"#)
    }

    @Test func textBlankOnlyIsNothingWhenTrimmed() throws {
        let root = try XMLReader.read(Data("<r><a> \n\t</a><b/><c> x y </c></r>".utf8)).root
        #expect(root.child("a")?.trimmed == nil)
        #expect(root.child("b")?.trimmed == nil)
        #expect(root.child("c")?.trimmed == "x y")
        #expect(root.child("c")?.text == " x y ")
    }

    // MARK: Text

    @Test(
        arguments: [
            ("caf&eacute; &rsquo; &hellip;", "café ’ …"),
            ("&#146; &#x92; &#8217; &#X2019;", "’ ’ ’ ’"),
            ("AT&T & Co &bogus; &amp;amp; &lt;b&gt;", "AT&T & Co &bogus; &amp; <b>"),
            ("a&#0;b&#xFFFE;c&#x110000;d&#xD800;e", "abcde"),
            ("1 < 2 <3 </ >", "1 < 2 <3 </ >"),
            ("<![CDATA[<b>&amp;]] > </r>]]>]]>", "<b>&amp;]] > </r>]]>"),
            ("a<!-- <b> & -- -->b<?pi < & ?>c", "abc"),
            ("see <a href=x>y</a>", "see <a href=x>y"),
            ("<a b='1'c='2'>x", "<a b='1'c='2'>x"),
            ("a\r\nb&#13;", "a\nb\r"),
            ("a\u{1}b\u{B}c\u{FFFE}d\u{FFFF}e\u{FF21}", "abcde\u{FF21}"),
        ] as [(String, String)]) func textIsKeptAndMended(markup: String, text: String) throws
    {
        let document = try XMLReader.read(Data("<r>\(markup)</r>".utf8))
        #expect(document.root.text == text)
        #expect(!document.isTruncated)
    }

    @Test func attributesAreDecodedToo() throws {
        let root = try XMLReader.read(
            Data("<r a='x&nbsp;y&copy;' b='?p=1&q=2&amp;r=3' c='&lt;&#39;' d='1>0' a='again'/>".utf8)
        ).root
        #expect(root.attribute("a") == "x\u{A0}y©")
        #expect(root.attribute("b") == "?p=1&q=2&r=3")
        #expect(root.attribute("c") == "<'")
        #expect(root.attribute("d") == "1>0")
    }

    @Test func linesAreCountedThroughWhatIsSkipped() throws {
        let (items, document) = try read(
            "\n\n<?xml version=\"1.0\"?>\n<!DOCTYPE rss [\n<!ENTITY a \"]>\">\n]>\n<rss>\n<item/>\n</b>\n</rss>")
        #expect(items.map(\.line) == [8])
        #expect(document.problems.map(\.line) == [5, 9])
    }

    // MARK: Broken documents

    @Test func tagsThatDoNotMatchCostNothing() throws {
        let (items, document) = try read(
            """
            <rss><channel><item><title>A</b></title><d><p>x<p>y</d></item></div>
            <item><title>B</item><item><title>C</title ></item></channel></rss>
            """)
        #expect(items.map(\.title) == ["A", "B", "C"])
        #expect(document.problems.count == 4)
        #expect(!document.isTruncated)
    }

    @Test func whatFollowsTheRootIsIgnored() throws {
        let document = try XMLReader.read(Data("<r><a/></r><junk> & </x>".utf8))
        #expect(document.root.children.map(\.name) == ["a"])
        #expect(!document.isTruncated)
    }

    @Test func aDocumentCutAnywhereGivesItsWholeItems() throws {
        let text = """
            <?xml version="1.0" encoding='utf-8'?>
            <!DOCTYPE rss [<!ENTITY a "b">]>
            <rss><channel><title>T</title><item id="1"><title>A &amp; é</title><d><![CDATA[x]]></d></item>
            <!-- c --><item id="2"><title>C</title><?p q?><e f='g'/></item></channel></rss>
            """
        let whole = Data(text.utf8)
        for length in 0...whole.count {
            let data = whole.prefix(length)
            var titles: [String] = []
            do throws(ReadingError) {
                let document = try XMLReader.read(data, itemNames: ["item"]) { node in
                    titles.append((node.child("title")?.text ?? "") + "\(node.children.map(\.name).count)")
                }
                #expect(document.isTruncated == (length < whole.count))
            } catch {
                #expect(["empty", "not_xml"].contains(error.code))
            }
            let pieces = String(decoding: data, as: UTF8.self)
                .split(separator: "</item>", omittingEmptySubsequences: false)
            #expect(titles == Array(["A & é2", "C2"].prefix(pieces.count - 1)), "cut at \(length)")
        }
    }

    @Test func anItemThatDoesNotEndIsAProblem() throws {
        let (items, document) = try read("<r><item><title>A</title></item>\n<item><title>B</title>")
        #expect(items.map(\.title) == ["A"])
        #expect(document.isTruncated)
        #expect(document.lostItems.map(\.code) == ["truncated_item"])
    }

    @Test(
        arguments: [
            ("", "empty"), (" \n\t ", "empty"), ("\u{FEFF}", "empty"), ("{\"a\": 1}", "not_xml"),
            ("no feed", "not_xml"),
            ("<!DOCTYPE html><html></html>", "html_page"), ("  <HTML><body>", "html_page"),
            ("<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "html_page"),
            ("<?xml version='1.0'?>", "not_xml"), ("<?xml version='1.0'", "not_xml"), ("<!-- only -->", "not_xml"),
            ("<!DOCTYPE rss [", "not_xml"), ("<rss", "not_xml"), ("<rss version=2>", "not_xml"), ("< rss/>", "not_xml"),
            ("</rss>", "not_xml"),
        ] as [(String, String)]) func whatIsNoXMLIsRefused(text: String, expected: String)
    {
        #expect(code(text) == expected)
    }

    // MARK: Hostile documents

    @Test func entityDeclarationsAreNotFollowed() throws {
        var subset = "<!ENTITY l0 \"lol\">"
        for level in 1..<10 {
            subset += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        subset += "<!ENTITY % p SYSTEM 'http://127.0.0.1:9/x'> %p; <!ENTITY file SYSTEM 'file:///etc/passwd'>"
        let document = try XMLReader.read(Data("<!DOCTYPE r [\(subset)]><r>&l9;&file;</r>".utf8))
        #expect(document.root.text == "&l9;&file;")
        #expect(document.problems.contains { $0.message.contains("entity declarations") })
    }

    @Test func depthIsLimited() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(code(nested(256)) == nil)
        #expect(code(nested(257)) == "too_deep")
        #expect(code(String(repeating: "<a>", count: 3_000_000)) == "too_deep")
    }

    @Test func openBracketsEndInAClearError() {
        var limits = XMLLimits()
        limits.skeletonBytes = 1 << 16
        #expect(code(String(repeating: "<", count: 10_000_000)) == "not_xml")
        #expect(code("<r>" + String(repeating: "<", count: 10_000_000), limits: limits) == "too_large")
    }

    @Test func floodsOfNamesAttributesAndNamespacesAreRefused() {
        let attributes = (0...1000).map { "a\($0)='' " }.joined()
        #expect(code("<r \(attributes)/>") == "too_large")
        let namespaces = (0...256).map { "xmlns:a\($0)='u' " }.joined()
        #expect(code("<r \(namespaces)/>") == "too_large")
        let names = (0...20_000).map { "<a\($0)/>" }.joined()
        #expect(code("<r>\(names)</r>") == "too_large")
    }

    @Test func anItemTooLargeIsLeftOutAlone() throws {
        var limits = XMLLimits()
        limits.itemBytes = 1000
        let long = String(repeating: "x", count: 1001)
        let (items, document) = try read(
            """
            <r><item><title>A</title></item>
            <item><title>B</title><d>\(long)</d></item><item><title>C</title></item></r>
            """, limits: limits)
        #expect(items.map(\.title) == ["A", "C"])
        #expect(document.problems.isEmpty)
        #expect(document.lostItems.map(\.line) == [2])
        #expect(document.lostItems.map(\.code) == ["too_large"])
        limits.skeletonBytes = 1000
        #expect(code("<r>\(long)</r>", limits: limits) == "too_large")
        let many = String(repeating: "<a/>", count: 100)
        #expect(code("<r>\(many)</r>", limits: limits) == "too_large")
    }

    @Test func aFloodOfItemsIsRefused() {
        var limits = XMLLimits()
        limits.items = 100
        func refusal(_ count: Int) -> String? {
            do throws(ReadingError) {
                let items = String(repeating: "<item/>", count: count)
                _ = try XMLReader.read(Data("<r>\(items)</r>".utf8), itemNames: ["item"], limits: limits) { _ in }
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal(100) == nil)
        #expect(refusal(101) == "too_large")
    }

    @Test func lostItemsAreAllNamedWhateverTheMarkup() throws {
        var limits = XMLLimits()
        limits.itemBytes = 1000
        let faults = String(repeating: "&", count: 200)
        let lost = String(repeating: "<item>" + String(repeating: "x", count: 1001) + "</item>", count: 150)
        let (items, document) = try read("<r><item>\(faults)</item>\(lost)</r>", limits: limits)
        #expect(items.count == 1)
        #expect(document.problems.count == 100)
        #expect(document.lostItems.count == 150)
    }

    @Test func longTextsAreFine() throws {
        var limits = XMLLimits()
        limits.itemBytes = 16 << 20
        let base64 = String(repeating: "QUJD", count: 3_000_000)
        var count = 0
        _ = try XMLReader.read(
            Data("<r><item><![CDATA[\(base64)]]></item></r>".utf8), itemNames: ["item"], limits: limits
        ) { count = $0.text.utf8.count }
        #expect(count == 12_000_000)
    }
}
