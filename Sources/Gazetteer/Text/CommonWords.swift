/// Common words of languages that are also names of cities: Swedish *ända* is *Anda* in China.
enum CommonWords {
    /// How common a word is: its Zipf frequency, the logarithm of its number in a thousand million words, from 4 on; 0
    /// for a word that is rarer, no city's name, or known rather as that of a place.
    /// - Parameters:
    ///   - folded: The folded word.
    ///   - language: ISO 639 code, as `TextLanguage` gives it; nil: unknown.
    static func commonness(of folded: String, in language: String?) -> Double {
        language.flatMap { frequencies[$0]?[folded] } ?? 0
    }

    /// By language and folded word.
    private static let frequencies: [String: [String: Double]] = {
        let file = WordFile("namesakes")
        var frequencies: [String: [String: Double]] = [:]
        for language in file.listNames {
            for (zipf, words) in file.namesByCode(language) {
                for word in words { frequencies[language, default: [:]][word] = Double(zipf) }
            }
        }
        return frequencies
    }()
}
