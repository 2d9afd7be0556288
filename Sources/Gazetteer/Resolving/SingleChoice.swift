import Model

/// Chooses among the areas and cities that a name alone may mean, by inhabitants and by the known context.
struct SingleChoice {
    /// The most homonyms that are weighed.
    static let limit = 8

    let resolver: Resolver
    let context: PlaceContext

    private var table: CityTable { resolver.table }

    // MARK: - Areas

    /// The answer if the name means an area; nil if it means a city or nothing.
    func area(_ name: MatchedName, _ entries: [AreaNames.Entry]) throws(GazetteerError) -> ResolveOutcome? {
        let isWrittenAsCode =
            name.text.utf8.contains(UInt8(ascii: "."))
            || (name.folded.count <= 4 && !name.text.unicodeScalars.contains { $0.isLowercase })
        let usable = entries.filter {
            switch $0.form {
            case .name, .demonym: true
            // Alone, `uk` is not a word; `us` may be one.
            case .initials: isWrittenAsCode || !name.folded.elementsEqual("us".utf8)
            case .code: isWrittenAsCode
            }
        }
        let countries = usable.filter { $0.area.kind == .country && ($0.form == .name || $0.form == .initials) }
        if let country = countries.first {
            if country.area.population < 1_000_000, country.form == .name, context.country != country.area.country {
                let cities = try table.cities(named: name.key, limit: 1)
                let isCity = cities.contains {
                    Homonyms.isRather(
                        population: $0.population, isOwnName: !$0.isAlternate, in: $0.country, than: country.area)
                }
                if isCity { return nil }
            }
            let division = usable.first {
                $0.form == .name && $0.area.kind == .region && $0.area.country == context.country
                    && $0.area.country != country.area.country
            }
            if let division { return .place(division.area, matching: name.text, Confidence.preferredKind) }
            return .place(country.area, matching: name.text, Confidence.certainName)
        }
        if let demonym = usable.first(where: { $0.form == .demonym }) {
            return .place(demonym.area, matching: name.text, Confidence.certainName)
        }
        let codes = usable.filter { $0.form == .code }
        if !codes.isEmpty {
            let here = codes.filter { $0.area.kind == .region && $0.area.country == context.country }
            if here.count == 1 { return .place(here[0].area, matching: name.text, Confidence.certainName) }
            if codes.count == 1 { return .place(codes[0].area, matching: name.text, Confidence.preferredKind) }
            let ranked = codes.map { $0.area }.sorted { $0.population > $1.population }
            if ranked[0].kind == .region, ranked[0].population > 10 * max(1, ranked[1].population) {
                return .place(ranked[0], matching: name.text, Confidence.supported)
            }
            return .abstained(.ambiguous, candidates: resolver.limited(codes.map { $0.area }))
        }
        let regions = usable.filter { $0.form == .name && $0.area.kind == .region }.map { $0.area }
        guard let region = regions.max(by: { weight($0) < weight($1) }) else { return nil }
        return try regionOrCity(name, region)
    }

    /// The region, or nil if a city is meant: a capital with its name, a city with a good part of its inhabitants, or
    /// another city that outweighs it.
    private func regionOrCity(_ name: MatchedName, _ region: Place) throws(GazetteerError) -> ResolveOutcome? {
        let cities = try table.cities(named: name.key, limit: Self.limit)
        for city in cities {
            if try outranks(city, region) { return nil }
        }
        return .place(region, matching: name.text, Confidence.preferredKind)
    }

    /// The region for `Oregon, USA`, if the cities of the name lie elsewhere in the countries and none outranks it.
    func region(
        _ key: NameKey, rather cities: [CityTable.Candidate], in countries: [String]
    ) throws(GazetteerError) -> Place? {
        guard !cities.isEmpty else { return nil }
        let regions = resolver.names.entries(key).filter { entry in
            entry.form == .name && entry.area.kind == .region && countries.contains(entry.area.country)
        }
        guard let region = regions.map({ $0.area }).max(by: { $0.population < $1.population }) else { return nil }
        for city in cities {
            if city.country == region.country, city.region == region.region { return nil }
            if try outranks(city, region) { return nil }
        }
        return region
    }

    /// Whether a city is preferred to the region of its name: it is a good part of the region, larger than the region,
    /// its country's capital, or a capital district, which is a division of its own.
    func outranks(_ city: CityTable.Candidate, _ region: Place) throws(GazetteerError) -> Bool {
        let isInside = city.country == region.country && city.region == region.region
        if isInside, Homonyms.isGoodPart(population: city.population, of: region) { return true }
        let isLarger = !city.isAlternate && city.population > region.population
        if !isInside, Homonyms.outweighs(weight(city), isLarger: isLarger, region: weight(region)) { return true }
        guard city.country == region.country else { return false }
        if !isInside, city.population >= Homonyms.knownCity, let own = table.regions["\(city.country).\(city.region)"],
            city.population * 2 >= own.population
        {
            return true
        }
        return try table.city(city.row)?.feature == "PPLC"
    }

    // MARK: - Cities

    /// The city that outweighs the others: with twice the inhabitants of any that is not close by.
    /// - Parameter preferring: Rows that count ten times their inhabitants. `CA` may be California or Canada: it is the
    ///   state unless the city there is far smaller.
    func city(
        _ cities: [CityTable.Candidate], preferring preferred: Set<Int64> = [], isCut: Bool, matched: String,
        confidence: Double
    ) throws(GazetteerError) -> ResolveOutcome {
        // Islamabad is another name of Chittagong, which is larger.
        let isOwnName =
            confidence < Confidence.qualified
            && cities.contains { !$0.isAlternate && $0.population >= Homonyms.town }
        var likely: [CityTable.Candidate] = []
        for city in cities {
            if isOwnName, city.isAlternate, city.country != context.country {
                let own = try table.city(city.row).map { NameFolding.folded($0.name) } ?? ""
                guard Homonyms.areVariants(NameFolding.folded(matched), own) else { continue }
            }
            likely.append(city)
        }
        let ranked = likely.map { city in (weight: weight(city) + (preferred.contains(city.row) ? 1 : 0), city: city) }
            .sorted { $0.weight > $1.weight }
        guard let first = ranked.first, let place = try table.city(first.city.row) else {
            return .abstained(.unknownName, candidates: [])
        }
        let isUnknown = first.city.population == 0
        let rivals = ranked.dropFirst().prefix { Homonyms.isClose(first.weight, to: $0.weight) }
        // If there are more rivals than were read, they are not all in one spot.
        var isAmbiguous = isUnknown && isCut && rivals.count >= Self.limit - 1
        if !isAmbiguous {
            for rival in rivals {
                guard let other = try table.city(rival.city.row) else { continue }
                let distance = place.coordinate.distance(to: other.coordinate)
                if Homonyms.areApart(distance, isPopulationUnknown: isUnknown) {
                    isAmbiguous = true
                    break
                }
            }
        }
        var runnersUp: [Place] = []
        for (_, city) in ranked.dropFirst(isAmbiguous ? 0 : 1).prefix(resolver.runnersUpLimit) {
            if let other = try table.city(city.row) { runnersUp.append(other) }
        }
        guard !isAmbiguous else { return .abstained(.ambiguous, candidates: runnersUp) }
        var sure = confidence
        if confidence < Confidence.qualified {
            if place.country == context.country {
                sure = Confidence.supported
            } else if place.population < Homonyms.knownCity {
                sure = Confidence.little
            }
            if isUnknown { sure = Confidence.unknownPopulation }
        } else if isUnknown, ranked.count > 1 {
            sure = Confidence.supported
        }
        return .found(
            Resolution(place: place, confidence: sure, matchedText: matched, runnersUp: runnersUp))
    }

    // MARK: - Weights

    private func weight(_ area: Place) -> Double {
        PlaceCandidate.weight(population: area.population, isAlternate: false)
            + (area.country == context.country ? 3 : 0)
    }

    private func weight(_ city: CityTable.Candidate) -> Double {
        var weight = PlaceCandidate.weight(population: city.population, isAlternate: city.isAlternate)
        if city.country == context.country {
            weight += 3
            if let region = context.region, region == city.region { weight += 1.5 }
        }
        return weight
    }
}
