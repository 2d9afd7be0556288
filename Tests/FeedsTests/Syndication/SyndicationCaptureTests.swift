import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite(.enabled(if: Captures.areAvailable, "captures are not beside the checkout"))
struct SyndicationCaptureTests {
    /// The result of a recording: events, refused items, issues except faulty markup, and the server's interval.
    struct Expectation: Sendable, CustomTestStringConvertible {
        var file: String
        var events: Int
        var refused = 0
        var issues: Set<String> = []
        var isMalformed = false
        var interval: Double?

        var testDescription: String { file }
    }

    static let table: [Expectation] = [
        Expectation(file: "rss/breakingnews_2017-01.xml", events: 10, interval: 180),
        Expectation(file: "rss/dailymail_2017-01.xml", events: 0),
        // The end tag of the root is missing.
        Expectation(file: "rss/feedjira_InvalidDateFormat.xml", events: 2, issues: ["truncated"], isMalformed: true),
        Expectation(file: "rss/feedrs_iso-8859-1.xml", events: 1),
        Expectation(file: "rss/gdacs_24h.xml", events: 21),
        Expectation(file: "rss/intranet30_iso-8859-1_2018-08.xml", events: 30),
        Expectation(file: "rss/japantimes_2017-01.xml", events: 118, interval: 3600),
        Expectation(file: "rss/lemonde_2017-01.xml", events: 18),
        // Each of the ten items contains an empty one, without title and text.
        Expectation(
            file: "rss/nodefeedparser_illegally-nested.xml", events: 10, refused: 10, issues: ["empty_item"],
            interval: 3600),
        Expectation(file: "rss/nodefeedparser_invalid-characters.xml", events: 25),
        Expectation(file: "rss/orf_rss10_2017-01.xml", events: 50, interval: 1800),
        Expectation(file: "rss/reuters_business_2019-01-19.xml", events: 20),
        Expectation(file: "rss/reuters_topNews_2012-10-25.xml", events: 10),
        Expectation(file: "rss/reuters_worldNews_2018-01-30.xml", events: 10),
        Expectation(file: "rss/rome_usgs_all_hour_atom_2018-11-19.xml", events: 6),
        Expectation(file: "rss/theverge_atom_2017.xml", events: 10),
        Expectation(file: "rss/yandex_2017-01.xml", events: 15),
        Expectation(file: "usgs/2018-03-05_2.5_week.atom", events: 325),
        Expectation(file: "gvp/2026-09-17_WeeklyVolcanoRSS_2items.xml", events: 2),
    ]

    private func decode(_ file: String) throws -> FeedAnswer {
        let feed = try SyndicationFeed(SourceSettings(name: "n", kind: "rss", url: "https://e.org/rss"))
        let poll = PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))
        let request = try #require(feed.requests(for: poll).first)
        return try feed.decode(FeedResponse(request: request, body: try Captures.data(file)), for: poll)
    }

    @Test(arguments: SyndicationCaptureTests.table) func recordingGivesItsNumbers(_ expected: Expectation) throws {
        let answer = try decode(expected.file)
        #expect(answer.events.count == expected.events)
        #expect(Set(answer.events.map { $0.provider + " " + $0.id }).count == expected.events)
        #expect(answer.issues.filter(\.costsItem).count == expected.refused)
        #expect(Set(answer.issues.map(\.reason)).subtracting(["bad_xml"]) == expected.issues)
        #expect(answer.issues.contains(where: { $0.reason == "bad_xml" }) == expected.isMalformed)
        #expect(answer.requestedInterval?.seconds == expected.interval)
        for event in answer.events {
            #expect(!event.title.isEmpty)
            _ = try SyndicationCase.details(of: event)
        }
    }

    @Test func reutersStoriesHaveIdsAndDatelines() throws {
        let world = try decode("rss/reuters_worldNews_2018-01-30.xml").events
        let first = try #require(world.first)
        #expect(first.provider == "reuters")
        #expect(first.id == "idUSKBN1FJ23Z")
        #expect(first.title == "U.S. general says North Korea not demonstrated all components of ICBM")
        #expect(first.time?.rfc3339 == "2018-01-30T17:29:57Z")
        #expect(first.summary?.hasPrefix("WASHINGTON (Reuters) - North Korea's nuclear program") == true)
        #expect(first.summary?.hasSuffix("said on Tuesday.") == true)
        #expect(first.language == "en-us")
        #expect(
            world.map(\.place) == [
                "WASHINGTON", "MOSCOW", "WASHINGTON", "AMMAN", "RIYADH", "SOCHI, Russia", "WASHINGTON", "WASHINGTON",
                "VATICAN CITY", "ANKARA",
            ])
        let top = try decode("rss/reuters_topNews_2012-10-25.xml").events
        #expect(top.first?.id == "idUSBRE89M11220121025")
        #expect(
            top.first?.link
                == "http://www.reuters.com/article/2012/10/25/us-usa-campaign-idUSBRE89M11220121025")
        #expect(
            top.map(\.place) == [
                "DAVENPORT, Iowa", "NEW YORK", "NEW YORK", "BEIJING", "UNITED NATIONS", "WASHINGTON", "MOSCOW/LONDON",
                "WASHINGTON", "QUETTA, Pakistan/PUNCAK,Indonesia", "ADDIS ABABA",
            ])
        let business = try decode("rss/reuters_business_2019-01-19.xml").events
        #expect(business.allSatisfy { $0.provider == "reuters" && $0.id.hasPrefix("idUSKCN1P") && $0.place == nil })
    }

    @Test func earthquakesOfAtomFeedsAreThoseOfGeoJSON() throws {
        let hour = try decode("rss/rome_usgs_all_hour_atom_2018-11-19.xml").events
        let first = try #require(hour.first)
        #expect(first.provider == "usgs")
        #expect(first.id == "ci38138255")
        #expect(first.magnitude == 2.1)
        #expect(first.depth == -0.47)
        #expect(first.place == "27km SE of Campo, CA")
        #expect(first.time?.rfc3339 == "2018-11-19T21:42:38Z")
        #expect(first.updated?.rfc3339 == "2018-11-19T21:45:04.398Z")
        #expect(first.location?.coordinate == Coordinate(latitude: 32.4126663, longitude: -116.2923355))
        let week = try decode("usgs/2018-03-05_2.5_week.atom").events
        #expect(week.allSatisfy { $0.category == .earthquake && $0.time != nil })
        #expect(week.allSatisfy { $0.location != nil && $0.depth != nil })
        #expect(week.count(where: { ($0.magnitude ?? 0) >= 4.5 }) == 142)
        #expect(week.max(by: { ($0.magnitude ?? 0) < ($1.magnitude ?? 0) })?.id == "us2000d867")
    }

    @Test func disastersHaveCategoriesAndPositions() throws {
        let events = try decode("rss/gdacs_24h.xml").events
        let counts = Dictionary(grouping: events) { $0.category.rawValue }.mapValues { $0.count }
        #expect(counts == ["drought": 11, "earthquake": 8, "cyclone": 2])
        // Seven droughts concern several countries, whose middle is no place; the other four concern one.
        #expect(events.count(where: { $0.location?.method == .coordinates }) == 14)
        #expect(events.first?.id == "DR1012728")
        #expect(events.first?.location == nil)
        #expect(events.count(where: { $0.location?.precision == .country }) == 4)
        #expect(events.count(where: { $0.location?.precision == .region }) == 2)
        let quake = try #require(events.first(where: { $0.id == "EQ1200043" }))
        #expect(quake.magnitude == 5.3)
        #expect(quake.depth == 10)
        #expect(quake.time?.rfc3339 == "2019-12-29T18:24:41Z")
        let fields = try SyndicationCase.fields(of: quake)
        #expect(fields["details.alertlevel"] == "Green")
    }

    @Test func volcanoReportsAreNamedByVolcanoAndWeek() throws {
        let events = try decode("gvp/2026-09-17_WeeklyVolcanoRSS_2items.xml").events
        #expect(events.map(\.provider) == ["gvp", "gvp"])
        #expect(events.map(\.id) == ["krakatau@2026-09-10", "kilauea@2026-09-10"])
        #expect(events.map(\.aliases) == [["vn262000@2026-09-10"], ["vn332010@2026-09-10"]])
        #expect(events.map(\.place) == ["Indonesia", "United States"])
        #expect(events.allSatisfy { $0.category == .volcano && $0.location != nil })
    }

    @Test func encodingsAreRead() throws {
        let portuguese = try #require(try decode("rss/feedrs_iso-8859-1.xml").events.first)
        #expect(portuguese.title == "Revolução nas telas com pontos quânticos impressos em 3D")
        #expect(portuguese.language == "pt-br")
        #expect(portuguese.time?.rfc3339 == "2020-08-13T09:57:55Z")
        let swedish = try #require(try decode("rss/intranet30_iso-8859-1_2018-08.xml").events.first)
        #expect(swedish.title == "SVART MÅNAD - DÖDSOLYCKA i Vetlanda")
        #expect(swedish.id == "00201120180819281555686")
        #expect(swedish.author?.name == "Höglandsnytt")
        let fields = try SyndicationCase.fields(of: swedish)
        #expect(fields["details.source"] == "Höglandsnytt")
    }

    @Test func fieldsOfOtherFeedsAreRead() throws {
        let austrian = try decode("rss/orf_rss10_2017-01.xml").events.first
        #expect(austrian?.id == "http://orf.at/stories/2376368/")
        #expect(austrian?.time?.rfc3339 == "2017-01-23T20:54:55Z")
        #expect(austrian?.language == "de")
        let verge = try decode("rss/theverge_atom_2017.xml").events
        #expect(verge.first?.author?.name == "Chris Welch")
        #expect(verge.first?.id.hasPrefix("http://www.theverge.com/ces/2017/1/7/14195588/hulu-live-tv") == true)
        #expect(verge.first?.time?.rfc3339 == "2017-01-07T14:00:01Z")
        #expect(verge.allSatisfy { $0.language == "en" })
        let japan = try decode("rss/japantimes_2017-01.xml").events
        #expect(japan.allSatisfy { $0.time == nil })
        #expect(japan.count(where: { $0.author != nil }) == 72)
        let irish = try decode("rss/breakingnews_2017-01.xml").events.first
        #expect(irish?.link?.hasPrefix("http://www.breakingnews.ie/business/higher-wages") == true)
        let nested = try decode("rss/nodefeedparser_illegally-nested.xml").events.first
        #expect(nested?.id == "http://www.pcmag.com/article2/0,2817,2525649,00.asp?kc=PCRSS03079TX1K0000584")
        #expect(nested?.time?.rfc3339 == "2018-01-17T20:50:00Z")
        let swift = try decode("rss/nodefeedparser_invalid-characters.xml").events
        #expect(swift.allSatisfy { $0.author?.name == "Mattt Thompson" })
        let russian = try decode("rss/yandex_2017-01.xml").events.first
        #expect(russian?.time?.rfc3339 == "2017-01-07T14:12:53Z")
    }
}
