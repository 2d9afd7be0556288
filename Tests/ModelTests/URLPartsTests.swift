import Testing

@testable import Model

@Suite struct URLPartsTests {
    @Test(arguments: ["", "https:", "https:/", "https:/a", "urn:x", "example.org/a", "//e.org/"])
    func aTextWithoutAnAuthorityIsNone(_ text: String) {
        #expect(URLParts(text) == nil)
    }

    @Test(
        arguments: [
            ("http://e.org", "e.org", "e.org", "", "http://e.org", nil),
            ("http://e.org/", "e.org", "e.org", "/", "http://e.org/", nil),
            ("http://e.org//a//?", "e.org", "e.org", "//a//", "http://e.org//a//", ""),
            ("http://e.org#a?b", "e.org", "e.org", "", "http://e.org", nil),
            ("http://e.org/a#b", "e.org", "e.org", "/a", "http://e.org/a", nil),
            ("http://É.org/ü?ö#", "é.org", "é.org", "/ü", "http://É.org/ü", "ö"),
            ("http://[::1]:80/a", "[::1]", "[::1]:80", "/a", "http://[::1]:80/a", nil),
            ("HTTPS://me@E.ORG:8443/b?x=1", "e.org", "e.org:8443", "/b", "HTTPS://me@E.ORG:8443/b", "x=1"),
            ("file:///etc/a", "", "", "/etc/a", "file:///etc/a", nil),
        ] as [(String, String, String, String, String, String?)])
    func partsAreFound(
        text: String, host: String, authority: String, path: String, location: String, query: String?
    ) throws {
        let parts = try #require(URLParts(text))
        #expect(parts.host == host)
        #expect(parts.authority == authority)
        #expect(parts.path == path)
        #expect(parts.location == location)
        #expect(parts.query == query)
        #expect(parts.hasUser == text.contains("@"))
    }

    @Test func equivalentCharactersAreNotExactlyTheSame() throws {
        let parts = try #require(URLParts("http://e.org/\u{212B}"))
        #expect(parts.isExactly("http://e.org/\u{212B}"))
        for other in ["http://e.org/A\u{30A}", "http://e.org/\u{C5}"] {
            #expect(parts.text == other)
            #expect(!parts.isExactly(other))
        }
    }

    @Test(arguments: [
        "http://e.org", "https://E.ORG:443/", "http://127.0.0.1:8080/x", "http://[2001:db8::1]/", "http://e_x.org:/",
        "http://[fe80::1%25eth0]/", "http://bücher.example/",
    ])
    func soundHostsAreReadAlikeByAll(_ text: String) {
        #expect(URLParts(text)?.isSound == true)
    }

    /// URLs in which readers disagree on host, path, user or port.
    @Test(arguments: [
        "http://", "http:///a", "http://user@e.org/", "http://a@b@e.org/", "http://good.org\\@evil.org/",
        "http://good.org\\.evil.org/", "http://e.org%2f@x/", "http://e%2eorg/", "http://e.org:80:80/",
        "http://e.org:0/",
        "http://e.org:65536/", "http://e.org:8x/", "http://e.org:123456/", "http://[::1/", "http://[]/",
        "http://[::1]x/",
        "http://[::g]/", "http://[::1%eth0]/", "http://e.org\t/", "http://e .org/", "http://{topic}.e.org/",
        "http://a|b/",
    ])
    func hostsThatCanBeReadInTwoWaysAreNotSound(_ text: String) {
        #expect(URLParts(text)?.isSound == false)
    }

    @Test(arguments: [
        ("https://reuters.com", true, true), ("http://REUTERS.com:80/x", true, true),
        ("http://me@www.Reuters.com/", true, false), ("http://a.b.reuters.com?reuters.com", true, false),
        ("http://xreuters.com/", false, false), ("http://reuters.com.e.org/", false, false),
        ("http://e.org/reuters.com", false, false), ("http://e.org?x=.reuters.com", false, false),
        ("http://.reuters.com", true, false), ("http://com/", false, false),
        ("http://日本.reuters.com/", true, false),
    ])
    func hostsAreComparedByLabel(_ text: String, _ isBelow: Bool, _ isAt: Bool) throws {
        let parts = try #require(URLParts(text))
        #expect(parts.isBelow("reuters.com") == isBelow)
        #expect(parts.isAt("reuters.com") == isAt)
    }
}
