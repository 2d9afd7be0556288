import Foundation
import Model
import Testing

@testable import Feeds

/// The charset of Content-Type, in all kinds that read XML.
@Suite struct CharsetTests {
    @Test(
        arguments: [
            ("rss", "<rss><channel><item><title>#</title></item></channel></rss>"),
            ("rss", "<?xml version='1.0' encoding='UTF-8'?><feed><entry><title>#</title></entry></feed>"),
            (
                "sitemap",
                "<urlset><url><loc>https://e.org/a</loc><news><title>#</title></news></url></urlset>"
            ),
            ("kml", "<kml><Placemark><name>#</name></Placemark></kml>"),
            (
                "cap",
                """
                <?xml version='1.0' encoding='ISO-8859-1'?><alert><identifier>A</identifier><sender>s@e.org</sender>\
                <sent>2024-01-01T00:00:00Z</sent><status>Actual</status><msgType>Alert</msgType>\
                <info><headline>#</headline></info></alert>
                """
            ),
        ]) func contentTypeComesBeforeTheDeclaration(kind: String, document: String) throws
    {
        let parts = document.split(separator: "#").map { Data($0.utf8) }
        let body = parts[0] + Data([0xC7, 0xE5, 0xEC, 0xEB, 0xFF]) + parts[1]
        let headers = ["content-type": "text/xml;charset=WINDOWS-1251"]
        #expect(try titles(kind, headers, body) == ["Земля"])
    }

    @Test func textInUTF8IsNotMistakenForWhatIsDeclared() throws {
        let xml = """
            <?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item>\
            <title>Erupção em São Jorge</title></item></channel></rss>
            """
        for type in ["text/xml; charset=utf-8", "text/xml", "application/rss+xml; charset=GBK"] {
            #expect(try titles("rss", ["content-type": type], Data(xml.utf8)) == ["Erupção em São Jorge"], "\(type)")
        }
    }

    @Test(
        arguments: [
            ("text/xml;charset=WINDOWS-1251", "WINDOWS-1251"), ("text/xml; Charset = \"gbk\" ; x=y", "gbk"),
            ("text/xml; version=1; charset='koi8-r'", "koi8-r"), ("text/xml; charset=big5, text/xml", "big5"),
            ("text/xml", nil), ("text/xml; charset=", nil), ("charset=gbk", nil), ("", nil), (nil, nil),
        ] as [(String?, String?)]) func theCharsetOfAType(type: String?, charset: String?)
    {
        let headers = type.map { ["content-type": $0] } ?? [:]
        let response = FeedResponse(request: FeedRequest(url: "https://e.org/"), headers: headers, body: Data())
        #expect(response.charset == charset)
    }

    private func titles(_ kind: String, _ headers: [String: String], _ body: Data) throws -> [String] {
        let settings = SourceSettings(name: "n", kind: kind, url: "https://e.org/feed")
        let feed = try #require(try FeedRegistry.feed(for: settings))
        let poll = PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))
        let response = FeedResponse(request: FeedRequest(url: settings.url), headers: headers, body: body)
        return try feed.decode(response, for: poll).events.map(\.title)
    }
}
