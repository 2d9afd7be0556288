import Foundation
import Testing

@testable import Reading

/// The rules of XML and its namespaces, and the reader's deviations.
@Suite struct XMLMeaningTests {
    private static let xml = "http://www.w3.org/XML/1998/namespace"

    private func read(_ xml: String, limits: XMLLimits = XMLLimits()) throws -> XMLDocument {
        try XMLReader.read(Data(xml.utf8), limits: limits)
    }

    private func messages(_ xml: String) throws -> [String] { try read(xml).problems.map(\.description) }

    // MARK: Attributes

    @Test(
        arguments: [
            ("a\tb\nc  d", "a b c  d"), ("a\r\nb\rc", "a b c"), ("a&#9;b&#10;c&#13;d", "a\tb\nc\rd"),
            (" a ", " a "), ("", ""), ("a>b]]>c", "a>b]]>c"), ("&lt;&gt;&amp;&apos;&#39;&#x41;", "<>&''A"),
            ("&hellip;&Eacute;&#146;", "…É’"), ("?a=1&b=2&copy=3", "?a=1&b=2&copy=3"), ("&amp;lt;", "&lt;"),
            ("x\u{1}y\u{FFFE}z", "xyz"), ("é — 日本 \u{1F30B}", "é — 日本 \u{1F30B}"),
            ("&#0;&#xD800;&#x1F30B;", "\u{1F30B}"),
        ] as [(String, String)]) func valuesAreNormalised(written: String, meant: String) throws
    {
        let document = try read("<r a=\"\(written)\"><b a='\(written)'/></r>")
        #expect(document.root.attribute("a") == meant)
        #expect(document.root.child("b")?.attribute("a") == meant)
        #expect(!document.isTruncated)
    }

    @Test func valuesMayHoldTheOtherQuotes() throws {
        let root = try read("<r a='x \"y\"' b=\"it's\" c = 'd'\n\te\t=\r\n\"f\" />").root
        #expect(root.attribute("a") == "x \"y\"")
        #expect(root.attribute("b") == "it's")
        #expect(root.attribute("c") == "d")
        #expect(root.attribute("e") == "f")
        #expect(root.hasAttributes)
    }

    @Test func ofAnAttributeGivenTwiceTheFirstCounts() throws {
        let document = try read(
            "<r xmlns:p='urn:u' xmlns:q='urn:u'>\n<a b='1' c='2' b='3'/>\n<a p:b='1' q:b='2' b='3'/>\n<a b='4'/></r>")
        let elements = document.root.children("a")
        #expect(elements.map { $0.attribute("b") } == ["1", "3", "4"])
        #expect(elements[1].attribute("b", namespace: "urn:u") == "1")
        #expect(
            document.problems.map(\.description) == [
                "line 2: the attribute b is given twice, and the first counts",
                "line 3: the attribute q:b is given twice, and the first counts",
            ])
    }

    // MARK: Text

    @Test(
        arguments: [
            ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\r\r\n\n\rb", "a\n\n\n\nb"), ("a&#13;\nb&#xD;", "a\r\nb\r"),
            ("a<![CDATA[b\r\nc\rd&lt;]]>e", "ab\nc\nd&lt;e"), ("<![CDATA[a]]><![CDATA[b]]>c", "abc"),
            ("<![CDATA[]]>", ""), ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"), ("<![CDATA[x]]]]>", "x]]"),
            ("a]]>b]]&gt;c", "a]]>b]]>c"), ("a\tb", "a\tb"), ("&lt;p&gt;x &amp;amp; y&lt;/p&gt;", "<p>x &amp; y</p>"),
            ("a<!-- x ---><!---->b<!-- -- -->c", "abc"), ("a<?p?>b<?q x?>c<?xml version='1.0'?>d", "abcd"),
            ("&#60;&#x26;&#62;", "<&>"), ("&#38;lt;", "&lt;"), ("&#128;&#150;", "€–"), ("&AMP;&QUOT;", "&\""),
            ("&amp", "&amp"), ("&", "&"), ("&;&#;&#x;", "&;&#;&#x;"),
            ("1234567&lt;1234567&gt;12345678&amp;", "1234567<1234567>12345678&"),
            ("<![CDATA[a\u{1}]\u{2}]>]]>", "a]]>"),
        ] as [(String, String)]) func textIsDecoded(written: String, meant: String) throws
    {
        let document = try read("<r>\(written)<x/></r>")
        #expect(document.root.text == meant)
        #expect(document.root.children.map(\.name) == ["x"])
    }

    @Test func textsOfAnyLengthAreDecodedAlike() throws {
        let units = ["a", "é", "日", "\u{1F30B}", "&lt;", "\r\n", "&#8217;", "\u{FF21}"]
        let meant = ["a", "é", "日", "\u{1F30B}", "<", "\n", "’", "\u{FF21}"]
        for shift in 0..<9 {
            for unit in units.indices {
                let head = String(repeating: "x", count: shift)
                // Longer than the pieces in which text is read.
                let count = unit == 0 ? 70_000 : 9_000
                let text = try read("<r>\(head)\(String(repeating: units[unit], count: count))</r>").root.text
                #expect(text == head + String(repeating: meant[unit], count: count))
            }
        }
    }

    @Test func textAroundElementsIsJoined() throws {
        let root = try read("<r>a<b>c<d/>e</b>f<!-- g -->h<![CDATA[i]]></r>").root
        #expect(root.text == "acefhi")
        #expect(root.child("b")?.text == "ce")
        #expect(root.child("b")?.child("d")?.text == "")
    }

    // MARK: Namespaces

    @Test func declarationsHoldWithinTheirElement() throws {
        let root = try read(
            """
            <r xmlns='urn:a' xmlns:p='urn:b'><x/><p:x/>\
            <m xmlns='urn:c' xmlns:p='urn:d'><x/><p:x/><n xmlns=''><x/><p:x/></n><x/></m>\
            <x/><p:x/><p:e xmlns:p='urn:e' p:x='1'/></r>
            """
        ).root
        #expect(root.children.map(\.namespace) == ["urn:a", "urn:b", "urn:c", "urn:a", "urn:b", "urn:e"])
        let middle = try #require(root.child("m"))
        #expect(middle.children.map(\.namespace) == ["urn:c", "urn:d", "", "urn:c"])
        #expect(middle.child("n")?.children.map(\.namespace) == ["", "urn:d"])
        #expect(root.child("e")?.attribute("x", namespace: "urn:e") == "1")
        #expect(root.child("e")?.hasAttributes == true)
        #expect(!root.hasAttributes)
    }

    @Test func aDeclarationHoldsForTheWholeTag() throws {
        let root = try read("<p:r p:a='1' xmlns:p='urn:&#98;&amp;c'/>").root
        #expect(root.namespace == "urn:b&c")
        #expect(root.attribute("a", namespace: "urn:b&c") == "1")
    }

    @Test func siblingsThatDeclareForThemselvesGoBack() throws {
        let many = (0..<1000).map { "<e xmlns='urn:\($0)' xmlns:p='urn:p\($0 % 7)'><p:f/><f/></e><e/>" }.joined()
        let document = try read("<r>\(many)</r>")
        for (number, element) in document.root.children.enumerated() {
            guard number.isMultiple(of: 2) else {
                #expect(element.namespace == "")
                continue
            }
            let spaces = ["urn:p\(number / 2 % 7)", "urn:\(number / 2)"]
            #expect(element.namespace == spaces[1])
            #expect(element.children.map(\.namespace) == spaces)
        }
        #expect(document.problems.isEmpty)
    }

    @Test func theXMLPrefixNeedsNoDeclaration() throws {
        let document = try read("<r xml:base='http://a/' xmlns:xml='\(Self.xml)'><xml:x xml:lang='de'/></r>")
        #expect(document.root.attribute("base", namespace: Self.xml) == "http://a/")
        #expect(document.root.child("x", in: Self.xml)?.attribute("lang", namespace: Self.xml) == "de")
        #expect(document.problems.isEmpty)
    }

    @Test(
        arguments: [
            "xmlns:xml='urn:x'", "xmlns:x='http://www.w3.org/XML/1998/namespace'", "xmlns:xmlns='urn:x'", "xmlns:x=''",
            "xmlns='http://www.w3.org/XML/1998/namespace'", "xmlns:x='http://www.w3.org/2000/xmlns/'",
        ]) func declarationsThatAreForbiddenAreLeftOut(declaration: String) throws
    {
        let document = try read("<r \(declaration) a='1'><b xml:lang='de'/></r>")
        #expect(document.root.namespace == "")
        #expect(document.root.attribute("a") == "1")
        #expect(document.root.child("b")?.attribute("lang", namespace: Self.xml) == "de")
        #expect(document.problems.map(\.message) == ["a namespace declaration that XML forbids was left out"])
    }

    @Test func ofADeclarationGivenTwiceTheFirstCounts() throws {
        let document = try read("<p:r xmlns:p='urn:a' xmlns:p='urn:b' xmlns='urn:c' xmlns='urn:d'><x/></p:r>")
        #expect(document.root.namespace == "urn:a")
        #expect(document.root.child("x")?.namespace == "urn:c")
        #expect(document.problems.count == 2)
    }

    @Test func undeclaredPrefixesAreNamed() throws {
        #expect(
            try messages("<r>\n<a p:b='1'\nq:b='2'/><p:c/></r>") == [
                "line 3: the prefix of p:b is not declared", "line 3: the prefix of q:b is not declared",
                "line 3: the prefix of p:c is not declared",
            ])
        let root = try read("<r><a p:b='1' q:b='2' b='3'/></r>").root
        let names = ["p:b", "q:b", "b"].map { root.child("a")?.attribute($0) }
        #expect(names == ["1", "2", "3"])
    }

    @Test(
        arguments: [
            (":a", "", ":a"), ("a:", "", "a:"), ("a::b", "", "a::b"), ("a:1", "", "a:1"), ("p:b:c", "urn:p", "b:c"),
            ("p:b:", "urn:p", "b:"),
        ] as [(String, String, String)]) func colonsOutOfPlaceStayInTheName(
            written: String, namespace: String, name: String
        ) throws
    {
        let document = try read("<r xmlns:p='urn:p' xmlns:a='urn:a'><\(written)>x</\(written)></r>")
        let element = try #require(document.root.children.first { _ in true })
        #expect(element.namespace == namespace)
        #expect(element.name == name)
        #expect(element.text == "x")
        #expect(document.problems.map(\.message) == ["the name \(written) has a colon out of place"])
    }

    @Test func namesThatBeginAlikeAreDifferent() throws {
        let names = [
            "a", "abcdefgh", "abcdefghi", "abcdefgh12345678", "abcdefgh_12345678", "abcdefgh-12345678", "größe",
        ]
        let document = try read("<r>\(names.map { "<\($0) \($0)='1'/>" }.joined())</r>")
        #expect(document.root.children.map(\.name) == names)
        for child in document.root.children { #expect(child.attribute(child.name) == "1") }
        #expect(Set(document.root.children.map(\.nameNumber)).count == names.count)
    }

    // MARK: Nodes

    @Test func oneNumberStandsForOneName() throws {
        let root = try read(
            "<r xmlns='urn:a' xmlns:p='urn:a'><x/><p:x/><y/><x xmlns='urn:b'/><q:x/><z:x/><x/></r>"
        ).root
        let numbers = root.children.map(\.nameNumber)
        #expect(numbers[0] == numbers[1])
        #expect(numbers[0] == numbers[6])
        #expect(Set(numbers).count == 5)
        #expect(numbers.allSatisfy { (0..<6).contains($0) })
        #expect(root.nameNumber == 0)
    }

    @Test func textIsPassedOnAsBytes() throws {
        let root = try read("<r> é&amp;<b>x</b></r>").root
        #expect(root.withText { Array($0) } == Array(" é&x".utf8))
        #expect(root.child("b")?.withText { $0.count } == 1)
        #expect(try read("<r/>").root.withText { $0.isEmpty })
        #expect(root.containsElements)
        #expect(root.child("b")?.containsElements == false)
    }

    @Test func selfClosingItemsAreItems() throws {
        var found: [String] = []
        let document = try XMLReader.read(
            Data("<r><item a='1'/><item\n/><x><item/></x>\n<item>t</item> </r>".utf8), itemNames: ["item"]
        ) { node in found.append("\(node.line)\(node.attribute("a") ?? "")\(node.text)") }
        #expect(found == ["11", "2", "2", "3t"])
        #expect(document.root.text == "\n")
        #expect(document.root.children.map(\.name) == ["x"])
        var roots = 0
        let root = try XMLReader.read(Data("<item a='&lt;'/>".utf8), itemNames: ["item"]) { _ in roots += 1 }.root
        #expect(roots == 1)
        #expect(root.attribute("a") == "<")
    }

    @Test func aSkeletonOutlivesItsDocument() throws {
        func titles() throws -> [XMLNode] {
            try XMLReader.read(Data("<r><t>A</t><item/><t a='b'>C</t></r>".utf8), itemNames: ["item"]) { _ in }
                .root.children("t")
        }
        let nodes = try titles()
        #expect(nodes.map(\.text) == ["A", "C"])
        #expect(nodes.map { $0.attribute("a") } == [nil, "b"])
    }

    // MARK: Trouble

    @Test func aCutDocumentNamesTheElementItEndsIn() throws {
        #expect(
            try messages("<r>\n<a\nb='1'>\n<c/>x\n") == [
                "line 5: the document ends within <a>, which begins in line 2"
            ])
        #expect(
            try messages("<r>\n\n<a><!-- ") == [
                "line 3: the document ends within a comment, CDATA section or processing instruction",
                "line 3: the document ends within <a>, which begins in line 3",
            ])
    }

    @Test func aCommentThatEndsWithThreeHyphensEnds() throws {
        var titles: [String] = []
        let document = try XMLReader.read(
            Data("<r><!-- x ---><item>A</item><!-- y --><item>B</item></r>".utf8), itemNames: ["item"]
        ) { titles.append($0.text) }
        #expect(titles == ["A", "B"])
        #expect(document.problems.map(\.message) == ["a comment contains --"])
    }

    @Test func linesAreThoseOfTheDocument() throws {
        let document = try read(
            "<r>\n<!--\n--><![CDATA[\n]]><?p\n?></x\n><a b='\n&'\n/>\r\n<c>\n</c\n><d/>\r<e/></r>")
        #expect(document.root.children.map(\.line) == [8, 9, 11, 11])
        #expect(document.problems.map(\.line) == [5, 7])
    }

    @Test func anItemOfTooMuchTextIsFoundPieceByPiece() throws {
        var limits = XMLLimits()
        limits.itemBytes = 100_000
        for (count, isKept) in [(99_976, true), (99_977, false), (1_000_000, false)] {
            var length: Int?
            let document = try XMLReader.read(
                Data("<r><item>\(String(repeating: "&lt;", count: count))</item></r>".utf8), itemNames: ["item"],
                limits: limits
            ) { length = $0.withText { $0.count } }
            #expect(length == (isKept ? count : nil))
            #expect(document.lostItems.count == (isKept ? 0 : 1))
        }
    }
}
