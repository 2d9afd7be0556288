import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct SitemapFeedTests {
    private let poll = PollContext(now: Date(timeIntervalSince1970: 1_800_000_000))

    private func feed(most: Int? = nil) throws -> SitemapFeed {
        try SitemapFeed(
            SourceSettings(
                name: "n", kind: "sitemap", url: "https://example.org/sitemap.xml",
                options: most.map { ["most_documents": .integer($0)] } ?? [:]))
    }

    private func index(_ count: Int) -> Data {
        let children = (0..<count).map { "<sitemap><loc>https://example.org/\($0).xml</loc></sitemap>" }.joined()
        return Data("<sitemapindex>\(children)</sitemapindex>".utf8)
    }

    @Test func anIndexIsFollowedToItsNewestOnly() throws {
        let body = try Fixtures.data("sitemap/index.xml")
        let request = FeedRequest(url: "https://example.org/sitemap.xml", topic: "sea")
        let answer = try feed(most: 1).decode(FeedResponse(request: request, body: body), for: poll)
        #expect(answer.followUps.map(\.url) == ["https://example.org/new.xml.gz"])
        #expect(answer.followUps.first?.role == "document")
        #expect(answer.followUps.first?.topic == "sea")
        #expect(answer.tallies == ["links": 3])
    }

    @Test func twentyDocumentsAreTheDefault() throws {
        let request = FeedRequest(url: "https://example.org/sitemap.xml")
        let answer = try feed().decode(FeedResponse(request: request, body: index(30)), for: poll)
        #expect(answer.followUps.map(\.url) == (0..<20).map { "https://example.org/\($0).xml" })
    }

    @Test func aDocumentNamedTwiceIsAskedOnce() throws {
        let child = "<sitemap><loc>https://example.org/a.xml</loc></sitemap>"
        let request = FeedRequest(url: "https://example.org/sitemap.xml")
        let body = Data("<sitemapindex>\(child)\(child)</sitemapindex>".utf8)
        let answer = try feed().decode(FeedResponse(request: request, body: body), for: poll)
        #expect(answer.followUps.map(\.url) == ["https://example.org/a.xml"])
    }

    @Test func anIndexBelowAnIndexIsNotFollowed() throws {
        let request = FeedRequest(url: "https://example.org/child.xml", role: "document")
        let answer = try feed().decode(FeedResponse(request: request, body: index(2)), for: poll)
        #expect(answer.followUps.isEmpty)
        #expect(answer.issues.map(\.reason) == ["nested_index"])
    }

    @Test func aDocumentOfAnIndexGivesEvents() throws {
        let request = FeedRequest(url: "https://example.org/child.xml", role: "document")
        let body = try Fixtures.data("sitemap/news.xml")
        let answer = try feed().decode(FeedResponse(request: request, body: body), for: poll)
        #expect(answer.events.count == 2)
    }

    @Test func aDamagedArchiveIsAFailure() throws {
        let request = FeedRequest(url: "https://example.org/sitemap.xml.gz")
        let body = Data(try Fixtures.data("sitemap/packed.xml.gz").prefix(100))
        let sitemap = try feed()
        let failure = #expect(throws: Failure.self) {
            try sitemap.decode(FeedResponse(request: request, body: body), for: poll)
        }
        #expect(failure?.fault == .feed)
    }
}
