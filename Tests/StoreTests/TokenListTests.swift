import Testing

@testable import Store

@Suite struct TokenListTests {
    private let list = TokenList(["the", "old", "sea", "and", "the", "seas"].map { Array($0.utf8) })

    private func holds(_ phrase: String, prefix: Bool = false) -> Bool {
        list.contains(phrase.split(separator: " ").map { Array($0.utf8) }, withAnyEnding: prefix)
    }

    @Test(arguments: ["the", "sea", "seas", "old sea", "the seas", "the old sea and the seas"])
    func phrasesAreFound(phrase: String) { #expect(holds(phrase)) }

    @Test(arguments: ["se", "zoo", "a", "sea old", "the sea", "seas the", "and the seas on", ""])
    func otherWordsAreNot(phrase: String) { #expect(!holds(phrase)) }

    @Test(arguments: ["se", "s", "an", "the s", "the o", "and the sea"])
    func beginningsAreFound(phrase: String) { #expect(holds(phrase, prefix: true)) }

    @Test(arguments: ["x", "seasx", "t s", "old t"])
    func otherBeginningsAreNot(phrase: String) { #expect(!holds(phrase, prefix: true)) }

    @Test func anEmptyListHoldsNothing() {
        #expect(!TokenList([]).contains([Array("a".utf8)], withAnyEnding: true))
    }
}
