/// What the language of a text and the country of its feed say about the home of its source.
///
/// News from abroad is written in the language of home: German texts about Texas do not put their source there.
struct HomePrior {
    /// The part of a vote that is left for a country where the text's language is not spoken. All texts together cannot
    /// make it the home then.
    static let abroad = 0.25
    /// What each voting text adds for the feed's own country: a quarter of a sure name. It is no home by that alone.
    static let own = 0.5

    /// The country of the feed's address, else of the language that it declares; nil: unknown.
    private let country: String?
    /// The languages that the text may have; empty: any.
    private let languages: Set<String>

    /// - Parameters:
    ///   - declared: The feed's BCP 47 tag; nil: none.
    ///   - address: The country of the feed's address; nil: unknown.
    init(_ text: String, declared: String?, address: String?) {
        country = address ?? declared.flatMap { Self.country(of: $0) }
        let language = TextLanguage.of(text, declared: declared)
        let likely: Set<String> = language.map { [$0] } ?? country.flatMap { Self.spoken[$0] } ?? []
        // English is written everywhere.
        languages = likely.contains("en") || likely.isDisjoint(with: Self.known) ? [] : likely
    }

    /// The votes of the text for the home.
    func weighed(_ votes: [String: Double]) -> [String: Double] {
        var weighed = votes
        for (code, vote) in votes where !isSpoken(in: String(code.prefix { $0 != "." })) {
            weighed[code] = vote * Self.abroad
        }
        if let country { weighed[country, default: 0] += Self.own }
        return weighed
    }

    private func isSpoken(in country: String) -> Bool {
        languages.isEmpty || !languages.isDisjoint(with: Self.spoken[country] ?? [])
    }

    /// `AT` for `de-AT`. Programs write `en-US` unasked.
    private static func country(of tag: String) -> String? {
        let parts = tag.lowercased().split { $0 == "-" || $0 == "_" }
        guard parts != ["en", "us"] else { return nil }
        return parts.dropFirst().first { $0.utf8.count == 2 }?.uppercased()
    }

    /// The languages of each country.
    private static let spoken = WordFile("spoken").table("countries").mapValues { Set($0) }
    private static let known = spoken.values.reduce(into: Set<String>()) { $0.formUnion($1) }
}
