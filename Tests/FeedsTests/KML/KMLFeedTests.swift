import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct KMLFeedTests {
    @Test func everyShapeHasALocation() throws {
        let answer = try KMLTesting.fixture("shapes.kml")
        #expect(answer.issues.isEmpty)
        #expect(answer.events.map(\.id) == ["p1", "p2", "p3", "p4", "p5", "p6", "p7"])
        try #require(answer.events.count == 7)
        #expect(answer.events.allSatisfy { $0.provider == "https://example.org/places.kml" && $0.category == .other })
        let methods: [Location.Method?] = [.coordinates, .line, .line, .polygon, .coordinates, .line, .line]
        #expect(answer.events.map { $0.location?.method } == methods)

        let point = answer.events[0]
        #expect(point.location?.coordinate == Coordinate(latitude: 14.473, longitude: -90.88))
        #expect(point.location?.precision == .point)
        #expect(point.geometry == nil)
        #expect(try CAPTesting.details(point)["altitude"] as? Double == 120)

        let line = try #require(answer.events[1].location?.coordinate)
        #expect(abs(line.longitude - 15) < 1e-9 && abs(line.latitude) < 1e-9)
        #expect(answer.events[1].geometry == #"{"type":"LineString","coordinates":[[10.0,0.0],[20.0,0.0]]}"#)

        let polygon = answer.events[3]
        let outer = "[[0.0,0.0],[0.0,10.0],[10.0,10.0],[10.0,0.0],[0.0,0.0]]"
        let hole = "[[4.0,4.0],[4.0,6.0],[6.0,6.0],[4.0,4.0]]"
        #expect(polygon.geometry == "{\"type\":\"Polygon\",\"coordinates\":[\(outer),\(hole)]}")
        #expect(answer.events[4].geometry == #"{"type":"MultiPoint","coordinates":[[1.0,2.0],[3.0,4.0]]}"#)
        #expect(answer.events[5].geometry?.hasPrefix(#"{"type":"GeometryCollection""#) == true)
        let across = try #require(answer.events[5].location?.coordinate)
        #expect(abs(abs(across.longitude) - 180) < 1e-9, "the middle of a line across 180°")
        #expect(answer.events[6].geometry == #"{"type":"LineString","coordinates":[[7.0,46.0],[8.0,46.0]]}"#)
    }

    @Test func foldersAreRemembered() throws {
        let events = try KMLTesting.fixture("shapes.kml").events
        let folders = try events.map { try CAPTesting.details($0)["folder"] as? String }
        #expect(folders == [nil, "Lines", "Lines / Closed", "Lines / Closed / Inner", nil, nil, nil])
    }

    @Test func faultsCostTheShapeOnly() throws {
        let answer = try KMLTesting.fixture("faults.kml")
        #expect(answer.events.map(\.id) == ["f1", "f2", "f3", "f4", "f5", "f6"])
        #expect(answer.events.dropLast().allSatisfy { $0.location == nil })
        #expect(
            answer.issues.map(\.reason) == [
                "bad_coordinate", "bad_coordinate", "bad_coordinate", "bad_coordinate", "no_geometry", "bad_date",
            ])
        #expect(answer.issues.allSatisfy { !$0.costsItem })
        #expect(answer.events.last?.location != nil)
        #expect(answer.events.last?.time == nil)
    }

    @Test func identityIsStable() throws {
        let events = try KMLTesting.fixture("identity.kml").events
        try #require(events.count == 4)
        #expect(events.prefix(3).map(\.id) == ["own", "2013p1", "3367749"])
        #expect(events[3].id.utf8.count == 16)
        let edited = try #require(try KMLTesting.fixture("identity-edited.kml").events.first)
        #expect(edited.id.utf8.count == 16)
        #expect(edited.id != events[3].id)
        #expect(edited.summary == "Edited")
    }

    @Test func fieldsOfAPlacemark() throws {
        let answer = try KMLTesting.fixture("identity.kml", options: ["category": .text("earthquake")])
        #expect(answer.issues.isEmpty)
        try #require(answer.events.count == 4)
        let quake = answer.events[2]
        #expect(quake.category == .earthquake)
        #expect(quake.time?.rfc3339 == "2010-09-06T15:24:44.475Z")
        #expect(quake.magnitude == 5.5)
        #expect(quake.depth == 12.5)
        #expect(quake.weight == 0.55)
        #expect(quake.link == "https://example.org/3367749")
        let data = try #require(try CAPTesting.details(quake)["data"] as? [String: String])
        #expect(data["z"] == "12.5")

        let town = answer.events[3]
        #expect(town.time?.rfc3339 == "2020-01-02T00:00:00Z")
        #expect(town.expires == nil)
        #expect(try CAPTesting.details(town)["end"] as? String == "2020-01-03")
        #expect(town.place == "Piazza, Catania")
        #expect(town.summary == "Hello world & all")
        #expect(town.author == Author(name: "Ann"))
        #expect(town.link == "https://example.org/d")
        #expect(town.magnitude == nil)
        #expect(town.weight == 1)
    }

    @Test func networkLinksAreCounted() throws {
        let answer = try KMLTesting.fixture("network-link.kml")
        #expect(answer.events.isEmpty)
        #expect(answer.followUps.isEmpty)
        #expect(answer.tallies["links"] == 2)
        #expect(answer.issues.map(\.found) == ["https://example.org/more.kml", "old.kml"])
        #expect(answer.issues.allSatisfy { $0.reason == "network_link" && !$0.costsItem })
    }

    @Test func archivesHaveOneMainDocument() throws {
        let answer = try KMLTesting.fixture("two-documents.kmz")
        #expect(answer.events.map(\.id) == ["doc.kml"])
        #expect(answer.tallies["other_documents"] == 2)
        let first = try KMLTesting.fixture("first-document.kmz")
        #expect(first.events.map(\.id) == ["parts/a.kml"])
        let mac = try KMLTesting.fixture("from-macos.kmz")
        #expect(mac.events.map(\.id) == ["My Map/doc.kml"])
        #expect(mac.tallies["other_documents"] == 1)
        #expect(try KMLTesting.fixture("nested-documents.kmz").events.map(\.id) == ["./Doc.kml"])
        let failure = #expect(throws: Failure.self) { try KMLTesting.fixture("no-document.kmz") }
        #expect(failure?.message == "the archive holds no .kml: found readme.txt")
    }

    @Test func shapesOfZerosAreNoPlaces() throws {
        let answer = try KMLTesting.fixture("zeros.kml")
        #expect(answer.events.map(\.id) == ["z1", "z2", "z3", "z4"])
        #expect(answer.events.allSatisfy { $0.location == nil && $0.geometry == nil })
        #expect(answer.issues.map(\.reason) == Array(repeating: "bad_coordinate", count: 4))
    }

    @Test func halfTheWorldIsNoPlace() throws {
        let answer = try KMLTesting.fixture("half-the-world.kml")
        #expect(answer.events.map(\.id) == ["h1", "h2", "h3", "h4"])
        try #require(answer.events.count == 4)
        #expect(answer.events.prefix(2).allSatisfy { $0.location == nil && $0.geometry != nil })
        #expect(answer.events[2].location?.method == .line)
        #expect(answer.events[3].location?.coordinate == Coordinate(latitude: 20, longitude: 10))
        #expect(answer.issues.map(\.reason) == Array(repeating: "bad_coordinate", count: 3))
        #expect(answer.issues.allSatisfy { !$0.costsItem })
    }

    @Test func updateCommandsAreNoEvents() throws {
        let answer = try KMLTesting.fixture("updates.kml")
        #expect(answer.events.map(\.id) == ["kept"])
        #expect(answer.tallies == ["update_commands": 4])
        #expect(answer.issues.isEmpty)
    }

    @Test func namesIdsAndMagnitudes() throws {
        let answer = try KMLTesting.fixture("names.kml")
        try #require(answer.events.count == 6)
        #expect(answer.events[0].title == "Etna & Stromboli")
        #expect(try CAPTesting.details(answer.events[0])["folder"] as? String == "North & South")
        #expect(answer.events[0].id == "n1")
        #expect(answer.events[1].id.hasPrefix("n1#"))
        #expect(answer.events[1].id.utf8.count == 3 + 16)
        #expect(answer.events[2...].map(\.id) == ["n2", "n2", "n4", "n5"])
        #expect(answer.events[4].magnitude == nil)
        #expect(answer.events[4].category == .other)
        #expect(answer.events[5].magnitude == 4.5)
        #expect(answer.events[5].category == .earthquake)
        #expect(answer.events[5].weight == 0.45)
        #expect(
            answer.issues.map(\.reason) == ["duplicate_id", "empty_item", "empty_item", "no_geometry", "no_geometry"])
        #expect(answer.issues.map(\.costsItem) == [false, true, true, false, false])
        let configured = try KMLTesting.fixture("names.kml", options: ["category": .text("blast")])
        #expect(configured.events.last?.category.rawValue == "blast")
        #expect(configured.events.last?.weight == 1)
    }

    @Test func itemsLeftOutAreReported() throws {
        let text =
            "<kml><Placemark id=\"a\"><name>\(String(repeating: "x", count: 5000))</name></Placemark>"
            + "<Placemark id=\"b\"><name>b</name></Placemark></kml>"
        let answer = try KMLTesting.decode(Data(text.utf8), itemBytes: 2000)
        #expect(answer.events.map(\.id) == ["b"])
        #expect(answer.issues.last?.costsItem == true)
        #expect(answer.issues.last?.reason == "too_large")
    }

    @Test func textsAreCutAndLongShapesGiveTheirMiddleOnly() throws {
        let long = String(repeating: "x", count: 100_000)
        let points = (0...10_000).map { "7.\(10_000 + $0),46" }.joined(separator: " ")
        let text = """
            <kml><Folder><name>\(long)</name><Folder><name>\(long)</name><Placemark id="a"><name>\(long)</name>
            <description>\(long)</description><ExtendedData><Data name="v"><value>\(long)</value></Data></ExtendedData>
            <LineString><coordinates>\(points)</coordinates></LineString></Placemark></Folder></Folder></kml>
            """
        let answer = try KMLTesting.decode(Data(text.utf8))
        let event = try #require(answer.events.first)
        #expect(event.title.count <= 1010)
        #expect((event.summary?.count ?? 0) > 60_000 && (event.summary?.count ?? 0) <= 65_546)
        let details = try CAPTesting.details(event)
        let folder = try #require(details["folder"] as? String)
        #expect((290...310).contains(folder.count))
        let value = try #require((details["data"] as? [String: String])?["v"])
        #expect((900...1010).contains(value.count))
        #expect(event.location?.method == .line)
        #expect(event.geometry == nil)
        #expect(answer.issues.map(\.reason) == ["too_many_points"])
    }

    @Test func otherDocumentsAreRefused() throws {
        let page = "<html><body>Not found</body></html>"
        for text in ["", page, "<rss version=\"2.0\"/>", "<kml><Document>", "PK\u{3}\u{4}"] {
            #expect(throws: Failure.self, "\(text)") { try KMLTesting.decode(Data(text.utf8)) }
        }
        #expect(try KMLTesting.decode(Data("<kml/>".utf8)).events.isEmpty)
    }

    private func decode(_ placemarks: String) throws -> FeedAnswer {
        let text = """
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>\(placemarks)
            </Document></kml>
            """
        return try KMLTesting.decode(Data(text.utf8))
    }

    /// Commas join tuples, also at the ends of lines.
    @Test(arguments: [
        ("10,50,0,11,51,0 12,52,0,13,53,0", 4), ("10,50,0,\n11,51,0,\n12,52,0", 3), ("10,50,\n11,51,\n12,52,\n", 3),
        ("10,50,1,\n11,51,2,\n12,52", 3), ("10,50,11,51", 2), ("10, 50, 1, 11, 51, 2, 12, 52, 3", 3),
        ("110,50,5,111,51,6", 2),
    ])
    func joinedTuplesAreReadOneByOne(text: String, points: Int) throws {
        let answer = try decode(
            "<Placemark id=\"a\"><LineString><coordinates>\(text)</coordinates></LineString></Placemark>")
        let event = try #require(answer.events.first)
        #expect(event.geometry?.components(separatedBy: "],[").count == points)
        #expect(event.geometry?.contains("[11.0,51.0]") == !text.hasPrefix("110"))
        #expect(event.location?.method == .line)
        #expect(answer.issues.map(\.reason) == ["joined_tuples"])
        let first = text.hasSuffix("13,53,0") ? "10,50,0,11,51,0" : text.replacing("\n", with: "")
        #expect(answer.issues.first.map { first.hasPrefix($0.found) } == true)
    }

    /// The first may be pairs or triples.
    @Test(arguments: ["10,50,1,11,51,2", "10,50,0,11,51", "10,50,,0,11,51", "10,50,0,x,51,0"])
    func joinedTuplesOfNoOneMeaningAreQuoted(text: String) throws {
        let answer = try decode(
            "<Placemark><name>a</name><Point><coordinates>\(text)</coordinates></Point></Placemark>")
        #expect(answer.events.map { $0.location == nil } == [true])
        #expect(answer.issues.map(\.reason) == ["bad_coordinate"])
        #expect(answer.issues.map(\.found) == [text])
    }

    @Test func aTrackSkipsWhatIsNotKnownAndHasATime() throws {
        let answer = try decode(
            """
            <Placemark id="t"><name>Survey track</name><gx:MultiTrack><gx:Track><when>2021-03-04T12:20:47.916Z</when>
            <gx:coord/><when>2021-03-04T12:20:48.343Z</when><gx:coord>8.973552 48.747633 483.27</gx:coord>
            <when>2021-03-04T12:21:48.343Z</when><gx:coord>8.974 48.748 484</gx:coord><when>2021-03-04T12:48:06Z</when>
            <gx:coord/></gx:Track></gx:MultiTrack></Placemark>
            <Placemark id="u"><name>u</name><TimeStamp><when>2020-01-01T00:00:00Z</when></TimeStamp><gx:Track>
            <when>2021-03-04T00:00:00Z</when><gx:coord>1 2 3</gx:coord><gx:coord>
            </gx:coord></gx:Track></Placemark>
            <Placemark id="v"><name>v</name><gx:Track><when/><when>2021-05-05</when><gx:coord/></gx:Track></Placemark>
            <Placemark id="w"><name>w</name><gx:Track><when>soon</when><gx:coord>7</gx:coord></gx:Track></Placemark>
            """)
        try #require(answer.events.count == 4)
        #expect(
            answer.events.map { $0.time?.rfc3339 } == [
                "2021-03-04T12:20:47.916Z", "2020-01-01T00:00:00Z", "2021-05-05T00:00:00Z", nil,
            ])
        #expect(
            answer.events[0].geometry
                == #"{"type":"LineString","coordinates":[[8.973552,48.747633],[8.974,48.748]]}"#)
        #expect(answer.events[1].location?.coordinate == Coordinate(latitude: 2, longitude: 1))
        #expect(answer.events[2...].allSatisfy { $0.location == nil })
        #expect(answer.issues.map(\.reason) == ["bad_coordinate", "bad_coordinate", "bad_date"])
        #expect(answer.issues.map(\.found) == ["empty track", "7", "soon"])
    }

    /// Descriptions should escape their markup, and not all do.
    @Test func textsOfElementsInsideDoNotRunTogether() throws {
        let answer = try decode(
            """
            <Placemark id="a"><name>x</name><description><p>One <b>two</b></p><table><tr><td>mag</td><td>3</td></tr></table>
            <a href="https://example.org/x"/></description></Placemark>
            <Placemark id="b"><name><i>M</i>y <u>hill</u></name><description><line>Ash to 5 km</line><line>SO<sub>2</sub></line>
            </description><ExtendedData><site><number>3</number><lat_deg>4</lat_deg></site></ExtendedData></Placemark>
            """)
        try #require(answer.events.count == 2)
        #expect(answer.events.map(\.summary) == ["One two mag 3", "Ash to 5 km SO2"])
        #expect(answer.events[0].link == "https://example.org/x")
        #expect(answer.events[1].title == "My hill")
        #expect(try CAPTesting.details(answer.events[1])["data"] as? [String: String] == ["site": "3 4"])
    }
}
