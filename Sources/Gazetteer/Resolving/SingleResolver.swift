import Model

/// Resolves a text that is only a place: a dateline, an author's location.
///
/// It has areas in memory, and reads only the most populous of a name's thousands of homonyms.
struct SingleResolver {
    /// Longer texts, in bytes, are not a place.
    private static let longest = 120
    /// The most homonyms that are weighed.
    static let limit = 8

    let resolver: Resolver
    let context: PlaceContext

    private var meanings: MentionCandidates { MentionCandidates(resolver: resolver) }

    func resolve(_ text: String) throws(GazetteerError) -> ResolveOutcome {
        let place = PlaceParts(text.utf8.count <= Self.longest ? text : "")
        let name = MentionName(place.parts.first ?? "")
        guard !name.folded.isEmpty else { return .abstained(.notAPlace, candidates: []) }
        guard place.parts.count > 1 else { return try bare(name) }
        let scopes = try place.scopes(resolver)
        if !scopes.isEmpty { return try qualified(name, matched: place.parts.joined(separator: ", "), in: scopes) }
        // The part after the comma is unknown.
        let outcome = try known(bare(name))
        guard case .found(var resolution) = outcome else { return outcome }
        resolution.confidence = min(resolution.confidence, Confidence.little)
        return .found(resolution)
    }

    /// The outcome, unless it is a city of less than 100 000 inhabitants.
    private func known(_ outcome: ResolveOutcome, orAtHome: Bool = false) -> ResolveOutcome {
        guard case .found(let resolution) = outcome, resolution.place.kind == .city,
            resolution.place.population < Homonyms.knownCity
        else { return outcome }
        if orAtHome, resolution.place.country == context.country { return outcome }
        return .abstained(.unlikely, candidates: resolver.limited([resolution.place]))
    }

    /// The countries, regions and districts with a name. Of `Lincoln County` there are many, of most of which the table
    /// has no town; without the word they are no districts.
    private func areas(
        of name: MentionName, codes: Bool, initials: Bool
    ) throws(GazetteerError) -> [PlaceCandidate] {
        let hasAreaWord = AreaWords.split(name.folded) != nil
        return try meanings.areas(named: name, codes: codes, initials: initials).filter {
            $0.place.kind != .district || hasAreaWord || $0.place.population > 0
        }
    }

    /// A name without the directions before it and the word for its kind, and whether it had such a word; nil: it has
    /// neither.
    private func shortened(_ name: MentionName) -> (name: MentionName, hadKind: Bool)? {
        var words = name.folded.split(separator: " ")
        while words.count > 1, AreaWords.directions.contains(String(words[0])) { words.removeFirst() }
        let rest = words.joined(separator: " ")
        let split = AreaWords.split(rest)
        let folded = split?.name ?? rest
        return folded == name.folded ? nil : (MentionName(name.written, folded: folded), split != nil)
    }

    // MARK: - City, Region

    private func qualified(
        _ name: MentionName, matched: String, in scopes: [MentionCandidates.Scope]
    ) throws(GazetteerError) -> ResolveOutcome {
        let cities = try meanings.cities(named: name.folded, in: scopes, limit: Self.limit)
        let named = try areas(of: name, codes: true, initials: false)
        let areas = named.filter { area in
            area.place.kind != .country && area.form != .demonym && scopes.contains { $0.contains(area.place) }
        }
        if !cities.candidates.isEmpty {
            if scopes.allSatisfy({ $0.region == nil }), let region = largestRegion(areas),
                !cities.candidates.contains(where: { $0.place.lies(in: region.place) || outranks($0, region) })
            {
                return .place(region.place, matching: matched, Confidence.qualified)
            }
            return city(cities, matched: matched, in: scopes)
        }
        if areas.count == 1 { return .place(areas[0].place, matching: matched, Confidence.qualified) }
        if !areas.isEmpty { return .abstained(.ambiguous, candidates: resolver.limited(areas.map { $0.place })) }
        if let wider = try wider(name, matched: matched, than: scopes) { return wider }
        let isListOfCountries = named.contains { $0.form == .name && $0.place.kind == .country }
        let homonyms = resolver.runnersUpLimit > 0 ? try meanings.cities(named: name.folded, limit: Self.limit) : nil
        return .abstained(
            isListOfCountries ? .ambiguous : .unknownName,
            candidates: resolver.limited(homonyms?.candidates.map { $0.place } ?? []))
    }

    /// `North London, UK` is a large city without the direction, `Lagos State, Nigeria` a region without the kind.
    private func wider(
        _ name: MentionName, matched: String, than scopes: [MentionCandidates.Scope]
    ) throws(GazetteerError) -> ResolveOutcome? {
        guard let (shorter, hadKind) = shortened(name) else { return nil }
        if hadKind {
            let regions = try areas(of: shorter, codes: false, initials: false).filter { region in
                region.form == .name && region.place.kind == .region
                    && scopes.contains { $0.region == nil && $0.contains(region.place) }
            }
            return regions.first.map { .place($0.place, matching: matched, Confidence.supported) }
        }
        let outcome = try known(qualified(shorter, matched: matched, in: scopes))
        if case .found = outcome { return outcome }
        return nil
    }

    // MARK: - A name alone

    private func bare(_ name: MentionName) throws(GazetteerError) -> ResolveOutcome {
        // Alone, `uk` is not a word; `us` may be one.
        let areas = try areas(
            of: name, codes: name.isAbbreviation, initials: name.isAbbreviation || name.folded != "us")
        if AreaWords.isDirection(name.folded), areas.contains(where: { $0.place.isLargeArea }) {
            return .abstained(.notAPlace, candidates: [])
        }
        var cities = try meanings.cities(named: name.folded, limit: Self.limit)
        if cities.isCut, let home = MentionCandidates.Scope(context) {
            cities.add(try meanings.cities(named: name.folded, in: [home], limit: Self.limit))
        }
        if let outcome = area(name, areas, rivals: cities.candidates) { return outcome }
        if let largest = cities.candidates.first {
            if largest.place.population < Homonyms.knownCity, AreaWords.worldRegions.contains(name.folded) {
                return .abstained(.notAPlace, candidates: [])
            }
            return city(cities, matched: name.written)
        }
        let districts = areas.filter { $0.place.kind == .district }.map { $0.place }
        let here = districts.filter { $0.country == context.country }
        if here.count == 1 { return .place(here[0], matching: name.written, Confidence.supported) }
        if districts.count == 1 { return .place(districts[0], matching: name.written, Confidence.little) }
        if !districts.isEmpty { return .abstained(.ambiguous, candidates: resolver.limited(districts)) }
        if let found = try withAreaBehind(name) { return found }
        return try withoutAreaWords(name)
    }

    /// `Orlando Fl`, `London UK`, `Accra-Ghana`: a city of 15 000 with its area after it, without a comma.
    private func withAreaBehind(_ name: MentionName) throws(GazetteerError) -> ResolveOutcome? {
        let words = name.folded.split(separator: " ")
        guard words.count > 1, let last = name.written.split(whereSeparator: { !$0.isLetter && $0 != "." }).last else {
            return nil
        }
        for count in 1...min(3, words.count - 1) {
            let area = words.suffix(count).joined(separator: " ")
            // In lower case, `in` and `me` are words.
            if area.utf8.count <= 3, last.first?.isUppercase != true { continue }
            let areas = resolver.names.entries(NameKey(folded: area.utf8)).filter { $0.form != .demonym }
            guard !areas.isEmpty else { continue }
            let city = MentionName(name.written, folded: words.dropLast(count).joined(separator: " "))
            let scopes = areas.map { MentionCandidates.Scope($0.area) }
            if case .found(let resolution) = try qualified(city, matched: name.written, in: scopes),
                resolution.place.kind != .city || resolution.place.population >= Homonyms.town
            {
                return .found(resolution)
            }
        }
        return nil
    }

    /// `Northern Iraq`, `Aydin province`, `Kuwait City`: resolved without those words.
    private func withoutAreaWords(_ name: MentionName) throws(GazetteerError) -> ResolveOutcome {
        if AreaWords.isDirection(name.folded) { return .abstained(.notAPlace, candidates: []) }
        let words = name.folded.split(separator: " ")
        guard words.count > 1, let last = words.last, !AreaWords.worldRegions.contains(name.folded) else {
            return .abstained(.unknownName, candidates: [])
        }
        // `West Bank` does not mean a village called Bank.
        if let shorter = shortened(name)?.name { return try known(bare(shorter), orAtHome: true) }
        guard AreaWords.cityTails.contains(String(last)) else { return .abstained(.unknownName, candidates: []) }
        // `Tokyo area`, `Quebec City`: a city of 100 000, not the region of the name.
        var cities = try meanings.cities(named: words.dropLast().joined(separator: " "), limit: Self.limit)
        cities.candidates.removeAll { $0.place.population < Homonyms.knownCity }
        cities.isCut = false
        return city(cities, matched: name.written)
    }
}
