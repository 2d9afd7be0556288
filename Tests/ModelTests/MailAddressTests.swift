import Model
import Testing

@Suite struct MailAddressTests {
    @Test(arguments: ["desk@example.org", "a.b+c@x.example", "o'neil@example.org", "a@b", "a@xn--bcher-kva.example"])
    func anAddressIsReadAsItIs(text: String) {
        #expect(MailAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", "desk", "@example.org", "desk@", "a@b@c", "a b@example.org", "a@ex ample.org", "<a@example.org>",
        "a@example.org>\r\nRCPT TO:<evil@example.org", "a\u{0}@example.org", ".a@example.org", "a..b@example.org",
        "a@-example.org", "a@example-.org", "a@example..org", "\"a b\"@example.org", "a@[127.0.0.1]", "ü@example.org",
        "a@bücher.example", String(repeating: "a", count: 65) + "@example.org",
        "a@" + String(repeating: "b", count: 64) + ".org",
    ])
    func nothingElseIsAnAddress(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test func theDomainIsInLowerCase() {
        #expect(MailAddress("Desk@Example.ORG")?.domain == "example.org")
    }
}
