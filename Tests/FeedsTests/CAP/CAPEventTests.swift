import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct CAPEventTests {
    @Test func placesOfOneAlertAreEventsOfTheirOwn() throws {
        let answer = try CAPTesting.fixture("two-places.xml")
        #expect(answer.issues.isEmpty)
        #expect(answer.withdrawals.isEmpty)
        try #require(answer.events.count == 2)
        let upper = answer.events[0]
        #expect(upper.provider == "river@example.org")
        #expect(upper.id == "FLOOD-7 upper-valley")
        #expect(upper.aliases.isEmpty)
        #expect(upper.time?.rfc3339 == "2024-05-01T10:00:00Z")
        #expect(upper.updated?.rfc3339 == "2024-05-01T06:00:00Z")
        #expect(upper.expires?.rfc3339 == "2024-05-02T10:00:00Z")
        #expect(upper.category == .alert)
        #expect(upper.title == "Flood warning for the Upper Valley")
        #expect(upper.summary == "Water rises by <1 m. Stay away.")
        #expect(upper.link == "https://example.org/flood/7")
        #expect(upper.author == Author(name: "River Service"))
        #expect(upper.status == "actual")
        #expect(upper.place == "Upper Valley")
        #expect(upper.location?.method == .polygon)
        #expect(upper.location?.precision == .region)
        let shape = #"{"type":"Polygon","coordinates":[[[7.0,46.0],[8.0,46.0],[8.0,47.0],[7.0,46.0]]]}"#
        #expect(upper.geometry == shape)

        let lower = answer.events[1]
        #expect(lower.id == "FLOOD-7 lower-town")
        #expect(lower.time?.rfc3339 == "2024-05-01T06:00:00Z", "without onset and effective, sent counts")
        #expect(lower.link == nil, "javascript: is no link")
        #expect(lower.location?.method == .circle)
        #expect(lower.location?.precision == .city)
        #expect(lower.location?.coordinate == Coordinate(latitude: 47.5, longitude: 9.25))
        #expect(lower.geometry == nil)
    }

    @Test func detailsKeepTheRest() throws {
        let event = try #require(try CAPTesting.fixture("two-places.xml").events.first)
        let details = try CAPTesting.details(event)
        #expect(details["identifier"] as? String == "FLOOD-7")
        #expect(details["msgType"] as? String == "Alert")
        #expect(details["urgency"] as? String == "Expected")
        #expect(details["instruction"] as? String == "Leave cellars.")
        #expect(details["eventCodes"] as? [String: String] == ["code": "FLW"])
        let parameters = try #require(details["parameters"] as? [String: Any])
        #expect(parameters["Gauge"] as? [String] == ["A1", "B2"])
        #expect(parameters["Empty"] == nil)
        let resource = try #require((details["resources"] as? [[String: Any]])?.first)
        #expect(resource["uri"] as? String == "https://example.org/map.png")
        #expect(resource["size"] as? Int == 1234)
        #expect(!event.details.contains("AAAABBBB"), "embedded content stays out")
    }

    @Test func languagesOfOnePlaceAreOneEvent() throws {
        let answer = try CAPTesting.fixture("two-languages.xml")
        try #require(answer.events.count == 1)
        let event = answer.events[0]
        #expect(event.id == "WIND-1")
        #expect(event.title == "Strong wind")
        #expect(event.language == "en-CA")
        #expect(event.place == "Bay of Fundy")
        let details = try CAPTesting.details(event)
        #expect(details["languages"] as? [String] == ["en-ca", "fr-ca"])
        let other = try #require((details["translations"] as? [[String: String]])?.first)
        #expect(other == ["language": "fr-ca", "headline": "Vent fort", "event": "vent"])
    }

    @Test func areasOfOneInfoAreOneEvent() throws {
        let answer = try CAPTesting.fixture("areas.xml")
        try #require(answer.events.count == 1)
        let event = answer.events[0]
        #expect(event.place == "North; East; South")
        #expect(event.location?.method == .circle)
        #expect(event.location?.precision == .region)
        #expect(event.location?.coordinate == Coordinate(latitude: 10.5, longitude: 20.25))
        let point = #"{"type":"Point","coordinates":[20.25,10.5]}"#
        let polygon = #"{"type":"Polygon","coordinates":[[[1.0,1.0],[2.0,1.0],[2.0,2.0],[1.0,1.0]]]}"#
        let collection = "{\"type\":\"GeometryCollection\",\"geometries\":[\(point),\(polygon)]}"
        #expect(event.geometry == collection)
        #expect(answer.issues.map(\.reason) == ["bad_coordinate", "bad_coordinate"])
        #expect(answer.issues.allSatisfy { !$0.costsItem && $0.position == "alert FIRE-3" })
    }

    @Test func circlesAsFeedsWriteThem() throws {
        let answer = try CAPTesting.fixture("circle-shapes.xml")
        try #require(answer.events.count == 5)
        let cleveland = try #require(Coordinate(latitude: 52.825, longitude: -169.944))
        for event in answer.events.prefix(3) {
            #expect(event.location == Location(cleveland), "\(event.id)")
        }
        #expect(answer.events[3].location == nil)
        #expect(answer.events[4].location == nil)
        #expect(answer.issues.map(\.found) == ["0.0,0.0 0", "somewhere"])
    }

    @Test func falsePinsAreRefused() throws {
        let answer = try CAPTesting.fixture("false-pins.xml")
        try #require(answer.events.count == 8)
        #expect(answer.events.prefix(7).allSatisfy { $0.location == nil && $0.geometry == nil })
        #expect(answer.events[7].location?.method == .circle)
        #expect(answer.issues.count == 7)
        #expect(answer.issues.allSatisfy { $0.reason == "bad_coordinate" && !$0.costsItem })
    }

    @Test func halfTheWorldIsNoPlace() throws {
        let answer = try CAPTesting.fixture("half-the-world.xml")
        #expect(answer.events.map(\.id) == ["H1", "H2", "H3", "H4", "H5"])
        try #require(answer.events.count == 5)
        #expect(answer.events.prefix(3).allSatisfy { $0.location == nil })
        #expect(answer.events.allSatisfy { $0.geometry != nil })
        #expect(answer.events[3].location?.method == .polygon)
        let beside = try #require(answer.events[4].location?.coordinate)
        #expect(abs(beside.longitude - 11) < 1e-9)
        #expect(answer.issues.map(\.position) == ["alert H1", "alert H2", "alert H3", "alert H5"])
        #expect(answer.issues.allSatisfy { $0.reason == "bad_coordinate" && !$0.costsItem })
    }

    @Test func namesMustBeSound() throws {
        let answer = try CAPTesting.fixture("bad-ids.xml")
        #expect(answer.events.map(\.id) == ["B4", "B5"])
        #expect(answer.events.map(\.language) == [nil, "de-CH"])
        #expect(answer.issues.map(\.reason) == ["bad_id", "bad_id", "bad_id"])
        #expect(answer.issues.map(\.found) == ["identifier", "sender", "identifier"])
        #expect(answer.issues.allSatisfy { $0.costsItem })
        let types = try answer.events.map { event in
            (try CAPTesting.details(event)["resources"] as? [[String: Any]])?.first?["mimeType"] as? String
        }
        #expect(types == [nil, "image/png"])
    }

    @Test func ofAlertsOfOneNameTheLastSentCounts() throws {
        let answer = try CAPTesting.fixture("twice.xml")
        #expect(answer.events.map(\.title) == ["newer", "other"])
        #expect(answer.issues.map(\.reason) == ["duplicate_id", "status_exercise"])
        #expect(answer.issues.allSatisfy { $0.costsItem })
    }

    /// Texts and lists are cut since every event has its own copy of them.
    @Test func textsAndListsAreCut() throws {
        let long = String(repeating: "x", count: 100_000)
        let references = (1...600).map { "s@example.org,R\($0),2024-01-01T00:00:00Z" }.joined(separator: " ")
        let value = "<value>\(long.prefix(2_000))</value>"
        let parameters = (1...300).map { "<parameter><valueName>p\($0)</valueName>\(value)</parameter>" }
        let info = """
            <info><event>\(long)</event><headline>\(long)</headline><description>\(long)</description>
            <web>https://example.org/\(long)</web>\(parameters.joined())<area><areaDesc>\(long)</areaDesc></area></info>
            """
        let text = """
            <alert><identifier>L1</identifier><sender>s@example.org</sender><sent>2024-01-01T00:00:00Z</sent>
            <status>Actual</status><msgType>Update</msgType><source>\(long)</source><note>\(long)</note>
            <references>\(references)</references>\(info)\(info)</alert>
            """
        let answer = try CAPTesting.decode(Data(text.utf8))
        try #require(answer.events.count == 2)
        let event = answer.events[0]
        #expect(event.title.count <= 1010)
        #expect((event.summary?.count ?? 0) > 60_000 && (event.summary?.count ?? 0) <= 65_546)
        #expect((event.place?.count ?? 0) <= 1010)
        #expect(event.link == nil, "a cut address leads nowhere")
        #expect(event.aliases.count == 50)
        #expect(answer.withdrawals.count == 500)
        let details = try CAPTesting.details(event)
        #expect((details["references"] as? [String])?.count == 50)
        let kept = try #require(details["parameters"] as? [String: String])
        #expect(kept.count == 200)
        #expect(kept.values.allSatisfy { $0.count <= 1010 })
        for key in ["note", "source"] {
            let text = try #require(details[key] as? String)
            #expect((900...1010).contains(text.count))
        }
    }

    @Test func polygonsOfManyPointsGiveTheirMiddleOnly() throws {
        for (count, isKept) in [(9_999, true), (10_000, false)] {
            let points = (0..<count).map { "46.\(10_000 + $0),7.\($0 % 2)" }.joined(separator: " ")
            let text = """
                <alert><identifier>M1</identifier><sender>s@example.org</sender><sent>2024-01-01T00:00:00Z</sent>
                <status>Actual</status><msgType>Alert</msgType><info><event>a</event>
                <area><polygon>\(points)</polygon></area></info></alert>
                """
            let answer = try CAPTesting.decode(Data(text.utf8))
            #expect(answer.events.first?.location?.method == .polygon)
            #expect((answer.events.first?.geometry != nil) == isKept, "the ring is closed by one more point")
            #expect(answer.issues.map(\.reason) == (isKept ? [] : ["too_many_points"]))
        }
    }

    @Test func whatIsNoEventIsCountedByReason() throws {
        let answer = try CAPTesting.fixture("refused.xml")
        #expect(answer.events.map(\.id) == ["E9"])
        #expect(answer.events.first?.time == nil)
        #expect(answer.withdrawals.isEmpty)
        #expect(
            answer.issues.map(\.reason) == [
                "status_exercise", "status_unknown", "status_missing", "no_id", "no_id", "no_info", "bad_date",
                "no_references",
            ])
        #expect(answer.issues.filter { !$0.costsItem }.map(\.reason) == ["bad_date"])
        #expect(answer.tallies["ignored"] == 2)
        #expect(answer.tallies["cancels"] == 1)
    }

    @Test func statusesCanBeConfigured() throws {
        let answer = try CAPTesting.fixture("refused.xml", options: ["statuses": .texts(["exercise"])])
        #expect(answer.events.map(\.id) == ["E1"])
        #expect(answer.events.first?.status == "exercise")
        #expect(answer.issues.contains { $0.reason == "status_actual" })
    }

    @Test func pagesAndPiecesAreRefused() throws {
        for name in ["html-page.xml", "truncated.xml"] {
            #expect(throws: Failure.self, "\(name)") { try CAPTesting.fixture(name) }
        }
        #expect(throws: Failure.self) { try CAPTesting.decode(Data()) }
        #expect(throws: Failure.self) { try CAPTesting.decode(Data("<kml/>".utf8)) }
        #expect(throws: Failure.self) { try CAPTesting.decode(Data(#"{"alert":1}"#.utf8)) }
        #expect(try CAPTesting.decode(Data("<alerts/>".utf8)).events.isEmpty)
    }

    @Test func requestsSayWhatIsWanted() throws {
        let request = try #require(try CAPTesting.feed().requests(for: PollContext(now: Date(milliseconds: 0))).first)
        #expect(request.role == "feed")
        #expect(request.isConditional)
        #expect(request.headers["Accept"]?.contains("application/cap+xml") == true)
        #expect(request.headers["Accept"]?.contains("json") == false)
    }

    /// Some senders put a document of their own, or XHTML, where CAP wants plain text.
    @Test(arguments: [
        (
            """
            <typhoon-info xmlns="http://cwa.example/typhoon"><section title="Warning"><no>12</no><text>Sea and land \
            warning for Taitung</text></section><section title="Strength"><text>Moderate</text></section></typhoon-info>
            """, "12 Sea and land warning for Taitung Moderate"
        ),
        ("<wind_speed>12 kt</wind_speed><wind_from>NW</wind_from>", "12 kt NW"),
        (
            """
            <div xmlns="http://www.w3.org/1999/xhtml"><p>SO<sub>2</sub> &amp; ash,<br/><b>st</b>rong</p><p>AT&amp;T</p></div>
            """, "SO2 & ash, strong AT&T"
        ),
    ])
    func textsOfElementsInsideDoNotRunTogether(inside: String, text: String) throws {
        let alert = """
            <alert><identifier>N1</identifier><sender>s@example.org</sender><sent>2024-01-01T00:00:00Z</sent>
            <status>Actual</status><msgType>Alert</msgType><note>\(inside)</note><info><event>a</event>
            <description>
            \(inside)</description><area><areaDesc>\(inside)</areaDesc></area></info></alert>
            """
        let event = try #require(try CAPTesting.decode(Data(alert.utf8)).events.first)
        #expect(event.summary == text && event.place == text)
        #expect(try CAPTesting.details(event)["note"] as? String == text)
    }
}
