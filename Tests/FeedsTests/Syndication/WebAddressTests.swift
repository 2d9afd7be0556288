import Testing

@testable import Feeds

@Suite struct WebAddressTests {
    @Test func partsAreFound() throws {
        let address = try #require(WebAddress("HTTPS://me@News.Example.ORG:8443/a/b/?x=1#f"))
        #expect(address.host == "news.example.org")
        #expect(address.path == "/a/b")
        #expect(address.location == "HTTPS://me@News.Example.ORG:8443/a/b/")
        #expect(address.query == "x=1")
    }

    @Test(arguments: ["", "https://", "ftp://example.org/", "urn:x", "example.org/a", "http:///path"])
    func otherTextsAreNone(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test func hostsAreComparedByLabel() throws {
        let address = try #require(WebAddress("http://feeds.reuters.com?x"))
        #expect(address.isBelow("reuters.com"))
        #expect(address.path.isEmpty)
        #expect(WebAddress("http://notreuters.com/")?.isBelow("reuters.com") == false)
    }

    @Test(arguments: [
        ("https://e.org/a?utm_source=x&utm_medium=y#top", "https://e.org/a"),
        ("https://e.org/read?id=7&xtor=RSS-1", "https://e.org/read?id=7"),
        ("https://e.org/a?", "https://e.org/a"),
        ("https://e.org/a", "https://e.org/a"),
    ])
    func visitorCountersAreNoIdentity(_ text: String, _ identity: String) {
        #expect(WebAddress(text)?.identity == identity)
    }
}
