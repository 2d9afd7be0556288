import Model
import Testing

@Suite struct SearchTextTests {
    @Test(arguments: [
        "", "M 5.0 - 20 km off Chile", "“Étna” — naïve İstanbul", "Землетрясение", "زلزال", "नेपाल में भूकंप", "지진이 났다",
        "ས་ཡོམ", "Erd\u{AD}beben", "5\u{FE0F}\u{20E3} ☄", "฿ 5",
    ])
    func otherTextStaysAsItIs(text: String) {
        #expect(Array(SearchText.indexed(text).utf8) == Array(text.utf8))
        #expect(Array(SearchText.sought(text, isPrefix: true).word.utf8) == Array(text.utf8))
    }

    private func parts(_ text: String) -> [Int] { text.split(separator: " ").map { $0.unicodeScalars.count } }

    @Test("A run becomes pairs and its last character")
    func pairs() {
        #expect(parts(SearchText.indexed("地震た")) == [2, 2, 1])
        #expect(parts(SearchText.indexed("速報M7地震")) == [2, 1, 2, 2, 1])
        #expect(SearchText.indexed("M7地震").hasPrefix("M7 "))
        #expect(SearchText.indexed("か\u{3099}") == SearchText.indexed("が"))
        #expect(SearchText.indexed("រញ្ជួយ\u{200B}ដី") == SearchText.indexed("រញ្ជួយដី"))
    }

    @Test("A word that ends in a run may go on, one character by any ending")
    func words() {
        #expect(parts(SearchText.sought("地震", isPrefix: false).word) == [2])
        #expect(parts(SearchText.sought("地震。", isPrefix: false).word) == [2])
        #expect(parts(SearchText.sought("地震M7", isPrefix: true).word) == [2, 1, 2])
        #expect(SearchText.sought("地震M7", isPrefix: true).isPrefix)
        #expect(!SearchText.sought("地震", isPrefix: true).isPrefix)
        #expect(SearchText.sought("震", isPrefix: false).isPrefix)
    }

    @Test func lettersDigitsAndEmojiCanBeLookedFor() {
        for text in ["a", "5", "地", "🌋", "ๆ", "–é"] { #expect(SearchText.hasWord(text)) }
        for text in ["", " ", "*", "—", "☄", "、", "\u{200B}"] { #expect(!SearchText.hasWord(text)) }
    }
}
