import Foundation
import Model
import Testing
import WorkCount

@testable import Feeds

/// Twice the document takes at most 2.5 times the work, whatever it is made of.
@Suite struct FeedDoublingTests {
    /// A document: `start`, `unit` for each of the size, `end`.
    struct Growing: Sendable, CustomTestStringConvertible {
        var kind: String
        var start: String
        var unit: String
        var end: String

        init(_ kind: String, _ start: String, _ unit: String, _ end: String) {
            (self.kind, self.start, self.unit, self.end) = (kind, start, unit, end)
        }

        var testDescription: String { "\(kind): \(start.suffix(40)) \(unit.debugDescription)" }

        /// The document; `#` in the unit becomes its number.
        func body(_ size: Int) -> Data {
            let units =
                unit.contains("#")
                ? (0..<size).map { unit.replacingOccurrences(of: "#", with: "\($0)") }.joined()
                : String(repeating: unit, count: size)
            return Data((start + units + end).utf8)
        }

        func decode(_ body: Data) throws {
            let url = kind == "twitter" ? "file:///messages.json" : "https://e.org/feed"
            let settings = SourceSettings(name: "n", kind: kind, url: url)
            let feed = try #require(try FeedRegistry.feed(for: settings))
            let poll = PollContext(now: Date(timeIntervalSince1970: 1_772_366_400))
            // A refusal is an end like any other.
            _ = try? feed.decode(FeedResponse(request: FeedRequest(url: url), body: body), for: poll)
        }
    }

    @Test(arguments: texts + items + shapes + alerts + json) func aDocumentIsDecodedInLinearWork(_ document: Growing)
        throws
    {
        let work = try Doubling(of: 2000, document.body, document.decode)
        #expect(work.isLinear, "\(work)")
    }

    /// Long texts of an item, of one repeated piece.
    static let texts: [Growing] = TextPieces.all.flatMap { piece in
        let markup = piece.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        return [
            Growing("rss", item("<guid>1</guid><title>t</title><description>"), markup, "</description>" + endOfItem),
            Growing("rss", item("<title>"), markup, "</title>" + endOfItem),
            Growing("kml", placemark("<description>"), markup, "</description></Placemark></kml>"),
            Growing("cap", alert("<description>"), markup, "</description></info></alert>"),
            // Messages below 64 KiB, and bodies above 1 MiB, are read in another way.
            Growing(
                "twitter", #"{"data":[{"id":"1","text":""#,
                String(repeating: piece.jsonQuoted.dropped, count: 80 / piece.utf8.count), #""}]}"#),
            Growing("usgs", usgs + #","properties":{"title":""#, piece.jsonQuoted.dropped, #""}}]}"#),
        ]
    }

    /// Many items, or many elements of one.
    static let items: [Growing] = [
        Growing("rss", rss, "<item><title>t#</title><guid>e\u{0315}\u{0300}\u{0327}#</guid></item>", endOfFeed),
        Growing("rss", rss, "<item><title>t#</title><link>http://x/e\u{0315}\u{0300}#</link></item>", endOfFeed),
        Growing("rss", rss, "<item><title>t</title><guid>0</guid><link>http://x/#</link></item>", endOfFeed),
        Growing("rss", rss, "<item>", endOfFeed), Growing("rss", rss, "</x>", endOfFeed),
        Growing("rss", rss, "<item><title>t<b><i><u>", endOfFeed),
        Growing("rss", item("<title>t</title>"), "<category>c#</category>", endOfItem),
        Growing("rss", item("<title>t</title>"), "<x#>1</x#>", endOfItem),
        Growing("rss", item("<title>t</title>"), "<enclosure url='http://x/#'/>", endOfItem),
        Growing("rss", item("<title>t</title><author>"), "a ", "</author>" + endOfItem),
        Growing("rss", item("<title>t</title><guid>"), "x", "</guid>" + endOfItem),
        Growing("rss", item("<title>t</title><link>http://x/"), "../", "</link>" + endOfItem),
        Growing("rss", rss, "<item><title>a</title><pubDate>Sat, 99 Foo 99999 (((</pubDate></item>", endOfFeed),
        Growing("rss", item("<title>t</title><pubDate>"), " ", "</pubDate>" + endOfItem),
        Growing(
            "rss", "<?xml version='1.0' encoding='iso-8859-1'?>" + item("<title>"), "\u{80}", "</title>" + endOfItem),
        Growing(
            "rss", "<?xml version='1.0' encoding='shift_jis'?>" + item("<title>"), "\u{80}", "</title>" + endOfItem),
        Growing("sitemap", "<urlset>", "<url><loc>http://x/#</loc><lastmod>2026</lastmod></url>", "</urlset>"),
        Growing("sitemap", "<sitemapindex>", "<sitemap><loc>http://x/#</loc></sitemap>", "</sitemapindex>"),
        Growing("kml", "<kml>", "<Placemark id='e\u{0315}\u{0300}#'><name>n#</name></Placemark>", "</kml>"),
        Growing("kml", "<kml>", "<Placemark id='1'><name>n#</name></Placemark>", "</kml>"),
        Growing(
            "kml", placemark("<ExtendedData>"), "<Data name='a#'><value>v</value></Data>",
            "</ExtendedData></Placemark></kml>"),
        Growing("kml", "<kml>", "<NetworkLink><Link><href>x</href></Link></NetworkLink>", "</kml>"),
        Growing(
            "kml", placemark("<description>&lt;a href='http://volcano.si.edu/?vn=1'>Report for "), "&lt;b>1 May ",
            "</description></Placemark></kml>"),
    ]

    /// Many points, numbers and shapes.
    static let shapes: [Growing] = [
        Growing("kml", placemark("<LineString><coordinates>"), "1,2 ", "</coordinates></LineString></Placemark></kml>"),
        Growing(
            "kml", placemark("<LineString><coordinates>"), "nan,,, ", "</coordinates></LineString></Placemark></kml>"),
        Growing("kml", placemark("<LineString><coordinates>1"), ",2", "</coordinates></LineString></Placemark></kml>"),
        Growing(
            "kml", placemark("<MultiGeometry>"), "<Point><coordinates>1,2</coordinates></Point>",
            "</MultiGeometry></Placemark></kml>"),
        Growing(
            "kml",
            placemark(
                "<Polygon><outerBoundaryIs><LinearRing><coordinates>1,2 2,3 3,4</coordinates></LinearRing></outerBoundaryIs>"
            ),
            "<innerBoundaryIs><LinearRing><coordinates>1,2 2,3 3,4</coordinates></LinearRing></innerBoundaryIs>",
            "</Polygon></Placemark></kml>"),
        Growing(
            "kml", placemark("<LineString><coordinates>"), "3,4,\n", "</coordinates></LineString></Placemark></kml>"),
        Growing("kml", placemark("<Track>"), "<coord>1 2 3</coord>", "</Track></Placemark></kml>"),
        Growing("kml", placemark("<description>"), "<x>a</x>", "</description></Placemark></kml>"),
        Growing("rss", item("<title>t</title><georss:polygon>"), "1 2 ", "</georss:polygon>" + endOfItem),
        Growing("rss", item("<title>t</title><georss:line>"), "1e308 nan ", "</georss:line>" + endOfItem),
        Growing("rss", item("<title>t</title>"), "<georss:point>1 2</georss:point>", endOfItem),
        Growing(
            "rss", item("<title>t</title><georss:where><gml:LineString>"), "<gml:pos>1 2</gml:pos>",
            "</gml:LineString></georss:where>" + endOfItem),
        Growing(
            "rss", item("<title>t</title><georss:where><gml:LineString><gml:posList>"), "1 2 ",
            "</gml:posList></gml:LineString></georss:where>" + endOfItem),
        Growing("cap", alert("<area><areaDesc>a</areaDesc><polygon>"), "1,2 ", "</polygon></area></info></alert>"),
        Growing(
            "cap", alert("<area><areaDesc>a</areaDesc>"), "<polygon>1,2 2,3 3,4</polygon><circle>1,2,3</circle>",
            "</area></info></alert>"),
        Growing("cap", alert("<area><areaDesc>a</areaDesc><circle>1"), ",2", "</circle></area></info></alert>"),
        Growing("usgs", usgs + #","properties":{},"geometry":{"coordinates":[1"#, ",2", "]}}]}"),
    ]

    /// References, infos, areas and parameters.
    static let alerts: [Growing] = [
        Growing("cap", cancel, "a@b,c#,x ", "</references></alert>"),
        Growing("cap", cancel, "a@b, c#, 2026-11-28T10:00:00Z, ", "</references></alert>"),
        Growing("cap", cancel, " ,", "</references></alert>"),
        Growing("cap", alert("<description>"), "<x>a</x>", "</description></info></alert>"),
        Growing("cap", cancel, ",", "</references></alert>"), Growing("cap", cancel, "/@", "</references></alert>"),
        Growing("cap", cancel + "a,b,c", " ", "</references></alert>"),
        Growing("cap", alert(""), "<area><areaDesc>a#</areaDesc></area>", "</info></alert>"),
        Growing(
            "cap", alert(""), "<parameter><valueName>n#</valueName><value>v</value></parameter>", "</info></alert>"),
        Growing(
            "cap", alert("") + "</info>",
            "<info><language>l#</language><event>E</event><area><areaDesc>a</areaDesc></area></info>", "</alert>"),
        Growing(
            "cap", "<alerts>",
            "<alert><identifier>c#</identifier><sender>a@e\u{0315}\u{0300}</sender><status>Actual</status>"
                + "<msgType>Alert</msgType><info><event>E</event></info></alert>", "</alerts>"),
        Growing(
            "cap", "<feed xmlns='http://www.w3.org/2005/Atom'>",
            "<entry><id>#</id><link href='http://e.org/#' type='application/cap+xml'/></entry>", "</feed>"),
    ]

    /// Features, messages, lines, and JSON that is none.
    static let json: [Growing] = [
        Growing("usgs", usgs + #","properties":{"ids":","#, "us#,", #""}}]}"#),
        Growing("usgs", usgs + #","properties":{"x":1"#, #","k#":[1,{}]"#, "}}]}"),
        Growing("usgs", #"{"features":["#, #"{"id":"a#","properties":{"mag":9e18,"ids":",a#,b#,"}},"#, "{}]}"),
        Growing("usgs", "", "[", ""), Growing("usgs", #"{"features":["#, "1", "]}"),
        Growing("usgs", #"{"features":[""#, "\\ud800", #""]}"#),
        Growing("twitter", "", "{}\n", ""), Growing("twitter", "", "x\n", ""),
        Growing("twitter", "", "{\"data\":[]}", ""),
        Growing("twitter", "", #"{"data":{"id":"1#","text":"hello"}}"# + "\n", ""),
        Growing(
            "twitter", #"{"data":[{"id":"1","text":"t","entities":{"urls":[{}"#, #",{"expanded_url":"http://x/#"}"#,
            "]}}]}"),
        Growing("twitter", #"{"data":[{"id":"1","text":"t","edit_history_tweet_ids":["1""#, #","1#""#, "]}]}"),
        Growing(
            "twitter",
            #"{"data":[{"id":"1","text":"t","geo":{"place_id":"p"}}],"includes":{"places":[{"id":"p","geo":{"bbox":[1"#,
            ",2", "]}}]}}"),
        Growing("twitter", #"{"statuses":["#, #"{"id_str":"1#","created_at":"x","text":"a","user":{"id":1}},"#, "{}]}"),
    ]

    // MARK: Beginnings

    private static let rss = "<rss version='2.0'><channel><title>x</title>"
    private static let endOfFeed = "</channel></rss>"
    private static let endOfItem = "</item></channel></rss>"
    private static func item(_ start: String) -> String { rss + "<item>" + start }
    private static func placemark(_ start: String) -> String {
        "<kml xmlns='http://www.opengis.net/kml/2.2'><Placemark><name>n</name>" + start
    }
    private static func alert(_ start: String) -> String {
        "<alert><identifier>c</identifier><sender>a@b</sender><sent>2026-11-28T10:00:00-00:00</sent><status>Actual</status>"
            + "<msgType>Alert</msgType><info><event>E</event><headline>h</headline>" + start
    }
    private static let cancel =
        "<alert><identifier>c</identifier><sender>a@b</sender><status>Actual</status><msgType>Cancel</msgType><references>"
    private static let usgs = #"{"features":[{"id":"us1""#
}

/// Pieces of text that are markup, broken markup, references, marks, and characters that are escaped.
private enum TextPieces {
    static let all = [
        "word ", "'", "&", "<", "<a ", "<!--", "<script>", "<a href=\"", "<a href=\"http://x/1\">", "&#", "&amp;",
        "<![CDATA[", "</", "\n", "\u{202E}", "\u{0315}\u{0300}\u{0327}", "\u{1F468}\u{200D}", "\u{1100}", "\u{85}",
    ]
}

extension String {
    /// The text without its first and last character, the quotes of a JSON string.
    fileprivate var dropped: String { String(dropFirst().dropLast()) }
}
