import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct TwitterV2Tests {
    private func page() throws -> FeedAnswer { try TwitterDecoding.answer(fixture: "v2-page.json") }

    @Test func onlyDataAreEvents() throws {
        let answer = try page()
        #expect(answer.events.count == 6)
        #expect(answer.cost == 6)
        #expect(answer.tallies == ["errors": 1, "links": 1])
        #expect(answer.issues.map(\.reason) == ["upstream_error"])
        #expect(answer.issues.allSatisfy { !$0.costsItem && $0.found.hasPrefix("Could not find tweet") })
    }

    @Test func aRetweetIsTheOriginalFromIncludes() throws {
        let event = try page().events[0]
        #expect(event.id == "2028049354060726319")
        #expect(event.summary == "lava & steam at the summit")
        #expect(event.author?.name == "obs")
        #expect(event.link == "https://twitter.com/obs/status/2028049354060726319")
        #expect(event.time?.rfc3339 == "2026-03-01T10:07:00Z")
        #expect(event.place == "Hilo")
    }

    @Test func aRetweetWithoutItsOriginalNeverReplacesTheWhole() throws {
        let event = try page().events[1]
        #expect(event.id == "2028049605718966320")
        #expect(event.summary == "RT @gone: what was said…")
        #expect(event.author == nil)
        #expect(event.place == nil)
        let time = try #require(event.time)
        #expect(time.rfc3339 == "2026-03-01T10:08:00Z")
        let updated = try #require(event.updated)
        #expect(updated < time)
    }

    @Test func aQuoteCarriesTheQuotedText() throws {
        let event = try page().events[2]
        #expect(event.summary == "Agreed\n“lava & steam at the summit” — @obs")
        let details = try TwitterDecoding.details(event)
        #expect(details["quoted_id"] as? String == "2028049354060726319")
        #expect(details["in_reply_to"] as? String == "77")
        #expect(details["in_reply_to_author"] as? String == "obs")
    }

    @Test func anEditKeepsTheFirstId() throws {
        let event = try page().events[3]
        #expect(event.id == "2028048850744246272")
        #expect(event.aliases == ["2028048850744246317"])
        #expect(event.time?.rfc3339 == "2026-03-01T10:05:00Z")
        #expect(event.updated?.rfc3339 == "2026-03-01T10:06:00Z")
        #expect(event.location == Coordinate(latitude: -18.1, longitude: 178.5).map { Location($0) })
        #expect(event.place == "Northern, Fiji")
    }

    @Test func longTextsAndPlacesAcross180DegreesAreRead() throws {
        let event = try page().events[4]
        #expect(event.summary == "Long and whole <3")
        let location = try #require(event.location)
        #expect(location.method == .box)
        #expect(location.precision == .region)
        #expect(abs(location.coordinate.longitude - 179.5) < 1e-9)
        #expect(location.coordinate.latitude == -16.5)
        let details = try TwitterDecoding.details(event)
        #expect(details["hashtags"] as? [String] == ["whole"])
        #expect(details["urls"] as? [String] == ["https://example.org/long"])
        #expect(details["favourites"] as? Int == 3)
        #expect(details["country"] as? String == "Fiji")
    }

    @Test func whatIncludesLackIsLeftOut() throws {
        let event = try page().events[5]
        #expect(event.author == nil)
        #expect(event.place == nil)
        #expect(event.location == nil)
        #expect(event.link == "https://twitter.com/i/status/2028048599086006316")
        #expect(try TwitterDecoding.details(event)["place_id"] as? String == "unknown")
    }

    @Test func dataMayBeOneObjectOrMissing() throws {
        let one = try TwitterDecoding.answer(Data(#"{"data":{"id":"2028048850744246272","text":"x"}}"#.utf8))
        #expect(one.events.map(\.id) == ["2028048850744246272"])
        let none = try TwitterDecoding.answer(Data(#"{"meta":{"result_count":0}}"#.utf8))
        #expect(none.events.isEmpty && none.issues.isEmpty)
    }

    /// The lines of `twarc2 flatten`.
    @Test func flattenedMessagesHoldWhatIncludesHad() throws {
        let text = String(repeating: "Long message about the eruption. ", count: 20)
        let original = """
            {"type":"retweeted","id":"1700000000000000003","text":"\(text)","created_at":"2023-08-31T09:00:00.000Z",\
            "author_id":"11","author":{"id":"11","username":"obs","name":"Obs"}}
            """
        let lines = """
            {"id":"1700000000000000021","text":"RT @obs: Long mess\\u2026","created_at":"2023-08-31T10:05:00.000Z",\
            "author_id":"12","author":{"id":"12","username":"ana"},"referenced_tweets":[\(original)],"__twarc":{"url":"x"}}
            {"author":{"username":"ana"},"author_id":"12","id":"1700000000000000031","text":"Look","referenced_tweets":[\
            \(original.replacing("retweeted", with: "quoted")),{"type":"replied_to","id":"7"}],"in_reply_to_user_id":"9",\
            "in_reply_to_user":{"id":"9","username":"ben"},"geo":{"place_id":"p","id":"p","full_name":"Hilo","country":"USA",\
            "place_type":"city","geo":{"type":"Feature","bbox":[-155.2,19.6,-155,19.8]}}}
            """
        let answer = try TwitterDecoding.answer(Data(lines.utf8))
        #expect(answer.issues.isEmpty)
        try #require(answer.events.count == 2)
        let retweet = answer.events[0]
        #expect(retweet.id == "1700000000000000003" && retweet.author?.name == "obs")
        #expect(retweet.summary == text.trimmingCharacters(in: .whitespaces))
        #expect(retweet.time?.rfc3339 == "2023-08-31T09:00:00Z" && retweet.updated == retweet.time)
        let quote = answer.events[1]
        #expect(quote.author?.name == "ana" && quote.place == "Hilo, USA" && quote.location?.precision == .city)
        #expect(quote.summary?.hasPrefix("Look\n“Long message") == true && quote.summary?.hasSuffix("” — @obs") == true)
        let details = try TwitterDecoding.details(quote)
        #expect(details["quoted_id"] as? String == "1700000000000000003")
        #expect(details["in_reply_to"] as? String == "7" && details["in_reply_to_author"] as? String == "ben")
    }

    @Test func aBareRetweetWithoutItsOriginalIsAnExcerptOfIt() throws {
        let text = """
            {"id":"1700000000000000021","text":"RT @obs: Long mess","author_id":"12","created_at":"2023-08-31T10:05:00.000Z",
             "referenced_tweets":[{"type":"retweeted","id":"1700000000000000003"}]}
            """
        let event = try #require(try TwitterDecoding.answer(Data(text.utf8)).events.first)
        #expect(event.id == "1700000000000000003" && event.author == nil)
        let (time, updated) = (try #require(event.time), try #require(event.updated))
        #expect(updated < time)
    }
}
