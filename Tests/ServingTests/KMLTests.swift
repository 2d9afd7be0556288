import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

@Suite struct KMLTests {
    private static let namespace = "http://www.opengis.net/kml/2.2"

    private func placemarks(_ test: TestAPI, _ query: String? = nil) throws -> [XMLNode] {
        try test.xml("/events.kml", query).descendants("Placemark")
    }

    private func names(_ test: TestAPI, _ query: String? = nil) throws -> [String] {
        try placemarks(test, query).compactMap { $0.child("name")?.text }
    }

    private func stored(_ change: (inout Event) -> Void) -> StoredEvent {
        var event = quake("chile")
        change(&event)
        return StoredEvent(
            publicID: "0123456789abcdef", event: event, firstSeen: start, lastChanged: start, changeSequence: 1)
    }

    private func placemark(_ change: (inout Event) -> Void) throws -> XMLNode {
        let text = KMLWriter.head(title: "Events") + KMLWriter.placemark(stored(change)) + KMLWriter.tail
        let document = try XMLReader.read(Data(text.utf8))
        #expect(document.problems.isEmpty, "\(document.problems)")
        return try #require(document.root.descendants("Placemark").first)
    }

    @Test func aDocumentHasAPlacemarkForEachLocatedEvent() throws {
        let test = try TestAPI.filled()
        #expect(test.get("/events.kml").header("content-type") == "application/vnd.google-earth.kml+xml")
        let root = try test.xml("/events.kml")
        #expect(root.name == "kml" && root.namespace == Self.namespace)
        #expect(try names(test) == ["M chile", "M fiji-west", "M fiji-east", "M pole"])
        #expect(try names(test, "located=false").count == 3)
        #expect(try names(test, "limit=1") == ["M chile"])
        #expect(try names(test, "bbox=170,-50,-170,-10") == ["M fiji-west", "M fiji-east"])
        #expect(test.get("/events.kml", "cursor=x").status == 400)
        let styles = Set(root.descendants("Style").compactMap { $0.attribute("id") })
        #expect(styles.isSuperset(of: ["earthquake", "volcano", "news", "message", "alert", "other"]))
    }

    @Test func aPlacemarkTellsTheEvent() throws {
        let node = try placemark { event in
            event.summary = "Felt.\n1 < 2"
            event.link = "https://example.org/?a&b"
        }
        #expect(node.attribute("id") == "event-0123456789abcdef")
        #expect(node.child("name")?.text == "M chile")
        let link = "https://example.org/?a&amp;b"
        let anchor = "<a rel=\"noopener noreferrer nofollow\" href=\"\(link)\">\(link)</a>"
        #expect(node.child("description")?.text == "Felt.<br>1 &lt; 2<br>\(anchor)")
        #expect(node.child("TimeStamp")?.child("when")?.text == "2026-02-28T22:00:00.000Z")
        #expect(node.child("styleUrl")?.text == "#earthquake")
        #expect(node.child("Point")?.child("coordinates")?.text == "-70,-20")
        let data = node.child("ExtendedData")?.children("Data") ?? []
        #expect(data.first { $0.attribute("name") == "magnitude" }?.child("value")?.text == "5")
        // The order is that of the schema.
        let order = ["name", "description", "TimeStamp", "styleUrl", "ExtendedData", "Point"]
        #expect(node.children.map { $0.name } == order)
    }

    @Test func hostileTextStaysText() throws {
        let node = try placemark { event in
            event.title = "<img src=x onerror=alert(1)>"
            event.summary = "]]><img src=x onerror=alert(1)>\u{8}"
            event.link = "javascript:alert(1)"
        }
        #expect(node.child("name")?.text == "<img src=x onerror=alert(1)>")
        // Programs show the description as HTML.
        #expect(node.child("description")?.text == "]]&gt;&lt;img src=x onerror=alert(1)&gt;\u{FFFD}")
        let text = KMLWriter.placemark(stored { $0.link = "javascript:alert(1)" })
        #expect(!text.contains("javascript"))
    }

    @Test func aPlaceKnownAsATownSaysSo() throws {
        let node = try placemark { event in
            event.location?.precision = .city
            event.location?.matchedText = "Iquique"
            event.location?.name = "Iquique, Chile"
            event.category = Model.Category(rawValue: "quarry blast")
        }
        #expect(node.child("description")?.text == "Exact to the city: Iquique (Iquique, Chile)")
        #expect(node.child("styleUrl")?.text == "#other")
    }

    @Test(arguments: [
        (
            #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[1,2],[2,2],[2,1],[1,1]]]}"#,
            """
            <Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 4,0 4,4 0,4 0,0</coordinates></LinearRing>\
            </outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>1,1 1,2 2,2 2,1 1,1</coordinates></LinearRing>\
            </innerBoundaryIs></Polygon>
            """
        ),
        (
            #"{"type":"LineString","coordinates":[[0,0],[1,2]]}"#,
            "<LineString><coordinates>0,0 1,2</coordinates></LineString>"
        ),
        (
            #"{"type":"MultiPoint","coordinates":[[0,0],[1,2]]}"#,
            """
            <MultiGeometry><Point><coordinates>0,0</coordinates></Point>\
            <Point><coordinates>1,2</coordinates></Point></MultiGeometry>
            """
        ),
        (#"{"type":"GeometryCollection","geometries":[]}"#, "<Point><coordinates>-70,-20</coordinates></Point>"),
        ("no shape", "<Point><coordinates>-70,-20</coordinates></Point>"),
    ]) func theGeometryIsTheShape(shape: String, expected: String) {
        let text = KMLWriter.placemark(stored { $0.geometry = shape })
        #expect(text.hasSuffix("</ExtendedData>\(expected)</Placemark>"), "\(text)")
    }

    @Test func aShapeAcross180DegreesIsCut() {
        let ring = "[[[170,0],[-170,0],[-170,10],[170,10],[170,0]]]"
        let text = KMLWriter.placemark(stored { $0.geometry = "{\"type\":\"Polygon\",\"coordinates\":\(ring)}" })
        #expect(text.components(separatedBy: "<Polygon>").count == 3)
        #expect(text.contains("<MultiGeometry>"))
    }

    @Test func aLongDocumentIsReadInPieces() throws {
        let test = try TestAPI()
        try test.poll((0..<2_500).map { quake("q\($0)", hours: -Double($0) / 60) })
        let answer = test.get("/events.kml", "limit=5000")
        guard case .pieces = answer.body else {
            Issue.record("the body is whole")
            return
        }
        let document = try XMLReader.read(Data(try test.text(answer).utf8))
        #expect(document.problems.isEmpty)
        #expect(document.root.descendants("Placemark").count == 2_000)
        #expect(try placemarks(test).count == 500)
    }

    @Test func aNetworkLinkLoadsTheEventsOfTheView() throws {
        let test = try TestAPI.filled()
        let answer = test.get("/network-link.kml", "category=earthquake&limit=50")
        #expect(answer.header("content-type") == "application/vnd.google-earth.kml+xml")
        let root = try test.xml("/network-link.kml", "category=earthquake&limit=50")
        let link = try #require(root.child("NetworkLink")?.child("Link"))
        let address = "http://api.example:8423/events.kml?category=earthquake&limit=50"
        #expect(link.child("href")?.text == address)
        #expect(link.child("refreshMode")?.text == "onInterval")
        #expect(link.child("refreshInterval")?.text == "60")
        #expect(link.child("viewRefreshMode")?.text == "onStop")
        let format = "bbox=[bboxWest],[bboxSouth],[bboxEast],[bboxNorth]"
        #expect(link.child("viewFormat")?.text == format)
        let (path, query) = test.parts(address)
        #expect(test.get(path, "\(query ?? "")&bbox=-180,-90,180,90").status == 200)
        for wrong in ["bbox=1,2,3,4", "f=json", "category="] {
            #expect(test.get("/network-link.kml", wrong).status == 400, "\(wrong)")
        }
    }
}
