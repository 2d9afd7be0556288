import Model
import Testing

@Suite struct SourceSettingsTests {
    /// Databases hold fingerprints of these texts: a change would drop the validators of every source.
    @Test(arguments: [
        (OptionValue.text("n\u{E9}\"ws\n\\"), #"text("né\"ws\n\\")"#), (.integer(-3), "integer(-3)"),
        (.number(2.5), "number(2.5)"), (.number(1e21), "number(1e+21)"), (.flag(true), "flag(true)"),
        (.texts(["a", "b\"c"]), #"texts(["a", "b\"c"])"#), (.texts([]), "texts([])"),
        (.duration(.seconds(3600)), "duration(3600.0 seconds)"),
        (.duration(.milliseconds(1500)), "duration(1.5 seconds)"),
    ])
    func wordsOfOptionsStay(option: OptionValue, words: String) {
        #expect("\(option)" == words)
    }

    @Test(arguments: [
        ("https://a.example/b", "https://a.example/b"), ("https://a.example/b?key=c#d", "https://a.example/b"),
        ("https://a.example/b#d?e", "https://a.example/b"), ("?key=c", ""), ("", ""),
        ("https://a.example/b?\u{301}key=c", "https://a.example/b"),
    ])
    func queryAndFragmentGo(url: String, rest: String) {
        #expect(url.withoutQuery == rest)
    }

    @Test func theTableIsNotAskedForASourceThatIsNotToBeGeocoded() {
        var source = SourceSettings(name: "news", kind: "rss", url: "https://news.test/feed.xml")
        #expect(source.outcomeWithoutTable == nil)
        source.isGeocoded = false
        #expect(source.outcomeWithoutTable == .unresolved(reason: "the source is not to be geocoded"))
    }
}
