import Model

extension PlaceQuery {
    /// The most characters of a text that are sent; no place has a longer name.
    private static let longestLine = 200

    /// The text that is sent to a service, on one line.
    ///
    /// A bare name gets its context: `Springfield` is sent as `Springfield, IL, United States`. A text with a comma has
    /// its own context and is sent unchanged. Services know the codes of regions in the USA only.
    func line(withCountry: Bool) -> String {
        var line = text.split { $0.isWhitespace }.joined(separator: " ")
        if line.count > Self.longestLine { line = String(line.prefix(Self.longestLine)) }
        guard !line.contains(","), namedCountry == nil, let country = context.country else { return line }
        let parts = [country == "US" ? context.region : nil, withCountry ? countryName ?? country : nil].compactMap {
            $0
        }
        for part in parts where !KeywordFilter([part]).matches(text) { line += ", \(part)" }
        return line
    }
}
