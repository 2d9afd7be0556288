import Testing

@testable import Serving

@Suite struct XMLTextTests {
    @Test(arguments: [
        ("plain é 😀", "plain é 😀"), ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("]]>", "]]&gt;"), ("\"a\" & 'b'", "&quot;a&quot; &amp; &#39;b&#39;"), ("&lt;", "&amp;lt;"),
        ("a\u{0}b\u{8}\u{1F}", "a\u{FFFD}b\u{FFFD}\u{FFFD}"), ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"),
        ("\u{202E}gnp.exe", "\u{FFFD}gnp.exe"), ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a&#13;\nb"), ("", ""),
    ]) func textIsNeverMarkup(text: String, escaped: String) {
        #expect(XMLText.escaped(text) == escaped)
    }

    @Test func anElementWithoutTextIsLeftOut() {
        #expect(XMLText.element("name", nil).isEmpty)
        #expect(XMLText.element("name", "a<b") == "<name>a&lt;b</name>")
    }

    @Test(arguments: [
        "javascript:alert(1)", "javascript://example.org/%0Aalert(1)", "data:text/html,x", "ftp://example.org/",
        "http:", "https://", "//example.org/", "/path", "",
    ]) func onlyWebAddressesAreLinks(text: String) {
        #expect(XMLText.webAddress(text) == nil)
    }

    @Test(arguments: ["http://example.org/a?b=c&d", "HTTPS://example.org"])
    func aWebAddressStays(text: String) {
        #expect(XMLText.webAddress(text) == text)
    }
}
