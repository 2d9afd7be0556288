import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct SyndicationFeedTests {
    private let poll = PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))

    private func decode(
        _ body: Data, settings: SourceSettings = SourceSettings(name: "n", kind: "rss", url: "https://e.org/rss"),
        topic: String? = nil
    ) throws -> FeedAnswer {
        let feed = try SyndicationFeed(settings)
        let request = FeedRequest(url: "https://e.org/rss", topic: topic)
        return try feed.decode(FeedResponse(request: request, body: body), for: poll)
    }

    private func rss(_ items: String) -> Data {
        Data("<rss version=\"2.0\"><channel><title>T</title>\(items)</channel></rss>".utf8)
    }

    @Test func oneStoryInTwoTopicsIsOneEventWithoutADifference() throws {
        let settings = SourceSettings(
            name: "reuters", kind: "rss", url: "https://e.org/{topic}", topics: ["topNews", "worldNews"])
        let top = try decode(try Fixtures.data("rss/reuters-top-news.xml"), settings: settings, topic: "topNews")
        let world = try decode(try Fixtures.data("rss/reuters-world-news.xml"), settings: settings, topic: "worldNews")
        #expect(top.events.count == 1)
        #expect(top.events.first?.id == "idUSKBN1FJ2QW")
        #expect(top.events == world.events)
        #expect(top.events.first?.details.contains("\"place_from\":\"dateline\"") == true)
    }

    @Test func oneStoryOfAnyPublisherInTwoTopicsIsTheSame() throws {
        let settings = SourceSettings(name: "n", kind: "rss", url: "https://e.org/{topic}", topics: ["a", "b"])
        let item = "<item><guid>1</guid><title>x</title></item>"
        let first = try decode(rss(item), settings: settings, topic: "a").events
        let second = try decode(rss(item), settings: settings, topic: "b").events
        #expect(first == second)
        #expect(first.first?.provider == "https://e.org/{topic}")
    }

    @Test func eachTopicIsOneRequest() throws {
        let feed = try SyndicationFeed(
            SourceSettings(name: "n", kind: "rss", url: "https://e.org/{topic}.xml", topics: ["top", "a b"]))
        let requests = feed.requests(for: poll)
        #expect(requests.map(\.url) == ["https://e.org/top.xml", "https://e.org/a%20b.xml"])
        #expect(requests.map(\.topic) == ["top", "a b"])
        #expect(requests.allSatisfy { $0.role == "feed" && $0.isConditional })
        // GVP's server refuses requests that accept JSON.
        #expect(requests.allSatisfy { $0.headers["Accept"]?.contains("json") == false })
    }

    @Test func aTopicPlaceholderNeedsTopics() {
        #expect(throws: FeedSettingsError.self) {
            try SyndicationFeed(SourceSettings(name: "n", kind: "rss", url: "https://e.org/{topic}"))
        }
    }

    @Test func theSingleTopicIsKept() throws {
        let settings = SourceSettings(name: "n", kind: "rss", url: "https://e.org/{topic}", topics: ["sea"])
        let answer = try decode(rss("<item><title>x</title></item>"), settings: settings, topic: "sea")
        let details = try SyndicationCase.details(of: try #require(answer.events.first))
        #expect(details["topic"] as? String == "sea")
        #expect(details["feed"] as? String == "T")
    }

    @Test func categoryAndProviderComeFromTheSettings() throws {
        let settings = SourceSettings(
            name: "n", kind: "rss", url: "https://e.org/rss", provider: "coast",
            options: ["category": .text("Sea Rescue")])
        let event = try #require(try decode(rss("<item><title>x</title></item>"), settings: settings).events.first)
        #expect(event.category.rawValue == "sea_rescue")
        #expect(event.provider == "coast")
        #expect(event.weight == 1)
    }

    @Test func furtherFieldsAreBounded() throws {
        let long = String(repeating: "x", count: 5000)
        let many = (0..<200).map { "<field\($0)>\(long)</field\($0)>" }.joined()
        let event = try #require(try decode(rss("<item><title>x</title>\(many)</item>")).events.first)
        let details = try SyndicationCase.details(of: event)
        #expect(details.count == 41)
        #expect((details["field0"] as? String)?.count == 1000)
    }

    @Test func everyTextIsBounded() throws {
        let long = String(repeating: "x", count: 100_000)
        let item = """
            <item><title>\(long)</title><description>\(long)</description><author>\(long)</author>\
            <category>\(long)</category><source>\(long)</source><guid>\(long)</guid></item>
            """
        let feed = "<rss version=\"2.0\"><channel><title>\(long)</title>\(item)</channel></rss>"
        let event = try #require(try decode(Data(feed.utf8)).events.first)
        #expect(event.title.count == 1000)
        #expect(event.summary?.count == 65_536)
        #expect(event.author?.name.count == 1000)
        #expect(event.details.utf8.count < 6000)
    }

    @Test func anItemHasNothingOfTheOneBefore() throws {
        let full = """
            <item xml:lang="de"><title>full</title><link>a</link><atom:link href="https://e.org/b"/>\
            <feedburner:origLink>https://e.org/c</feedburner:origLink><guid>1</guid>\
            <content:encoded>text</content:encoded><summary>text</summary><content>text</content>\
            <description>BERLIN (Reuters) - Text</description><pubDate>17 Jan 2018</pubDate>\
            <dc:date>2018-01-17</dc:date><updated>never</updated><author>A</author><category>tag</category>\
            <enclosure url="https://e.org/d" type="audio/mpeg"/><comments>https://e.org/e</comments>\
            <source>S</source><georss:point>1 2</georss:point><gdacs:eventtype>FL</gdacs:eventtype>\
            <gdacs:country>X</gdacs:country><other>text</other></item>
            """
        let bare = "<item><title>bare</title></item>"
        let answer = try decode(rss(full + bare))
        let alone = try decode(rss(bare))
        #expect(answer.events.map(\.title) == ["full", "bare"])
        #expect(answer.events.last == alone.events.last)
        #expect(answer.issues.filter { $0.reason == "bad_date" }.count == 1)
    }

    @Test func anItemTooLargeIsCounted() throws {
        let large = "<item><title>\(String(repeating: "x", count: 9 << 20))</title></item>"
        let answer = try decode(rss(large + "<item><title>small</title></item>"))
        #expect(answer.events.map(\.title) == ["small"])
        #expect(answer.issues.map(\.reason) == ["too_large"])
        #expect(answer.issues.first?.costsItem == true)
    }

    @Test func aFeedWithoutALinkIsAtItsOwnAddress() throws {
        let events = try decode(rss("<item><title>x</title><link>a/b</link></item>")).events
        #expect(events.first?.link == "https://e.org/a/b")
    }

    @Test func aVeryLongGuidIsCutAndStaysItself() throws {
        let guid = String(repeating: "g", count: 5000)
        let items = ["1", "2"].map { "<item><title>a</title><guid>\(guid)\($0)</guid></item>" }.joined()
        let events = try decode(rss(items)).events
        #expect(events.count == 2)
        #expect(Set(events.map(\.id)).count == 2)
        #expect(events.allSatisfy { $0.id.utf8.count < 300 })
    }

    @Test func manyFaultsOfMarkupAreCountedNotListed() throws {
        let items = String(repeating: "<item><title>a & b</title></item>", count: 60)
        let answer = try decode(rss(items))
        #expect(answer.events.count == 60)
        let faults = answer.issues.filter { $0.reason == "bad_xml" }
        #expect(faults.count == 21)
        #expect(faults.last?.position == "document")
        #expect(faults.allSatisfy { !$0.costsItem })
    }

    @Test(arguments: ["", " \n", "plain words", "{}", "<rss", "\u{0}\u{1}"]) func noFeedIsAFailure(_ text: String) {
        let failure = #expect(throws: Failure.self) { try decode(Data(text.utf8)) }
        #expect(failure?.fault == .feed)
    }

    @Test func aShortSummaryIsTheWholeTitle() {
        #expect(SyndicationText.headline(of: "short") == "short")
        let exact = String(repeating: "ab ", count: 26) + "ab"
        #expect(exact.count == 80)
        #expect(SyndicationText.headline(of: exact) == exact)
        #expect(SyndicationText.headline(of: exact + " c") == exact)
        #expect(SyndicationText.headline(of: String(repeating: "x", count: 100)).count == 80)
    }
}
