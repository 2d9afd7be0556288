import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// The result of real captures; `items` in PROVENANCE.md also counts retweeted, quoted and included messages.
@Suite struct TwitterCapturesTests {
    struct Expected: Sendable, CustomTestStringConvertible {
        var file: String
        var events: Int
        var distinct: Int
        var links = 0
        var located: [Location.Method: Int] = [:]
        var placed = 0
        var tallies: [String: Int] = [:]
        var issues: [String] = []

        var testDescription: String { file }
    }

    static let table = [
        Expected(file: "v11_missing_field_2017.json", events: 1, distinct: 1, located: [.box: 1], placed: 1),
        Expected(file: "v11_missing_user_2017.json", events: 1, distinct: 1, located: [.box: 1], placed: 1),
        Expected(file: "v11_search2_2013.json", events: 3, distinct: 3, placed: 2),
        Expected(file: "v11_search_2013.json", events: 3, distinct: 2, placed: 3),
        Expected(
            file: "v11_search_geocode_2015.json", events: 15, distinct: 14, links: 14, located: [.coordinates: 15],
            placed: 15),
        Expected(file: "v11_search_ja_2014.json", events: 100, distinct: 42, links: 13, placed: 23),
        Expected(
            file: "v11_status_with_place_2018.json", events: 1, distinct: 1, links: 1, located: [.box: 1], placed: 1),
        Expected(
            file: "v11_stream_sample_2017.ndjson", events: 20, distinct: 19, links: 14, located: [.box: 13],
            placed: 13),
        Expected(
            file: "v11_stream_track_2011.ndjson", events: 2, distinct: 1, located: [.coordinates: 2], placed: 2,
            tallies: ["keep_alive": 1]),
        Expected(file: "v2_edited_after.jsonl", events: 1, distinct: 1, links: 1),
        Expected(
            file: "v2_geo_tweets.jsonl", events: 2, distinct: 2, links: 2, located: [.coordinates: 1, .box: 1],
            placed: 1),
        Expected(
            file: "v2_search_pages.jsonl", events: 100, distinct: 83, links: 55, placed: 72, tallies: ["errors": 1],
            issues: ["upstream_error"]),
        Expected(file: "v2_search_query.json", events: 4, distinct: 4, links: 2),
    ]

    @Test(
        .enabled(if: Captures.areAvailable, "captures are not beside the checkout"),
        arguments: TwitterCapturesTests.table)
    func captureGivesItsNumbers(expected: Expected) throws {
        let answer = try TwitterDecoding.answer(Captures.data("twitter/" + expected.file))
        #expect(answer.events.count == expected.events)
        #expect(Set(answer.events.map(\.id)).count == expected.distinct)
        #expect(answer.issues.map(\.reason) == expected.issues)
        var tallies = expected.tallies
        if expected.links > 0 { tallies["links"] = expected.links }
        #expect(answer.tallies == tallies)
        let methods = answer.events.compactMap { $0.location?.method }
        #expect(Dictionary(methods.map { ($0, 1) }, uniquingKeysWith: +) == expected.located)
        #expect(answer.events.filter { $0.place != nil }.count == expected.placed)
        #expect(answer.events.allSatisfy { $0.time != nil && !$0.title.isEmpty && $0.link != nil })
        #expect(answer.events.allSatisfy { $0.title.unicodeScalars.count <= TweetText.titleLength })
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func anEditedCaptureKeepsItsFirstId() throws {
        let answer = try TwitterDecoding.answer(Captures.data("twitter/v2_edited_after.jsonl"))
        let event = try #require(answer.events.first)
        #expect(event.id == "1576994746135764992")
        #expect(event.aliases == ["1576994789110992896"])
        #expect(event.time?.rfc3339 == "2022-10-03T17:57:01Z")
        #expect(event.updated?.rfc3339 == "2022-10-03T17:57:11Z")
    }

    @Test(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
    func roundedNumbersGiveWayToTheIdAsText() throws {
        let answer = try TwitterDecoding.answer(Captures.data("twitter/v11_missing_field_2017.json"))
        #expect(answer.events.first?.id == "867468138991964160")
        #expect(answer.events.first?.place == "Las Condes, Chile")
    }
}
