import Foundation
import Model
import Testing

@testable import Feeds

@Suite struct ItemNamesTests {
    private func decoded(_ items: String) throws -> [Event] {
        let body = Data("<rss version=\"2.0\"><channel><title>T</title>\(items)</channel></rss>".utf8)
        let feed = try SyndicationFeed(SourceSettings(name: "n", kind: "rss", url: "https://e.org/rss"))
        let response = FeedResponse(request: FeedRequest(url: "https://e.org/rss"), body: body)
        return try feed.decode(response, for: PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))).events
    }

    /// The undeclared prefix of an item is ignored in it, even if other items have none.
    @Test func whatANameMeansDependsOnTheItem() throws {
        let bare = "<item><title>bare</title><x:title>other</x:title></item>"
        let prefixed = "<x:item><x:title>prefixed</x:title></x:item>"
        let events = try decoded(bare + prefixed + bare + prefixed + prefixed)
        #expect(events.map(\.title) == ["bare", "prefixed", "bare", "prefixed", "prefixed"])
        let others = try events.compactMap { try SyndicationCase.details(of: $0)["title"] as? String }
        #expect(others == ["other", "other"])
    }

    @Test func aNameOfTwoNamespacesIsTwoNames() throws {
        let dublinCore = "xmlns:d=\"http://purl.org/dc/elements/1.1/\""
        let item = """
            <item><title>x</title><date>later</date><d:date \(dublinCore)>2018-01-17</d:date>\
            <e:date xmlns:e="urn:e">no</e:date></item>
            """
        let events = try decoded(item + item)
        #expect(events.count == 2)
        for event in events {
            #expect(event.time?.rfc3339 == "2018-01-17T00:00:00Z")
            let details = try SyndicationCase.details(of: event)
            #expect(details["date"] as? String == "later")
        }
    }

    @Test func aBlankDateIsNone() throws {
        let item = "<item><title>x</title><pubDate> \n</pubDate><pubDate>17 Jan 2018</pubDate></item>"
        #expect(try decoded(item).first?.time?.rfc3339 == "2018-01-17T00:00:00Z")
    }
}
