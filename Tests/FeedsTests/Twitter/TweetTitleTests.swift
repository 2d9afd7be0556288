import Testing

@testable import Feeds

/// A short text on one line is its own title; an ignored leading space leads to the general code.
@Suite struct TweetTitleTests {
    @Test(arguments: [
        ("", ""), (" ", ""), ("a", "a"), ("a b", "a b"), ("a  b", "a b"), ("a\nb", "a b"), ("a \n b ", "a b"),
        ("日本語", "日本語"),
    ])
    func aShortTextIsItsTitleInOneLine(_ text: String, _ title: String) {
        #expect(TweetText.title(text) == title)
        #expect(TweetText.title(" " + text) == title)
    }

    @Test(arguments: ["x", "日", "\u{E9}"]) func eightyCharactersAreATitleAndOneMoreIsNone(_ character: String) {
        let whole = String(repeating: character, count: 80)
        for start in ["", " "] {
            #expect(TweetText.title(start + whole) == whole)
            #expect(TweetText.title(start + whole + character) == String(whole.prefix(79)) + "…")
        }
    }

    @Test func aLongTextIsCutBetweenWords() {
        let words = String(repeating: "word ", count: 20)
        let cut = String(words.prefix(79))
        for start in ["", " "] {
            #expect(TweetText.title(start + cut) == cut)
            #expect(TweetText.title(start + cut + " ") == cut)
            #expect(TweetText.title(start + words) == cut + "…")
        }
    }
}
