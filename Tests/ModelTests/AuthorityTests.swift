import Model
import Testing

@Suite struct AuthorityTests {
    private static func source(
        _ name: String, _ kind: String, _ url: String, provider: String? = nil, trusted: [String] = []
    ) -> SourceSettings {
        SourceSettings(name: name, kind: kind, url: url, provider: provider, trustedFor: trusted)
    }

    @Test(
        "Reserved providers are proved by hosts",
        arguments: [
            ("https://earthquake.usgs.gov/feed.atom", "usgs", true), ("https://usgs.gov/feed", "usgs", true),
            ("https://usgs.gov.evil.example/feed", "usgs", false), ("https://evilusgs.gov/feed", "usgs", false),
            ("https://usgs.gov@evil.example/feed", "usgs", false), ("https://evil.example/usgs.gov", "usgs", false),
            ("https://volcano.si.edu/cap.xml", "gvp", true), ("http://www.volcano.si.edu/cap.xml", "gvp", true),
            ("https://si.edu/cap.xml", "gvp", false), ("https://feeds.reuters.com/reuters/world", "reuters", true),
            ("https://feeds.feedburner.com/reuters/world", "reuters", false), ("file:///usgs.gov/feed", "usgs", false),
            ("http://127.0.0.1/usgs.gov", "usgs", false), ("https://api.twitter.com/feed", "twitter", false),
            ("https://earthquake.usgs.gov/feed.atom", "gvp", false),
        ])
    func hosts(url: String, provider: String, holds: Bool) {
        let authority = Authority(of: Self.source("a", "rss", url), kindProvider: nil, domain: nil)
        #expect((authority.verdict(on: provider) == .holds) == holds)
    }

    @Test("Every redirect must prove it, too, and every topic's host")
    func routes() {
        var authority = Authority(
            of: Self.source("a", "rss", "https://earthquake.usgs.gov/feed"), kindProvider: nil, domain: nil)
        authority.prove(by: ["https://earthquake.usgs.gov/feed", "https://cdn.usgs.gov/feed"])
        #expect(authority.verdict(on: "usgs") == .holds)
        authority.prove(by: ["https://mirror.example/feed", "https://earthquake.usgs.gov/feed"])
        #expect(authority.verdict(on: "usgs") == .fails)

        var topics = Self.source("b", "rss", "https://{topic}/feed")
        topics.topics = ["feeds.reuters.com", "evil.example"]
        #expect(Authority(of: topics, kindProvider: nil, domain: nil).verdict(on: "reuters") == .fails)
    }

    @Test("What the operator writes holds, whatever the host")
    func configured() {
        let sources = [
            Self.source("quakes", "usgs", "http://127.0.0.1/q"),
            Self.source("news", "rss", "https://news.example/feed?key=1"),
            Self.source("wire", "rss", "https://wire.example/feed", provider: "Wire"),
            Self.source("copy", "rss", "https://copy.example/feed", provider: "Wire", trusted: ["usgs"]),
            Self.source("world", "cap", "https://world.example/cap", trusted: ["*"]),
            Self.source("state", "cap", "https://state.example/cap", trusted: ["nws@noaa.gov"]),
            Self.source("other", "cap", "https://other.example/cap"),
        ]
        let all = Authority.all(of: sources.map { ($0, $0.kind == "usgs" ? "usgs" : nil, nil) })
        let named = Dictionary(uniqueKeysWithValues: zip(sources.map(\.name), all))
        func verdict(_ source: String, _ provider: String) -> Authority.Verdict? {
            named[source]?.verdict(on: provider)
        }
        #expect(verdict("quakes", "usgs") == .holds)
        #expect(verdict("wire", "Wire") == .holds)
        #expect(verdict("copy", "Wire") == .holds)
        #expect(verdict("copy", "usgs") == .holds)
        #expect(verdict("news", "usgs") == .fails)
        // CAP senders come in lower case, so an identity is protected in any.
        #expect(verdict("other", "wire") == .fails)
        #expect(verdict("other", "https://news.example/feed") == .fails)
        #expect(verdict("world", "https://news.example/feed") == .fails)
        #expect(verdict("world", "wire") == .fails)
        #expect(verdict("world", "gvp") == .fails)
        #expect(verdict("world", "met@office.example") == .holds)
        #expect(verdict("world", "nws@noaa.gov") == .holds)
        #expect(verdict("state", "nws@noaa.gov") == .holds)
        #expect(verdict("other", "nws@noaa.gov") == .fails)
        #expect(verdict("other", "met@office.example") == .byFirstSight)
    }
}
