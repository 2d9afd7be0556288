import Foundation
import Model
import Reading
import Store
import Testing

@testable import Serving

@Suite struct AtomTests {
    private static let atom = "http://www.w3.org/2005/Atom"
    private static let georss = "http://www.georss.org/georss"
    private static let tombstones = "http://purl.org/atompub/tombstones/1.0"

    private func entries(_ test: TestAPI, _ query: String? = nil) throws -> [XMLNode] {
        try test.xml("/feed.atom", query).children("entry", in: Self.atom)
    }

    private func titles(_ test: TestAPI, _ query: String? = nil) throws -> [String] {
        try entries(test, query).compactMap { $0.child("title")?.text }
    }

    private func link(_ node: XMLNode, _ rel: String) -> String? {
        node.children("link", in: Self.atom).first { $0.attribute("rel") == rel }?.attribute("href")
    }

    @Test func theFeedHasWhatAtomAsksFor() throws {
        let test = try TestAPI.filled()
        #expect(test.get("/feed.atom").header("content-type") == "application/atom+xml")
        let feed = try test.xml("/feed.atom", "category=earthquake&limit=2")
        #expect(feed.name == "feed" && feed.namespace == Self.atom)
        let own = "http://api.example:8423/feed.atom?category=earthquake&limit=2"
        #expect(feed.child("id")?.text == own)
        #expect(link(feed, "self") == own)
        let (path, query) = test.parts(try #require(link(feed, "alternate")))
        #expect(test.get(path, query).header("content-type") == "text/html; charset=utf-8")
        #expect(feed.child("title")?.text == "Events: category=earthquake")
        #expect(feed.child("author")?.child("name")?.text == "visiventd")
        #expect(feed.child("updated")?.text == "2026-03-01T00:00:00.000Z")
        #expect(feed.children("entry").count == 2)
    }

    @Test(arguments: [
        ("", "Events"), ("limit=5", "Events"), ("min_magnitude=5&q=%3Cb%3E", "Events: min_magnitude=5, q=<b>"),
    ]) func theTitleNamesTheFilters(query: String, title: String) throws {
        #expect(try TestAPI.filled().xml("/feed.atom", query).child("title")?.text == title)
    }

    @Test func anEntryTellsTheEvent() throws {
        let test = try TestAPI()
        var event = quake("chile", hours: -1)
        event.summary = "Felt in Chile.\nNo damage & no tsunami"
        event.link = "https://example.org/a?b=c&d=\"e\""
        event.author = Author(name: "A. Writer", link: "https://example.org/writer")
        try test.poll([event], at: start + 60)
        let entry = try #require(try entries(test).first)
        let id = try test.publicID("chile")
        #expect(entry.child("id")?.text == "urn:visiventd:event:\(id)")
        #expect(entry.child("title")?.text == "M chile")
        #expect(entry.child("updated")?.text == "2026-03-01T00:01:00.000Z")
        #expect(entry.child("published")?.text == "2026-02-28T23:00:00.000Z")
        #expect(entry.child("author")?.child("name")?.text == "A. Writer")
        #expect(entry.child("author")?.child("uri")?.text == "https://example.org/writer")
        #expect(entry.child("category")?.attribute("term") == "earthquake")
        #expect(entry.child("summary")?.text == "Felt in Chile.\nNo damage & no tsunami")
        #expect(link(entry, "alternate") == "https://example.org/a?b=c&d=\"e\"")
        #expect(entry.child("point", in: Self.georss)?.text == "-20 -70")
        #expect(entry.child("elev", in: Self.georss)?.text == "-10000")
    }

    @Test func hostileTextStaysText() throws {
        let test = try TestAPI.filled()
        let answer = try test.text(test.get("/feed.atom"))
        #expect(!answer.contains("<img"))
        #expect(!answer.contains("javascript:"))
        let entry = try #require(try entries(test, "q=erupts").first)
        #expect(entry.child("title")?.text == "Étna erupts <img src=x onerror=alert(1)>")
        // Without a page of its own, the event's page is here, whatever the reader's program accepts.
        let (path, query) = test.parts(try #require(link(entry, "alternate")))
        let page = test.get(path, query)
        #expect(page.header("content-type") == "text/html; charset=utf-8")
        #expect(try test.text(page).contains("<h1>Étna erupts &lt;img src=x onerror=alert(1)&gt;</h1>"))
        #expect(entry.children("link").first?.attribute("type") == "text/html")
        #expect(entry.child("point") == nil)
    }

    @Test func whatHasChangedLastComesFirst() throws {
        let test = try TestAPI.filled()
        let all = try titles(test)
        #expect(all.count == 7)
        #expect(all.first == "Hello" && all.last == "M chile")
        try test.poll([quake("pole", hours: -4, magnitude: 4, latitude: 89.9, longitude: 10)], at: start + 60)
        #expect(try titles(test, "limit=2") == ["M pole", "Hello"])
        #expect(try titles(test, "category=earthquake&min_magnitude=6") == ["M fiji-west"])
        #expect(try titles(test, "bbox=170,-50,-170,-10") == ["M fiji-east", "M fiji-west"])
        #expect(try titles(test, "datetime=2026-02-28T22:00:00Z/2026-02-28T23:00:00Z") == ["M fiji-west", "M chile"])
        #expect(try titles(test, "category=alert").isEmpty)
        #expect(try test.xml("/feed.atom", "category=alert").child("updated")?.text == "1970-01-01T00:00:00.000Z")
        #expect(test.get("/feed.atom", "sortby=time").status == 400)
    }

    @Test func withdrawnEventsAreDeletedEntriesAndErasedOnesNone() throws {
        let test = try TestAPI.filled()
        let withdrawal = Withdrawal(provider: "usgs", id: "chile", reason: .deleted, evidence: "status <deleted>")
        try test.poll([], at: start + 60, withdrawals: [withdrawal])
        let deletion = Withdrawal(
            provider: "twitter", id: "hello", reason: .deleted, time: start, evidence: "deleted", erases: true)
        try test.poll([], from: "tweets", at: start + 60, withdrawals: [deletion])
        #expect(try titles(test).count == 5)
        let feed = try test.xml("/feed.atom", "withdrawn=include")
        #expect(feed.children("entry").count == 5)
        let deleted = feed.children("deleted-entry", in: Self.tombstones)
        #expect(deleted.count == 1)
        let id = try test.publicID("chile")
        #expect(deleted.first?.attribute("ref") == "urn:visiventd:event:\(id)")
        #expect(deleted.first?.attribute("when") == "2026-03-01T00:01:00.000Z")
        #expect(deleted.first?.child("comment")?.text == "status <deleted>")
    }

    @Test func anUnchangedFeedIsNotSentAgain() throws {
        let test = try TestAPI.filled()
        let tag = try #require(test.get("/feed.atom").header("etag"))
        #expect(test.get("/feed.atom", headers: ["if-none-match": tag], now: start + 3600).status == 304)
        // A further source of an unchanged event has no change number.
        let sourceTag = try #require(test.get("/feed.atom", "source=news").header("etag"))
        let later = test.get("/feed.atom", "source=news", headers: ["if-none-match": sourceTag], now: start + 60)
        #expect(later.status == 200)
        try test.poll([quake("new", hours: 0)])
        #expect(test.get("/feed.atom", headers: ["if-none-match": tag]).status == 200)
    }

    @Test func messagesAreKeptByNoCache() throws {
        let test = try TestAPI.filled()
        for path in ["/feed.atom", "/events.kml"] {
            #expect(test.get(path).header("cache-control") == "private, no-cache")
            #expect(test.get(path, "category=news").header("cache-control") == "no-cache")
            #expect(test.get(path, "category=message").header("cache-control") == "no-store")
            #expect(test.get(path, "category=message").header("etag") == nil)
        }
    }
}
