import Model
import Reading

/// Chooses the answer among the offers of a service, by the rules of `docs/geocoding.md`.
enum CandidateChoice {
    /// Candidates within this distance in kilometres are one place, such as a large city's centre and its oldest part.
    static let onePlace = 50.0
    /// Streets of one name within this distance in kilometres are one spot.
    static let oneSpot = 1.0
    /// The least lead in weight over namesakes elsewhere.
    static let lead = 0.2
    /// Countries whose divisions GeoNames, and so the context, codes as in ISO 3166-2.
    private static let comparableRegions: Set<String> = ["BE", "CH", "GB", "US"]

    /// The answer to the question.
    /// - Parameter offers: The service's offers, best first.
    static func answer(_ offers: [Offer], to query: PlaceQuery, by provider: GeocodeProvider) -> ProviderAnswer {
        var places: [Candidate] = []
        var reasons: [String] = []
        for offer in offers {
            switch offer {
            case .place(let place): places.append(place)
            case .unfit(let reason): reasons.append(reason)
            }
        }
        if let named = query.namedCountry,
            let whole = places.first(where: { $0.precision == .country && $0.country == named })
        {
            return found(whole, whole.precision, query, provider)
        }
        var reason = reasons.first ?? "no match"
        func keep(_ otherwise: String, _ fits: (Candidate) -> Bool) {
            guard !places.isEmpty else { return }
            places = places.filter(fits)
            if places.isEmpty { reason = otherwise }
        }
        // Services answer with a country to a text that they do not understand.
        keep("only a country") { $0.precision != .country }
        if let country = query.context.country ?? query.namedCountry {
            keep("not in \(country)") { $0.country == country }
            if let region = query.context.region, comparableRegions.contains(country) {
                keep("not in \(country)-\(region)") { $0.regions.isEmpty || $0.regions.contains(region) }
            }
        }
        // A county or state around a candidate is not a rival.
        let peers = places.filter { place in !places.contains { $0.isInside(place) } }
        guard let first = peers.first else { return .missing(reason: reason) }
        let near = peers.filter { $0.coordinate.distance(to: first.coordinate) <= onePlace }
        let rivals = peers.filter { $0.coordinate.distance(to: first.coordinate) > onePlace }
        guard rivals.allSatisfy({ first.leads($0) }) else { return .missing(reason: "ambiguous") }
        // A nearby street with the town's name is no better answer than the town.
        let fit = near.filter { $0.precision != .point || first.precision == .point }
        let chosen = fit.min { $0.precision.size < $1.precision.size } ?? first
        let isScattered = near.contains { other in
            other.precision == .point && other.coordinate.distance(to: chosen.coordinate) > oneSpot
        }
        return found(chosen, chosen.precision == .point && isScattered ? .city : chosen.precision, query, provider)
    }

    private static func found(
        _ place: Candidate, _ precision: Location.Precision, _ query: PlaceQuery, _ provider: GeocodeProvider
    ) -> ProviderAnswer {
        .found(
            Location(
                place.coordinate, method: provider.method, precision: precision, confidence: place.confidence,
                matchedText: query.text, name: shown(place.names), placeID: place.placeID,
                country: place.country.flatMap { code($0) }))
    }

    /// The longest name for people, in characters.
    private static let longestName = 200

    /// The names in one line, neighbours of one name once; nil without any.
    private static func shown(_ names: [String]) -> String? {
        var shown: [String] = []
        for name in names where !name.isEmpty && name != shown.last { shown.append(name) }
        let line = HTMLText.bounded(HTMLText.cleaned(shown.joined(separator: ", ")), longestName)
        return line.isEmpty ? nil : line
    }

    /// The service's country, if it has the form of a country code.
    private static func code(_ text: String) -> String? {
        text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? text : nil
    }
}
