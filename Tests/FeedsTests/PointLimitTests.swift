import Foundation
import Model
import Testing
import WorkCount

@testable import Feeds

/// Points are read up to a limit, and what stands behind it costs nothing.
@Suite struct PointLimitTests {
    private static let most = FeedGeometry.mostPoints

    private func kml(_ shape: String) throws -> FeedAnswer {
        let text = "<kml><Placemark id='p'><name>n</name>\(shape)</Placemark></kml>"
        return try KMLTesting.decode(Data(text.utf8))
    }

    private func line(_ points: Int) -> String {
        "<LineString><coordinates>" + String(repeating: "1,2 3,4 ", count: points / 2) + "</coordinates></LineString>"
    }

    @Test func aLineOfManyPointsIsReducedToItsMiddle() throws {
        let answer = try kml(line(Self.most))
        let event = try #require(answer.events.first)
        #expect(event.location?.method == .line && event.geometry == nil)
        #expect(answer.issues.map(\.reason) == ["too_many_points"])
    }

    @Test func ofTooManyPointsNothingIsKept() throws {
        let answer = try kml(line(Self.most + 2))
        let event = try #require(answer.events.first)
        #expect(event.location == nil && event.geometry == nil)
        #expect(answer.issues.map(\.reason) == ["too_many_points"])
    }

    @Test func whatComesBeforeStillLocates() throws {
        let point = "<Point><coordinates>5,6</coordinates></Point>"
        let answer = try kml("<MultiGeometry>\(point)\(line(Self.most))\(line(10))</MultiGeometry>")
        let event = try #require(answer.events.first)
        #expect(event.location?.coordinate == Coordinate(latitude: 6, longitude: 5))
        #expect(event.geometry == nil && answer.issues.map(\.reason) == ["too_many_points"])
    }

    @Test func aWarningHasOneLimitForAllItsPolygons() throws {
        let polygon = "<polygon>" + String(repeating: "1,2 3,4 5,4 ", count: Self.most / 6) + "</polygon>"
        let text = """
            <alert><identifier>M1</identifier><sender>s@example.org</sender><sent>2024-01-01T00:00:00Z</sent>
            <status>Actual</status><msgType>Alert</msgType><info><event>a</event>
            <area>\(polygon)\(polygon)\(polygon)</area></info></alert>
            """
        let answer = try CAPTesting.decode(Data(text.utf8))
        let event = try #require(answer.events.first)
        #expect(event.location?.method == .polygon && event.geometry == nil)
        #expect(answer.issues.map(\.reason) == ["too_many_points"])
    }

    @Test(arguments: [
        ("georss:line", 10_000, true, true), ("georss:line", 10_002, false, true),
        ("georss:polygon", 250_002, false, false),
    ]) func aFeedHasTheSameLimits(name: String, points: Int, keepsShape: Bool, keepsPlace: Bool) throws {
        let shape = "<\(name)>" + String(repeating: "1 2 3 5 ", count: points / 2) + "</\(name)>"
        let text =
            "<rss xmlns:georss='http://www.georss.org/georss'><channel><item><title>t</title>\(shape)</item></channel></rss>"
        let url = "https://e.org/rss"
        let feed = try SyndicationFeed(SourceSettings(name: "n", kind: "rss", url: url))
        let answer = try feed.decode(
            FeedResponse(request: FeedRequest(url: url), body: Data(text.utf8)),
            for: PollContext(now: Date(timeIntervalSince1970: 0)))
        let event = try #require(answer.events.first)
        #expect((event.geometry != nil) == keepsShape && (event.location != nil) == keepsPlace)
        #expect(answer.issues.map(\.reason) == (keepsShape ? [] : ["too_many_points"]))
    }

    @Test func pointsBehindTheLimitTakeNoMemory() throws {
        // Numbers of the shape alone: the document itself is read in any case.
        func points(_ count: Int) throws -> UInt64 {
            let body = Data("<kml><Placemark>\(line(count))</Placemark></kml>".utf8)
            return try Doubling(of: 1, { _ in body }, { _ = try KMLTesting.decode($0) }).once.bytes
        }
        let least = try points(Self.most + 2)
        let (twice, text) = (try points(2 * Self.most), UInt64(4 * Self.most))
        // The text of a document may be copied a few times; each point would take 16 bytes and more.
        #expect(twice - least < 8 * text, "\(least) then \(twice) bytes")
    }
}
