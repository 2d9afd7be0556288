import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct SyndicationFixtureTests {
    static let feeds = SyndicationCase.names(in: "rss")
    static let sitemaps = SyndicationCase.names(in: "sitemap")

    @Test func theFoldersHoldTheirDocuments() {
        #expect(Self.feeds.count >= 30)
        #expect(Self.sitemaps.count >= 5)
    }

    @Test(arguments: SyndicationFixtureTests.feeds) func feedGivesWhatIsExpected(_ name: String) throws {
        let feed = try SyndicationFeed(Self.settings("rss"))
        try check(name, in: "rss", feed)
    }

    @Test(arguments: SyndicationFixtureTests.sitemaps) func sitemapGivesWhatIsExpected(_ name: String) throws {
        let feed = try SitemapFeed(Self.settings("sitemap"))
        try check(name, in: "sitemap", feed)
    }

    static func settings(_ kind: String) -> SourceSettings {
        SourceSettings(name: "test", kind: kind, url: SyndicationCase.identity + "?format=xml")
    }

    private func check(_ name: String, in folder: String, _ feed: some Feed) throws {
        let expected = try SyndicationCase.expected(of: name, in: folder)
        let poll = PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))
        let request = try #require(feed.requests(for: poll).first)
        let response = FeedResponse(request: request, body: try Fixtures.data("\(folder)/\(name)"))
        let answer: FeedAnswer
        do throws(Failure) {
            answer = try feed.decode(response, for: poll)
        } catch {
            #expect(error.fault == .feed)
            #expect(error.excerpt == response.body)
            let code = try #require(expected.failure, "\(error)")
            #expect(code == "*" || code == error.code)
            return
        }
        #expect(expected.failure == nil)
        let events = expected.events ?? []
        #expect(answer.events.count == events.count)
        for (number, (event, wanted)) in zip(answer.events, events).enumerated() {
            let fields = try SyndicationCase.fields(of: event)
            for (key, value) in wanted {
                let found = fields[key]
                #expect(SyndicationCase.agree(found, value), "event \(number), \(key): \(found ?? "nil")")
            }
        }
        let reasons = answer.issues.map(\.reason)
        #expect(reasons.filter { $0 != "bad_xml" } == expected.issues ?? [])
        #expect(answer.issues.filter(\.costsItem).count == expected.refused ?? 0)
        if expected.malformed != "maybe" { #expect(reasons.contains("bad_xml") == (expected.malformed == "yes")) }
        #expect(answer.requestedInterval?.seconds == expected.interval)
        #expect(answer.followUps.map(\.url) == expected.followUps ?? [])
    }
}
