import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct TwitterV1Tests {
    @Test func aStatusBecomesAnEvent() throws {
        let event = try #require(try TwitterDecoding.answer(fixture: "v1-search.json").events.first)
        #expect(event.provider == "twitter")
        #expect(event.id == "2028047844111286272")
        #expect(event.aliases.isEmpty)
        #expect(event.category == .message)
        #expect(event.weight == 1)
        #expect(event.time?.rfc3339 == "2026-03-01T10:01:00Z")
        #expect(event.title == "Shaking in Pleasanton for > 10 s & still going")
        #expect(event.summary == "Shaking in Pleasanton\nfor > 10 s & still going")
        #expect(event.link == "https://twitter.com/jo_1/status/2028047844111286272")
        #expect(event.author == Author(name: "jo_1", link: "https://twitter.com/jo_1"))
        #expect(event.language == "en")
        #expect(event.place == "Pleasanton, CA, United States")
        #expect(event.location == Coordinate(latitude: 37.6, longitude: -121.8).map { Location($0) })
        let details = try TwitterDecoding.details(event)
        #expect(details["author_name"] as? String == "Jo_1")
        #expect(details["author_location"] as? String == "San Jose, CA")
        #expect(details["place_from"] as? String == "place")
        #expect(details["place_type"] as? String == "city")
        #expect(details["hashtags"] as? [String] == ["quake"])
        #expect(details["in_reply_to"] as? String == "5")
        #expect(details["in_reply_to_author"] as? String == "someone")
    }

    @Test func thePremiumSearchHasTheSameStatuses() throws {
        let answer = try TwitterDecoding.answer(fixture: "premium-search.json")
        #expect(answer.events.map(\.id) == ["2028048850744311808", "2028048599086071808"])
        #expect(
            answer.events.first?.summary == "Lava has reached the road below the village; the school is being cleared")
        #expect(answer.events.last?.location == Coordinate(latitude: 28.6, longitude: -17.9).map { Location($0) })
        #expect(answer.issues.map(\.reason) == ["no_id"])
        #expect(answer.cost == 3)
    }

    @Test func aRetweetIsTheOriginalWithItsFullText() throws {
        let event = try TwitterDecoding.answer(fixture: "v1-search.json").events[1]
        #expect(event.id == "2028048347427766272")
        // A delete of the retweet must not reach the original.
        #expect(event.aliases.isEmpty)
        #expect(event.summary?.hasSuffix("keep indoors & close the windows; schools stay shut too") == true)
        #expect(event.title == "Ash over the village, roads closed until the evening. Please keep indoors &…")
        #expect(event.author?.name == "observatory")
        #expect(event.author?.picture == "https://pbs.example.org/o.png")
        #expect(event.place == "Catania, Sicily")
        let details = try TwitterDecoding.details(event)
        #expect(details["place_from"] as? String == "author")
        #expect(details["urls"] as? [String] == ["https://example.org/etna"])
        #expect(details["retweets"] as? Int == 7)
        #expect(details["favourites"] as? Int == 9)
        #expect(details["source"] as? String == "Ash & Co")
    }

    @Test func aQuoteIsOneEventWithBothTexts() throws {
        let event = try TwitterDecoding.answer(fixture: "v1-search.json").events[2]
        #expect(event.id == "2028048599086006272")
        #expect(event.title == "Look at this https://t.co/q")
        #expect(event.summary?.hasPrefix("Look at this https://t.co/q\n“Ash over the village,") == true)
        #expect(event.summary?.hasSuffix("schools stay shut too” — @observatory") == true)
        let details = try TwitterDecoding.details(event)
        #expect(details["quoted_id"] as? String == "2028048347427766272")
        #expect(details["quoted_author"] as? String == "observatory")
        #expect(details["possibly_sensitive"] as? Bool == false)
    }

    @Test func faultyStatusesCostThemselvesOnly() throws {
        let answer = try TwitterDecoding.answer(fixture: "v1-search.json")
        #expect(answer.events.count == 5)
        #expect(answer.issues.map(\.reason) == ["no_id", "no_text", "bad_date"])
        #expect(answer.issues.map(\.costsItem) == [true, true, false])
        #expect(answer.issues.map(\.position).first == "item 4")
        #expect(answer.tallies == ["links": 1])
        #expect(answer.cost == 7)
    }

    @Test func aMissingDateIsReadFromTheId() throws {
        let events = try TwitterDecoding.answer(fixture: "v1-search.json").events
        #expect(events[3].time?.rfc3339 == "2026-03-01T10:05:00Z")
        #expect(events[4].time?.rfc3339 == "2026-03-01T10:06:00Z")
        #expect(events[4].author == nil)
        #expect(events[4].link == "https://twitter.com/i/status/2028049102402486272")
    }

    @Test func placesAreNoFalsePins() throws {
        let answer = try TwitterDecoding.answer(fixture: "v1-places.json")
        let events = answer.events
        #expect(events.count == 9)

        #expect(events[0].location?.precision == .point)
        #expect(events[0].location?.method == .box)
        #expect(events[0].location?.coordinate == Coordinate(latitude: 37, longitude: 15))

        let fiji = try #require(events[1].location)
        #expect(fiji.precision == .region)
        #expect(abs(fiji.coordinate.longitude - 179.35) < 1e-6)
        #expect(events[1].place == "Northern, Fiji")

        #expect(events[2].place == "Chile")
        #expect(events[2].location == nil)

        #expect(events[3].location?.coordinate == Coordinate(latitude: -33.4, longitude: -70.6))
        #expect(events[3].place == "Home 4")

        #expect(events[4].location?.method == .box)
        #expect(events[4].location?.precision == .city)
        #expect(events[5].location == nil)
        #expect(events[6].location == nil)
        #expect(
            answer.issues.map(\.reason) == [
                "bad_coordinate", "bad_coordinate", "bad_coordinate", "bad_date", "bad_coordinate",
            ])
        #expect(!answer.issues.contains { $0.costsItem })

        // Ids from before November 2010 contain no time.
        #expect(events[7].id == "20")
        #expect(events[7].time == nil)

        #expect(events[8].place == "Alaska, USA")
        #expect(events[8].location == nil)
    }

    @Test func anEditedStatusKeepsItsFirstId() throws {
        let text = """
            {"id_str":"2028048850744246317","full_text":"Second","created_at":"Sun Mar 01 10:06:00 +0000 2026",
             "edit_history":{"initial_tweet_id":"2028048850744246272"}}
            """
        let event = try #require(try TwitterDecoding.answer(Data(text.utf8)).events.first)
        #expect(event.id == "2028048850744246272")
        #expect(event.aliases == ["2028048850744246317"])
        #expect(event.time?.rfc3339 == "2026-03-01T10:05:00Z")
        #expect(event.updated?.rfc3339 == "2026-03-01T10:06:00Z")
    }

    @Test func titlesEndAtAWord() {
        #expect(TweetText.title("one\n two") == "one two")
        let words = String(repeating: "word ", count: 30)
        #expect(TweetText.title(words) == String(repeating: "word ", count: 15) + "word…")
        #expect(TweetText.title(String(repeating: "x", count: 80)).count == 80)
        let unbroken = TweetText.title(String(repeating: "火", count: 120))
        #expect(unbroken == String(repeating: "火", count: 79) + "…")
        // A flag has two scalars, which must stay together.
        let flags = TweetText.title("x" + String(repeating: "🇮🇹", count: 60))
        #expect(flags == "x" + String(repeating: "🇮🇹", count: 39) + "…")
    }

    /// Programs that write ids as floats have rounded them, so that many messages share one.
    @Test func idsThatWereRoundedToFloatsAreNone() throws {
        let text = """
            [{"id":1.033e18,"text":"a","created_at":"Wed Aug 27 13:08:45 +0000 2018","user":{"screen_name":"u"}},
             {"id":1.033e18,"text":"b another","created_at":"Wed Aug 27 13:09:45 +0000 2018","user":{"screen_name":"v"}},
             {"id":1033000000000000000.0,"text":"c","author_id":"1"},{"delete":{"status":{"id":1.033e18}}},
             {"id":1.033e18,"id_str":"1033000000000000001","text":"d","in_reply_to_status_id":1.032e18},
             {"id":1033000000000000002,"text":"e"}]
            """
        let answer = try TwitterDecoding.answer(Data(text.utf8))
        #expect(answer.events.map(\.id) == ["1033000000000000001", "1033000000000000002"])
        #expect(answer.withdrawals.isEmpty)
        #expect(answer.issues.filter(\.costsItem).map(\.reason) == ["no_id", "no_id", "no_id", "no_id"])
        let first = try #require(answer.events.first)
        #expect(try TwitterDecoding.details(first)["in_reply_to"] == nil)
    }
}
