import Model

extension PlaceQuery {
    /// Most characters of a text that are sent; no place's name is longer.
    private static let longestLine = 200

    /// The place as a service is asked for it, on one line.
    ///
    /// A bare name gets its context: `Springfield` is `Springfield, IL, United States`. A text with a comma says itself where its
    /// place is, and is sent as it stands. Regions are codes that services know in the USA only.
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
