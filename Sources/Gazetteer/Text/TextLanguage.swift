/// The language of a text.
///
/// Its feed says it, or its letters do (Japanese, Korean, Chinese, Russian, Arabic and the like), or its most frequent
/// words: those of `languages.txt`. A word of several languages counts for each by its share.
enum TextLanguage {
    /// ISO 639 code of two or three letters; nil where neither the feed nor the text is clear.
    /// - Parameter declared: The feed's BCP 47 tag; nil: none.
    static func of(_ text: String, declared: String?) -> String? {
        let code = declared?.prefix { $0 != "-" && $0 != "_" }.lowercased() ?? ""
        if (2...3).contains(code.utf8.count), !["mul", "und", "zxx"].contains(code) { return code }
        let opening = String(text.unicodeScalars.prefix(longest))
        return byLetters(opening) ?? byWords(opening)
    }

    /// Scalars that are read of a text.
    private static let longest = 1_000

    // MARK: - Letters

    private static let scripts: [(letters: ClosedRange<UInt32>, language: String)] = [
        (0x3040...0x30FF, "ja"), (0xAC00...0xD7A3, "ko"), (0x1100...0x11FF, "ko"), (0x4E00...0x9FFF, "zh"),
        (0x400...0x52F, "ru"), (0x600...0x6FF, "ar"), (0x370...0x3FF, "el"), (0x590...0x5FF, "he"),
        (0xE00...0xE7F, "th"), (0x900...0x97F, "hi"),
    ]

    /// Letters of languages other than Russian.
    private static let otherCyrillic = Set("іїєґўјљњћђџѓќ".unicodeScalars)

    /// The language that more than half of the letters have alone.
    private static func byLetters(_ text: String) -> String? {
        var counts: [String: Int] = [:]
        var letters = 0
        for scalar in text.unicodeScalars where scalar.isAlphabetic {
            letters += 1
            // Latin letters are below.
            guard scalar.value >= 0x370, let script = scripts.first(where: { $0.letters.contains(scalar.value) })
            else { continue }
            counts[script.language, default: 0] += 1
        }
        // Japanese has Chinese letters, too.
        if let kana = counts["ja"] { counts["ja"] = kana + (counts.removeValue(forKey: "zh") ?? 0) }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value * 2 > letters else {
            return nil
        }
        let isOther = most.key == "ru" && text.lowercased().unicodeScalars.contains { otherCyrillic.contains($0) }
        return isOther ? nil : most.key
    }

    // MARK: - Words

    private static let file = WordFile("languages")
    private static let languages = file.listNames

    /// Bits of the languages, in the order of `languages`, by word.
    private static let known: [String: UInt32] = {
        var known: [String: UInt32] = [:]
        for (index, language) in languages.enumerated() {
            for word in file.words(language) { known[word, default: 0] |= 1 << UInt32(index) }
        }
        return known
    }()

    /// Words that count for a language alone, at least, and how far it must lead.
    private static let least = 1.5
    private static let lead = 1.3

    private static func byWords(_ text: String) -> String? {
        var scores = [Double](repeating: 0, count: languages.count)
        func count(_ bits: UInt32) {
            for index in languages.indices where bits & (1 << UInt32(index)) != 0 {
                scores[index] += 1 / Double(bits.nonzeroBitCount)
            }
        }
        let scalars = text.lowercased().unicodeScalars
        for word in scalars.split(whereSeparator: { !$0.isAlphabetic }) {
            if let bits = known[String(word)] { count(bits) }
        }
        // A letter that a language has alone is one of its words, once: a text in a wrong encoding is full of Ã.
        for letter in Set(scalars) where !letter.isASCII { count(known["*\(letter)"] ?? 0) }
        let order = scores.indices.sorted { (scores[$1], $0) < (scores[$0], $1) }
        guard let best = order.first, scores[best] >= least, scores[best] >= scores[order[1]] * lead else { return nil }
        return languages[best]
    }
}
