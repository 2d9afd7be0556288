import Foundation
import Model

/// Chooses the meaning of a name without a region after it, by the countries and regions that the document names and by
/// the cities already settled.
struct DocumentChoice {
    let text: DocumentText
    let areas: DocumentAreas
    let context: PlaceContext
    /// Where the document was written.
    let dateline: Place?
    var evidence: DocumentEvidence
    /// The cities already settled.
    let near: [Place]

    /// The meaning of the mentions of one name; there is at least one, with candidates. They are no evidence for
    /// themselves.
    func verdict(on group: [DocumentMention]) -> DocumentMention.Verdict {
        var others = self
        others.evidence = evidence.without(group[0].name.folded)
        return others.choose(group)
    }

    private func choose(_ group: [DocumentMention]) -> DocumentMention.Verdict {
        let mention = group[0]
        let name = mention.name
        let candidates = mention.candidates
        let countryNamed = candidates.first { $0.place.kind == .country && $0.form == .name }
        let regionsNamed = candidates.filter { $0.place.kind == .region && $0.form == .name }
        if countryNamed == nil {
            if let people = candidates.first(where: { $0.form == .demonym }) {
                return .place(people.place, Confidence.certainName)
            }
            if let area = mostLikelyCode(candidates) { return .place(area, Confidence.certainName) }
        }
        let hasAreaWord = AreaWords.split(name.folded) != nil
        // Without such a word, a district without cities in the table is taken for a town too small for the table.
        let districts = candidates.filter { $0.place.kind == .district && (hasAreaWord || $0.place.population > 0) }
        if hasAreaWord, !districts.isEmpty || !regionsNamed.isEmpty {
            return areaOfItsWord(regionsNamed + districts)
        }
        let cities = candidates.filter { $0.place.kind == .city }
        if let countryNamed, !isRatherTown(countryNamed.place, cities, name, where: isHome),
            !cities.contains(where: { Self.isRather($0, than: countryNamed.place) })
        {
            if context.region == nil, isRatherTown(countryNamed.place, cities, name, where: isInNamedRegion) {
                return .nothing(.ambiguous)
            }
            if group.contains(where: { areas.isBehindTown($0.range.lowerBound) }),
                !isSettled(countryNamed.place, or: regionsNamed)
            {
                return .nothing(.ambiguous)
            }
            return country(countryNamed.place, or: regionsNamed, isRegion: text.isCalledRegion(mention.range))
        }
        // `Fire in Alexandria` in Louisiana is not in Egypt, where it is a city and a region.
        let regions = regionsNamed.filter { region in
            !isRatherTown(region.place, cities, name) { town in
                isHome(town) || isInNamedRegion(town)
                    || !region.place.isState && evidence.countries[town.country] != nil
            }
        }
        if let verdict = regionOrCity(group, regions, cities) { return verdict }
        if !cities.isEmpty { return city(cities, name.folded, districts: districts) }
        return district(districts)
    }

    /// Whether the name of a country, or of a region in it, may mean a town there: one has it as its own name, and
    /// nothing else in the document points to the country.
    private func isRatherTown(
        _ area: Place, _ cities: [PlaceCandidate], _ name: MentionName, where isThere: (Place) -> Bool
    ) -> Bool {
        let towns = cities.filter { $0.form == .name && $0.place.country != area.country && isThere($0.place) }
        guard area.country != context.country, !towns.isEmpty else { return false }
        return evidence.countries[area.country, default: 0] <= areas.hits.count { $0.name == name.folded }
    }

    /// Whether the place is in the region that is known beforehand.
    private func isHome(_ place: Place) -> Bool {
        guard let region = context.region else { return false }
        return place.country == context.country && place.region == region
    }

    /// Whether the document names the place's region.
    func isInNamedRegion(_ place: Place) -> Bool {
        place.regionCode.map { evidence.regions[$0] != nil } ?? false
    }

    /// Whether a city is in the home's country, in a region that neither is the home nor is named: a namesake of a town
    /// that the table lacks, unless all know it.
    private func isNamesakeOfHome(_ place: Place) -> Bool {
        context.region != nil && place.country == context.country && !isHome(place) && isLittleKnown(place)
    }

    /// Whether neither its rank nor its size nor a region that the document names makes a city known.
    private func isLittleKnown(_ place: Place) -> Bool {
        place.feature != "PPLC" && place.population < Homonyms.knownAfar && !isInNamedRegion(place)
    }

    /// Whether nothing points to the country of a city, and a larger one of 500 000 has its name: San José is a capital,
    /// San Jose in California is larger.
    private func isOutnumbered(_ place: Place, _ cities: [PlaceCandidate]) -> Bool {
        evidence.countries[place.country] == nil
            && cities.contains { rival in
                rival.form == .name && rival.place.population >= Homonyms.knownAfar
                    && rival.place.population > place.population
            }
    }

    /// Whether a city in a home that is a country has the name of one that all know elsewhere, and nothing else in the
    /// document points to its region: Melbourne in Florida, Athens in Georgia.
    private func isNamesakeOfFamous(_ place: Place, _ cities: [PlaceCandidate]) -> Bool {
        guard context.region == nil, place.country == context.country, isLittleKnown(place),
            !near.contains(where: { isNeighbour($0, of: place) })
        else { return false }
        return cities.contains { city in
            city.form == .name && city.place.country != place.country
                && city.place.population > place.population
                && (city.place.feature == "PPLC" || city.place.population >= Homonyms.knownAfar)
        }
    }

    /// Whether a city is in the one country of a document, but in none of its regions: Bristol in a story from Ohio.
    private func isOutside(_ place: Place) -> Bool {
        evidence.localCountry == place.country && !isInNamedRegion(place) && place.feature != "PPLC"
            && place.population < Homonyms.knownCity
    }

    /// Whether a city is outside the country of a home that is a region, or of a local story, and the document names no
    /// country but that: a namesake of a town that the table lacks, such as Delhi in Louisiana.
    private func isAbroad(_ place: Place) -> Bool {
        guard let country = context.region != nil ? context.country : evidence.localCountry else { return false }
        return place.country != country && evidence.countries.keys.allSatisfy { $0 == country }
    }

    /// Whether a city elsewhere has the country's name as its own and more inhabitants.
    private static func isRather(_ city: PlaceCandidate, than country: Place) -> Bool {
        Homonyms.isRather(
            population: city.place.population, isOwnName: city.form == .name, in: city.place.country, than: country)
    }

    private func mostLikelyCode(_ candidates: [PlaceCandidate]) -> Place? {
        candidates.filter { $0.form == .code }.map { $0.place }.max { first, second in
            rank(first).lexicographicallyPrecedes(rank(second))
        }
    }

    /// Rank of an abbreviation's meanings: the document's regions, its countries, any region, population.
    private func rank(_ area: Place) -> [Int64] {
        [
            area.regionCode.map { evidence.regions[$0] != nil } == true ? 1 : 0,
            Int64(evidence.countries[area.country] ?? 0),
            area.kind == .region ? 1 : 0, area.population,
        ]
    }

    /// The area for `Hall County`: the one in the regions that the document names.
    func areaOfItsWord(_ areas: [PlaceCandidate]) -> DocumentMention.Verdict {
        func rank(_ place: Place) -> Double {
            evidence.weight(of: place) + 0.1 * log10(Double(place.population + 1)) + (place.kind == .region ? 0.5 : 0)
        }
        let ranked = areas.map { $0.place }.sorted { rank($0) > rank($1) }
        guard ranked.count > 1, !ranked[1].lies(in: ranked[0]) else { return .place(ranked[0], Confidence.supported) }
        return evidence.weight(of: ranked[0]) > evidence.weight(of: ranked[1]) + 1e-9
            ? .place(ranked[0], Confidence.supported) : .nothing(.ambiguous)
    }

    /// Whether the country has no rival, or the document decides: `Bainbridge, Georgia` alone does not.
    private func isSettled(_ country: Place, or regions: [PlaceCandidate]) -> Bool {
        let rivals = regions.map { $0.place }.filter { Homonyms.isRival($0, of: country) }
        return rivals.isEmpty || ([country] + rivals).contains { evidence.countries[$0.country] != nil }
    }

    /// The country, unless a region elsewhere has its name and the document names that region's country more often.
    private func country(_ country: Place, or regions: [PlaceCandidate], isRegion: Bool) -> DocumentMention.Verdict {
        if isRegion, let region = regions.first(where: { $0.place.country != country.country }) {
            return .place(region.place, Confidence.preferredKind)
        }
        let region = regions.first {
            Homonyms.isRival($0.place, of: country) && evidence.countries[$0.place.country] != nil
        }
        guard let region,
            evidence.countries[country.country, default: 0] < evidence.countries[region.place.country, default: 0]
        else {
            return .place(country, Confidence.certainName)
        }
        return .place(region.place, Confidence.preferredKind)
    }

    /// A region, or a city with its name; nil if no region has the name or another city outweighs it.
    private func regionOrCity(
        _ group: [DocumentMention], _ regions: [PlaceCandidate], _ cities: [PlaceCandidate]
    ) -> DocumentMention.Verdict? {
        func rank(_ place: Place) -> Double { log10(Double(place.population + 1)) + evidence.weight(of: place) }
        guard let region = regions.map({ $0.place }).max(by: { rank($0) < rank($1) }) else { return nil }
        let inside = cities.map { $0.place }.filter { $0.lies(in: region) }
        let isCalled = group.contains {
            text.isCalledRegion($0.range) || region.isState && areas.isBesideState($0.range)
        }
        let isOutweighed = cities.contains { city in
            guard !city.place.lies(in: region) else { return false }
            let isLarger = !isCalled && city.form == .name && city.place.population > region.population
            return Homonyms.outweighs(weight(of: city), isLarger: isLarger, region: rank(region))
        }
        if !isCalled {
            if !isOutweighed,
                let capital = cities.first(where: { $0.place.feature == "PPLC" && $0.place.country == region.country })
            {
                if isAbroad(capital.place) { return .nothing(.unlikely) }
                return isOutnumbered(capital.place, cities)
                    ? .nothing(.ambiguous) : .place(capital.place, Confidence.preferredKind)
            }
            if !isOutweighed, let city = inside.max(by: { $0.population < $1.population }),
                Homonyms.isGoodPart(population: city.population, of: region)
            {
                if isAbroad(city) { return .nothing(.unlikely) }
                // It needs support like any other city.
                let isSupported =
                    evidence.weight(of: city) > 0 || city.population >= DocumentEvidence.famousCity
                    || isInReach(city)
                return isSupported ? .place(city, Confidence.preferredKind) : nil
            }
        }
        if isOutweighed { return nil }
        if region.population < DocumentEvidence.obscureRegion, evidence.weight(of: region) == 0 {
            return cities.isEmpty ? .nothing(.unlikely) : nil
        }
        return .place(region, Confidence.preferredKind)
    }

    /// Score of a city: log10 of its inhabitants plus bonuses for its rank, the document's areas and its neighbours.
    private func weight(of candidate: PlaceCandidate) -> Double {
        let place = candidate.place
        var weight = candidate.weight
        if candidate.form == .name {
            if place.feature == "PPLC" { weight += 1 } else if place.feature == "PPLA" { weight += 0.3 }
        }
        if let count = evidence.countries[place.country] {
            weight += 1 + 1.5 * Double(count) / Double(max(1, evidence.total))
        }
        if place.country == context.country { weight += 0.5 }
        if let code = place.regionCode, evidence.regions[code] != nil { weight += 1.5 }
        return weight + 0.7 * Double(min(2, near.count { isNeighbour($0, of: place) }))
    }

    private func isNeighbour(_ other: Place, of place: Place) -> Bool {
        other.id != place.id && other.coordinate.distance(to: place.coordinate) < Nearness.neighbourhood
    }

    /// Whether the document was written so near that its agency's office there reports from the city.
    private func isInReach(_ place: Place) -> Bool {
        dateline.map { $0.coordinate.distance(to: place.coordinate) < Nearness.reach } ?? false
    }

    /// The cities that may be meant. One that has the name besides its own must be large; where a town has it as its own,
    /// the document must name its country, too, or its own be like it: Philadelphia is not Amman, but Panama City is
    /// Panamá.
    private func likely(_ cities: [PlaceCandidate], _ name: String) -> [PlaceCandidate] {
        let isOwnName = cities.contains { $0.form == .name && $0.place.population >= Homonyms.town }
        return cities.filter { city in
            city.form == .name
                || city.place.population >= Homonyms.knownCity
                    && (!isOwnName || evidence.countries[city.place.country] != nil
                        || Homonyms.areVariants(name, NameFolding.folded(city.place.name)))
        }
    }

    private func city(
        _ cities: [PlaceCandidate], _ name: String, districts: [PlaceCandidate]
    ) -> DocumentMention.Verdict {
        let ranked = likely(cities, name).map { (weight: weight(of: $0), candidate: $0) }
            .sorted { $0.weight > $1.weight }
        guard let best = ranked.first else { return .nothing(.unlikely) }
        let place = best.candidate.place
        let isCapital = place.feature == "PPLC"
        var confidence = Confidence.supported
        let isNamesake = isNamesakeOfHome(place) || isAbroad(place) || isOutside(place)
        if isNamesake || evidence.countries[place.country] == nil,
            !near.contains(where: { isNeighbour($0, of: place) }), !isInReach(place)
        {
            let here = districts.filter { candidate in
                candidate.place.regionCode.map { evidence.regions[$0] != nil } ?? false
            }
            if here.count == 1 { return .place(here[0].place, Confidence.supported) }
            if isNamesake { return .nothing(.unlikely) }
            confidence = Confidence.wellKnown
            if evidence.total == 0 {
                let isFaint =
                    best.candidate.form == .alternate && !isCapital && place.population < DocumentEvidence.famousCity
                if isFaint || place.population == 0 || (place.population < Homonyms.knownCity && cities.count > 1) {
                    return .nothing(.unlikely)
                }
                if place.population < Homonyms.knownCity { confidence = Confidence.alone }
            } else if !isCapital, place.population < DocumentEvidence.famousCity {
                return .nothing(.unlikely)
            }
        }
        let rivals = ranked.map { $0.candidate }
        if isNamesakeOfFamous(place, rivals) || isOutnumbered(place, rivals) { return .nothing(.ambiguous) }
        for rival in ranked.dropFirst() where Homonyms.isClose(best.weight, to: rival.weight) {
            if Homonyms.areApart(place.coordinate.distance(to: rival.candidate.place.coordinate)) {
                return .nothing(.ambiguous)
            }
        }
        return .place(place, place.population == 0 ? min(confidence, Confidence.little) : confidence)
    }

    /// A second-level division by its bare name: the one in the document's regions.
    private func district(_ districts: [PlaceCandidate]) -> DocumentMention.Verdict {
        let ranked = districts.map { (evidence: evidence.weight(of: $0.place), place: $0.place) }
            .sorted { $0.evidence > $1.evidence }
        guard let best = ranked.first else { return .nothing(.unknownName) }
        guard best.evidence > 0, ranked.count == 1 || best.evidence > ranked[1].evidence else {
            return .nothing(.ambiguous)
        }
        return .place(best.place, Confidence.little)
    }
}
