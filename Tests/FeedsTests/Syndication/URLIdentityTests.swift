import Model
import Testing

@testable import Feeds

@Suite struct URLIdentityTests {
    @Test(arguments: ["", "https://", "ftp://example.org/", "urn:x", "example.org/a", "http:///path"])
    func onlyWebAddressesWithAHostHaveAnIdentity(_ text: String) {
        #expect(URLParts.web(text) == nil)
    }

    @Test(arguments: [
        ("https://e.org/a?utm_source=x&utm_medium=y#top", "https://e.org/a"),
        ("https://e.org/read?id=7&xtor=RSS-1", "https://e.org/read?id=7"),
        ("https://e.org/a?", "https://e.org/a"),
        ("https://e.org/a", "https://e.org/a"),
    ])
    func visitorCountersAreNoIdentity(_ text: String, _ identity: String) {
        #expect(URLParts.web(text)?.identity == identity)
    }

    @Test(arguments: [("http://e.org//a//?", "//a"), ("http://e.org/", ""), ("http://e.org", "")])
    func slashesAtTheEndOfAPathDoNotCount(_ text: String, _ path: String) {
        #expect(URLParts.web(text)?.trimmedPath == path)
    }
}
