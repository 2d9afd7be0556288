import Feeds
import Foundation
import Model
import TestSupport
import Testing

/// Documents rebuilt from public reports about other readers, where they stand beside the checkout.
@Suite(.enabled(if: PublicReports.areAvailable, "the reports are not beside the checkout"))
struct PublicReportTests {
    private func decode(_ file: String, as kind: String, type: String? = nil) throws -> FeedAnswer {
        try PublicReports.decode(file, as: kind, type: type)
    }

    private func position(_ file: String) throws -> [Double?] {
        let place = try decode(file, as: "rss").events.first?.location?.coordinate
        return [place?.latitude, place?.longitude]
    }

    @Test func namespacesAreReadInOtherSpellings() throws {
        #expect(try position("01-geo-namespace-emsc-tmd.xml") == [18.856, 97.984])
        #expect(try position("02-geo-in-georss-namespace.xml") == [52.7118936, 5.8554612])
        let event = try #require(try decode("03-namespace-whitespace.xml", as: "rss").events.first)
        #expect(event.time?.rfc3339 == "2024-01-01T10:00:00Z")
        #expect(event.author?.name == "Ana" && event.summary == "Full")
        let link = try decode("04-atom-namespace-slash.xml", as: "rss").events.first?.link
        #expect(link == "https://n.example/1")
    }

    @Test func theCharsetOfContentTypeCounts() throws {
        let cyrillic = try decode("05-http-charset-1251.xml", as: "rss", type: "text/xml;charset=WINDOWS-1251")
        #expect(cyrillic.events.first?.title == "Землетрясение на Камчатке")
        let portuguese = try decode(
            "06-http-charset-utf8-declared-latin1.xml", as: "rss", type: "text/xml; charset=utf-8")
        #expect(portuguese.events.first?.title == "Erupção em São Jorge")
    }

    @Test func shapesAndTracksAreRead() throws {
        let joined = try decode("10-kml-tuples-joined.kml", as: "kml")
        let points = joined.events.map { $0.geometry?.components(separatedBy: "],[").count }
        #expect(points.first == 4 && points.last == 3, "\(points)")
        #expect(joined.issues.contains { $0.reason == "joined_tuples" && $0.found.contains("10,50,0,11,51,0") })
        let track = try #require(try decode("11-track-empty-coord.kml", as: "kml").events.last)
        #expect(track.title == "Survey track" && track.geometry?.components(separatedBy: "],[").count == 2)
        #expect(track.time?.rfc3339 == "2021-03-04T12:20:47.916Z")
    }

    @Test func textsOfElementsStandApart() throws {
        let alert = try decode("12-cap-nested-description.xml", as: "cap").events.first
        #expect(alert?.summary == "12 Sea and land warning for Taitung Moderate")
        #expect(try decode("22-kml-naked-markup.kml", as: "kml").events.first?.summary == "One two mag 3")
    }

    @Test func referencesAreReadOrReported() throws {
        let own = try decode("13-cap-cancel-refers-to-itself.xml", as: "cap")
        #expect(own.issues.map(\.reason) == ["no_references"])
        let spaced = try decode("14-cap-references-with-blanks.xml", as: "cap")
        #expect(spaced.withdrawals.map(\.id) == ["A-1"])
    }

    @Test func messagesHaveTheirOwnIDs() throws {
        let message = try #require(try decode("15-twarc-flattened.jsonl", as: "twitter").events.first)
        #expect(message.id == "1700000000000000003" && message.author?.name.contains("obs") == true, "\(message)")
        let floats = try decode("16-tweet-float-ids.json", as: "twitter")
        #expect(floats.events.isEmpty && floats.issues.allSatisfy { $0.reason == "no_id" })
    }

    @Test func geoJSONOfOthersIsRefused() throws {
        let failure = #expect(throws: Failure.self) { try decode("17-foreign-geojson-as-usgs.json", as: "usgs") }
        #expect(failure?.code == "not_usgs")
    }

    @Test func relationsReferencesAndPlacesAreRead() throws {
        let links = try decode("19-atom-rel.xml", as: "rss").events.map(\.link)
        #expect(links == ["https://a.example/1", "https://a.example/2", "https://a.example/3"])
        let event = try decode("20-surrogate-references.xml", as: "rss").events.first
        #expect(event?.title == "quake 😀 felt" && event?.summary == "ash 😀 fell")
        let place = try decode("21-sitemap-geo-locations.xml", as: "sitemap").events.first?.place
        #expect(place == "Detroit, Michigan, USA")
    }

    @Test func aNumberBehindTheLinkIsNoIdentity() throws {
        let answer = try decode("07-bbc-guid-fragments.xml", as: "rss")
        let address = "https://www.bbc.com/news/articles/c0000000001o"
        #expect(Set(answer.events.map(\.id)) == [address])
        #expect(answer.events.last?.aliases == (0...3).map { "\(address)#\($0)" })
    }

    @Test func zonesAreReadByTheirNames() throws {
        let times = try decode("08-zone-names.xml", as: "rss").events.map { $0.time?.rfc3339 }
        #expect(times == ["2019-07-26T01:00:00Z", "2021-09-30T00:18:45Z", "2021-09-29T14:18:45Z"])
    }

    @Test func datesAreReadInOtherForms() throws {
        let times = try decode("09-dates-unread.xml", as: "rss").events.map { $0.time?.rfc3339 }
        #expect(
            times == [
                "2023-03-19T03:21:00Z", "2022-12-29T10:13:20Z", "2023-06-22T17:11:00Z",
                "2020-11-16T13:16:28Z", "2017-12-22T15:09:00Z", "2016-06-29T15:07:41Z",
                "2020-11-08T21:20:00Z",
            ])
    }
}

/// The folder of the reports.
enum PublicReports {
    private static let root = Captures.root.deletingLastPathComponent().appendingPathComponent("review/reports")
    static let areAvailable = FileManager.default.fileExists(atPath: root.path)

    /// What a source of a kind makes of a report.
    /// - Parameter type: The Content-Type that it is served with.
    static func decode(_ file: String, as kind: String, type: String? = nil) throws -> FeedAnswer {
        let url = kind == "twitter" ? "file:///\(file)" : "https://reports.example/\(file)"
        let source = SourceSettings(name: "report", kind: kind, url: url)
        let feed = try #require(try FeedRegistry.feed(for: source))
        let body = try Data(contentsOf: root.appendingPathComponent(file))
        let request = FeedRequest(url: source.url)
        let context = PollContext(now: Date(timeIntervalSince1970: 1_732_838_400))
        let headers = type.map { ["content-type": $0] } ?? [:]
        return try feed.decode(FeedResponse(request: request, headers: headers, body: body), for: context)
    }
}
