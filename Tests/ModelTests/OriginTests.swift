import Testing

@testable import Model

@Suite struct OriginTests {
    @Test(arguments: [
        "http://h.test/a", "HTTP://H.test:80/", "http://h.test:/", "http://h.test:0080/b", "http://h.test.:080/",
        "http://user@h.test?q",
    ]) func aHostHasOneName(url: String) {
        #expect(Origin(url) == Origin("http://h.test/"))
    }

    @Test func anotherPortIsAnotherHost() {
        #expect(Origin("http://h.test:8080/").host == "h.test:8080")
        #expect(Origin("https://h.test:443/").host == "h.test")
        #expect(Origin("https://h.test:80/").host == "h.test:80")
        #expect(Origin("http://[::1]:08080/").host == "[::1]:8080")
        #expect(Origin("file:///a").host.isEmpty)
    }
}
