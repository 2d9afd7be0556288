import Model

/// Chooses among the areas and cities that a name alone may mean, by inhabitants and by the known context.
extension SingleResolver {
    // MARK: - Areas

    /// The answer if the name means an area; nil if it means a city or nothing.
    /// - Parameter cities: The cities with the name.
    func area(_ name: MentionName, _ areas: [PlaceCandidate], rivals cities: [PlaceCandidate]) -> ResolveOutcome? {
        let names = areas.filter { $0.form == .name }.map { $0.place }
        if let country = names.first(where: { $0.kind == .country }) {
            if country.population < 1_000_000, country.country != context.country,
                cities.contains(where: { $0.isRather(than: country) })
            {
                return nil
            }
            let home = names.first {
                $0.kind == .region && $0.country == context.country && $0.country != country.country
            }
            if let home { return .place(home, matching: name.written, Confidence.preferredKind) }
            return .place(country, matching: name.written, Confidence.certainName)
        }
        if let demonym = areas.first(where: { $0.form == .demonym }) {
            return .place(demonym.place, matching: name.written, Confidence.certainName)
        }
        let codes = areas.filter { $0.form == .code }.map { $0.place }.sorted { $0.population > $1.population }
        if let largest = codes.first {
            let here = codes.filter { $0.kind == .region && $0.country == context.country }
            if here.count == 1 { return .place(here[0], matching: name.written, Confidence.certainName) }
            if codes.count == 1 { return .place(largest, matching: name.written, Confidence.preferredKind) }
            if largest.kind == .region, largest.population > 10 * max(1, codes[1].population) {
                return .place(largest, matching: name.written, Confidence.supported)
            }
            return .abstained(.ambiguous, candidates: resolver.limited(codes))
        }
        guard let region = largestRegion(areas), !cities.contains(where: { outranks($0, region) }) else { return nil }
        return .place(region.place, matching: name.written, Confidence.preferredKind)
    }

    /// The region by name that weighs most.
    func largestRegion(_ areas: [PlaceCandidate]) -> PlaceCandidate? {
        areas.filter { $0.form == .name && $0.place.kind == .region }.max { weight($0) < weight($1) }
    }

    /// Whether a city is preferred to the region of its name: it is a good part of the region, larger than the region,
    /// its country's capital, or a capital district, which is a division of its own.
    func outranks(_ city: PlaceCandidate, _ region: PlaceCandidate) -> Bool {
        let (place, area) = (city.place, region.place)
        if place.lies(in: area) {
            return Homonyms.isGoodPart(population: place.population, of: area) || place.feature == "PPLC"
        }
        let isLarger = city.isOwnName && place.population > area.population
        if Homonyms.outweighs(weight(city), isLarger: isLarger, region: weight(region)) { return true }
        guard place.country == area.country else { return false }
        let own = city.regionCode.flatMap { resolver.table.regions[$0] }
        let isDistrict = own.map { place.population >= Homonyms.knownCity && place.population * 2 >= $0.population }
        return isDistrict ?? false || place.feature == "PPLC"
    }

    // MARK: - Cities

    /// The city that outweighs the others: with twice the inhabitants of any that is not close by.
    /// - Parameter scopes: The areas behind the name; empty: none. Cities in a division count ten times their
    ///   inhabitants: `CA` may be California or Canada, and is the state unless the city there is far smaller.
    func city(
        _ cities: MentionCandidates.Found, matched: String, in scopes: [MentionCandidates.Scope] = []
    ) -> ResolveOutcome {
        // Islamabad is another name of Chittagong, which is larger.
        let isOwnName =
            scopes.isEmpty
            && cities.candidates.contains { $0.form == .name && $0.place.population >= Homonyms.town }
        let divisions = scopes.filter { $0.region != nil }
        let ranked = cities.candidates
            .filter { !isOwnName || $0.isOwnName || $0.place.country == context.country }
            .map { city in
                (place: city.place, weight: weight(city) + (divisions.contains { $0.contains(city.place) } ? 1 : 0))
            }
            .sorted { $0.weight > $1.weight }
        guard let (place, weight) = ranked.first else { return .abstained(.unknownName, candidates: []) }
        let isUnknown = place.population == 0
        let rivals = ranked.dropFirst().prefix { Homonyms.isClose(weight, to: $0.weight) }
        // If there are more rivals than were read, they are not all in one spot.
        let isAmbiguous =
            isUnknown && cities.isCut && rivals.count >= Self.limit - 1
            || rivals.contains { rival in
                let distance = place.coordinate.distance(to: rival.place.coordinate)
                return Homonyms.areApart(distance, isPopulationUnknown: isUnknown)
            }
        let others = resolver.limited(ranked.dropFirst(isAmbiguous ? 0 : 1).map { $0.place })
        guard !isAmbiguous else { return .abstained(.ambiguous, candidates: others) }
        let confidence =
            if !scopes.isEmpty {
                isUnknown && ranked.count > 1 ? Confidence.supported : Confidence.qualified
            } else if isUnknown {
                Confidence.unknownPopulation
            } else if place.country == context.country {
                Confidence.supported
            } else {
                place.population < Homonyms.knownCity ? Confidence.little : Confidence.wellKnown
            }
        return .found(Resolution(place: place, confidence: confidence, matchedText: matched, runnersUp: others))
    }

    /// log10 of the inhabitants, 3 more in the country of the context and 4.5 more in its region.
    private func weight(_ candidate: PlaceCandidate) -> Double {
        guard candidate.place.country == context.country else { return candidate.weight }
        let isInRegion = context.region.map { $0 == candidate.place.region } ?? false
        return candidate.weight + (isInRegion ? 4.5 : 3)
    }
}

extension PlaceCandidate {
    /// Whether it is preferred to an area elsewhere: a city with the name as its own and more inhabitants.
    fileprivate func isRather(than area: Place) -> Bool {
        Homonyms.isRather(population: place.population, isOwnName: form == .name, in: place.country, than: area)
    }
}
