import Foundation
import Testing

@testable import Reading

@Suite struct XMLNamespacesTests {
    @Test(
        arguments: [
            ("http://www.w3.org/2003/01/geo/wgs84_pos#", "geo"), ("http://www.w3.org/2003/01/geo/", "geo"),
            ("http://www.w3.org/2005/05/geo/wgs84_pos", "geo"), ("https://w3.org/2003/01/geo/WGS84_pos/", "geo"),
            ("http://www.w3.org/2003/01/geography/", nil), ("http://www.w3.org/2003/geo/", nil),
            ("http://www.w3.org/2003/01/geo/other#", nil), ("http://www.w3.org/year/01/geo", nil),
        ] as [(String, String?)]) func basicGeoHasManySpellings(written: String, prefix: String?)
    {
        let usual = prefix == nil ? written : "http://www.w3.org/2003/01/geo/wgs84_pos#"
        #expect(XMLNamespaces.usual(written) == usual)
    }

    @Test(
        arguments: [
            ("http://www.georss.org/georss/", "http://www.georss.org/georss"),
            ("http://georss.org/georss", "http://www.georss.org/georss"),
            ("http://www.georss.org/georss/10/", "http://www.georss.org/georss"),
            ("http://www.w3.org/2005/Atom/", "http://www.w3.org/2005/Atom"),
            ("HTTPS://WWW.W3.ORG/2005/Atom#", "http://www.w3.org/2005/Atom"),
            (" http://purl.org/dc/elements/1.1/\n", "http://purl.org/dc/elements/1.1/"),
            ("https://purl.org/rss/1.0/modules/content", "http://purl.org/rss/1.0/modules/content/"),
            ("http://www.opengis.net/gml/3.2", "http://www.opengis.net/gml"),
            ("http://backend.userland.com/RSS2", "http://backend.userland.com/rss2"),
            ("http://www.gdacs.org/", "http://www.gdacs.org"),
            ("http://www.itunes.com/DTDs/PodCast-1.0.dtd", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
            ("http://search.yahoo.com/mrss", "http://search.yahoo.com/mrss/"),
            ("https://www.w3.org/1999/xhtml/", "http://www.w3.org/1999/xhtml"),
        ]) func knownNamespacesHaveOneSpelling(written: String, usual: String)
    {
        #expect(XMLNamespaces.usual(written) == usual)
    }

    @Test(
        arguments: [
            "urn:a", "", " urn:a ", "http://", "#", "http://www.w3.org/2005/Atom/x",
            "http://www.w3.org/2005/Atom" + String(repeating: "/", count: 1000),
        ]) func othersStayAsTheyAre(written: String)
    {
        #expect(XMLNamespaces.usual(written) == written)
    }

    @Test func nodesHaveTheUsualSpelling() throws {
        let others = "<a xmlns=' http://w3.org/2005/Atom '/><a xmlns='urn:b/'/>"
        let xml = "<r xmlns='http://www.w3.org/2005/Atom/'><a/>\(others)</r>"
        let root = try XMLReader.read(Data(xml.utf8)).root
        #expect(root.children("a", in: "http://www.w3.org/2005/Atom").count == 2)
        #expect(root.children.map(\.namespace).last == "urn:b/")
    }
}
