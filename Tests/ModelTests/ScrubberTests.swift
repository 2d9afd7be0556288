import Foundation
import Model
import Testing

@Suite struct ScrubberTests {
    private func scrub(_ text: String, _ texts: String...) -> String { Scrubber(texts).scrubbed(text) }

    @Test func aSecretIsFoundInEachForm() {
        let secret = "k/1&<\"2'+é?>~"
        let base64 = Data(secret.utf8).base64EncodedString()
        let forms = [
            secret, "k%2F1%26%3C%222%27%2B%C3%A9%3F%3E~", "k%2f1%26%3c%222%27%2b%c3%a9%3f%3e~", base64,
            base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""),
            "k/1&<\\\"2'+é?>~", "k\\/1&<\\\"2'+é?>~", "k/1&amp;&lt;&quot;2&#39;+é?&gt;~", "k/1&amp;&lt;\"2'+é?&gt;~",
        ]
        for form in forms {
            let text = scrub("<\(form)>", secret)
            #expect(text.filter { $0 != "*" && $0 != "=" } == "<>", "\(form)")
        }
    }

    @Test func overlappingTextsAreCoveredAsAWhole() {
        #expect(scrub("xabcdefgx", "abcde", "cdefg") == "x*******x")
        #expect(scrub("xabcdefgx", "abcdefg", "cdef") == "x*******x")
        #expect(scrub("xabcdefx", "abcdefg", "cdef") == "xab****x")
        #expect(scrub("aaaaaaab", "aaaa") == "*******b")
    }

    @Test func aTextThatIsCutAtTheEndGoesToo() {
        #expect(scrub("token: secret-wo", "secret-word") == "token: *********")
        #expect(scrub("token: sec", "secret-word") == "token: sec", "three bytes tell too little")
    }

    @Test func shortTextsAndOthersStay() {
        #expect(scrub("a1b2", "1", "b2", "") == "a1b2")
        #expect(scrub("nothing", "secret") == "nothing")
        #expect(Scrubber([String]()).scrubbed(Data([0xFF, 0])) == Data([0xFF, 0]))
    }

    @Test func bytesThatAreNoTextStay() {
        let bytes = Data([0xFF, 0xFE]) + Data("secret".utf8) + Data([0x80])
        #expect(Scrubber(["secret"]).scrubbed(bytes) == Data([0xFF, 0xFE]) + Data("******".utf8) + Data([0x80]))
    }

    @Test func allThatARequestSendsIsCovered() {
        var request = FetchRequest(
            url: "https://a.test/feed?api_key=abc%2Bdef&q=two+words&n=1",
            headers: ["X-Token": "tttt", "Accept": "text/xml"],
            form: "grant=client&secret=ffff",
            authorization: Secret("Basic " + Data("user:pass".utf8).base64EncodedString()))
        request.json = nil
        let scrubber = request.scrubber(besides: [Secret("bearer-1")], redirectedFrom: "https://b.test/?old=oldvalue")
        let echo =
            "abc%2Bdef abc+def two+words two words tttt text/xml ffff user:pass pass dXNlcjpwYXNz bearer-1 oldvalue n=1"
        let left = scrubber.scrubbed(echo).filter { $0 != "*" }
        #expect(left.split(separator: " ") == ["text/xml", "n=1"])
    }
}
