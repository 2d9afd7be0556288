import Testing

@testable import Feeds

@Suite struct WebAddressHostTests {
    @Test(arguments: [
        ("https://reuters.com", true, true), ("http://REUTERS.com:80/x", true, true),
        ("http://me@www.Reuters.com/", true, false), ("http://a.b.reuters.com?reuters.com", true, false),
        ("http://xreuters.com/", false, false), ("http://reuters.com.e.org/", false, false),
        ("http://e.org/reuters.com", false, false), ("http://e.org?x=.reuters.com", false, false),
        ("http://.reuters.com", true, false), ("http://com/", false, false),
        ("http://日本.reuters.com/", true, false),
    ])
    func hostsAreComparedByLabel(_ text: String, _ isBelow: Bool, _ isAt: Bool) throws {
        let address = try #require(WebAddress(text))
        #expect(address.isBelow("reuters.com") == isBelow)
        #expect(address.isAt("reuters.com") == isAt)
    }

    @Test(
        arguments: [
            ("http://e.org", "e.org", "", "http://e.org", nil), ("http://e.org/", "e.org", "", "http://e.org/", nil),
            ("http://e.org//a//?", "e.org", "//a", "http://e.org//a//", ""),
            ("http://e.org#a?b", "e.org", "", "http://e.org", nil),
            ("http://e.org/a#b", "e.org", "/a", "http://e.org/a", nil),
            ("http://É.org/ü?ö#", "é.org", "/ü", "http://É.org/ü", "ö"),
            ("http://[::1]:80/a", "[", "/a", "http://[::1]:80/a", nil),
        ] as [(String, String, String, String, String?)])
    func partsAreCopiedWhole(text: String, host: String, path: String, location: String, query: String?) throws {
        let address = try #require(WebAddress(text))
        #expect(address.host == host)
        #expect(address.path == path)
        #expect(address.location == location)
        #expect(address.query == query)
    }
}
