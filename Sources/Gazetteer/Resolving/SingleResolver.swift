import Model

/// Resolves a text that is only a place: a dateline, an author's location.
///
/// It folds the name once, has areas in memory, and reads only the most populous of a name's thousands of homonyms.
struct SingleResolver {
    /// Longer texts, in bytes, are not a place.
    private static let longest = 120

    let resolver: Resolver
    let context: PlaceContext

    private var table: CityTable { resolver.table }
    private var choice: SingleChoice { SingleChoice(resolver: resolver, context: context) }

    func resolve(_ text: String) throws(GazetteerError) -> ResolveOutcome {
        guard text.utf8.count <= Self.longest else { return .abstained(.notAPlace, candidates: []) }
        var folding = NameFolding()
        let place = PlaceParts(text)
        guard let head = place.parts.first, let key = folding.key(head) else {
            return .abstained(.notAPlace, candidates: [])
        }
        let name = MatchedName(text: head, key: key, folded: folding.bytes)
        guard place.parts.count > 1 else { return try bare(name) }
        let scopes = try place.scopes(resolver)
        guard !scopes.isEmpty else { return try behindUnknown(name) }
        return try qualified(name, matched: place.parts.joined(separator: ", "), in: scopes)
    }

    // MARK: - City, Region

    private func qualified(
        _ name: MatchedName, matched: String, in scopes: [MentionCandidates.Scope]
    ) throws(GazetteerError) -> ResolveOutcome {
        var cities: [CityTable.Candidate] = []
        var inDivision: Set<Int64> = []
        var isCut = false
        for scope in scopes {
            let found = try table.cities(
                named: name.key, in: scope.country, region: scope.region, limit: SingleChoice.limit)
            isCut = isCut || found.count >= SingleChoice.limit
            for city in found {
                if scope.region != nil { inDivision.insert(city.row) }
                if !cities.contains(where: { $0.row == city.row }) { cities.append(city) }
            }
        }
        if scopes.allSatisfy({ $0.region == nil }),
            let region = try choice.region(name.key, rather: cities, in: scopes.map { $0.country })
        {
            return .place(region, matching: matched, Confidence.qualified)
        }
        if !cities.isEmpty {
            return try choice.city(
                cities, preferring: inDivision, isCut: isCut, matched: matched, confidence: Confidence.qualified)
        }
        var areas: [Place] = []
        for entry in resolver.names.entries(name.key)
        where entry.form == .name || (entry.form == .code && entry.area.kind == .region) {
            areas.append(entry.area)
        }
        let isListOfCountries = areas.contains { $0.kind == .country }
        let folded = String(decoding: name.folded, as: UTF8.self)
        let hasAreaWord = AreaWords.split(folded) != nil
        for district in try table.districts(named: name.key)
        where !district.isCode && (hasAreaWord || district.place.population > 0) {
            areas.append(district.place)
        }
        areas = areas.filter { area in
            scopes.contains {
                area.kind != .country && area.country == $0.country && ($0.region == nil || $0.region == area.region)
            }
        }
        if let area = areas.first, areas.count == 1 {
            return .place(area, matching: matched, Confidence.qualified)
        }
        if !areas.isEmpty { return .abstained(.ambiguous, candidates: resolver.limited(areas)) }
        if let wider = try wider(name, folded, matched: matched, than: scopes) { return wider }
        return .abstained(isListOfCountries ? .ambiguous : .unknownName, candidates: try homonyms(name.key))
    }

    /// `North London, UK` is a large city without the direction, `Lagos State, Nigeria` a region without the kind.
    private func wider(
        _ name: MatchedName, _ folded: String, matched: String, than scopes: [MentionCandidates.Scope]
    ) throws(GazetteerError) -> ResolveOutcome? {
        var words = folded.split(separator: " ")
        while words.count > 1, AreaWords.directions.contains(String(words[0])) { words.removeFirst() }
        let kind = AreaWords.split(words.joined(separator: " "))
        let shorter = kind?.name ?? words.joined(separator: " ")
        guard shorter != folded else { return nil }
        let key = NameKey(folded: shorter.utf8)
        guard kind == nil else {
            let area = resolver.names.entries(key).first { entry in
                entry.form == .name && entry.area.kind == .region
                    && scopes.contains { $0.country == entry.area.country && $0.region == nil }
            }
            return area.map { ResolveOutcome.place($0.area, matching: matched, Confidence.supported) }
        }
        let outcome = try qualified(
            MatchedName(text: name.text, key: key, folded: Array(shorter.utf8)), matched: matched, in: scopes)
        guard case .found(let answer) = outcome,
            answer.place.kind != .city || answer.place.population >= Homonyms.knownCity
        else { return nil }
        return outcome
    }

    /// The part after the comma is unknown, so only a region, a country or a city of 100 000 is an answer.
    private func behindUnknown(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome {
        let outcome = try bare(name)
        guard case .found(var resolution) = outcome else { return outcome }
        let place = resolution.place
        guard place.kind != .city || place.population >= Homonyms.knownCity else {
            return .abstained(.unlikely, candidates: resolver.limited([place]))
        }
        resolution.confidence = min(resolution.confidence, Confidence.little)
        return .found(resolution)
    }

    // MARK: - A name alone

    private func bare(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome {
        let entries = resolver.names.entries(name.key, written: name.text)
        if !entries.isEmpty {
            if AreaWords.isDirection(String(decoding: name.folded, as: UTF8.self)) {
                return .abstained(.notAPlace, candidates: [])
            }
            if let outcome = try choice.area(name, entries) { return outcome }
        }
        var cities = try table.cities(named: name.key, limit: SingleChoice.limit)
        let isCut = cities.count >= SingleChoice.limit
        if isCut, let country = context.country {
            let near = try table.cities(named: name.key, in: country, region: context.region, limit: SingleChoice.limit)
            for city in near where !cities.contains(where: { $0.row == city.row }) { cities.append(city) }
        }
        if !cities.isEmpty {
            if cities[0].population < Homonyms.knownCity,
                AreaWords.worldRegions.contains(String(decoding: name.folded, as: UTF8.self))
            {
                return .abstained(.notAPlace, candidates: [])
            }
            return try choice.city(cities, isCut: isCut, matched: name.text, confidence: Confidence.wellKnown)
        }
        // Of `Lincoln County` there are many, of most of which the table has no town.
        let hasAreaWord = AreaWords.split(String(decoding: name.folded, as: UTF8.self)) != nil
        var districts: [Place] = []
        for district in try table.districts(named: name.key)
        where !district.isCode && (hasAreaWord || district.place.population > 0) {
            districts.append(district.place)
        }
        let here = districts.filter { $0.country == context.country }
        if here.count == 1 { return .place(here[0], matching: name.text, Confidence.supported) }
        if districts.count == 1 { return .place(districts[0], matching: name.text, Confidence.little) }
        if !districts.isEmpty { return .abstained(.ambiguous, candidates: resolver.limited(districts)) }
        if let found = try withAreaBehind(name) { return found }
        return try withoutAreaWords(name)
    }

    /// `Orlando Fl`, `London UK`, `Accra-Ghana`: a city of 15 000 with its area after it, without a comma.
    private func withAreaBehind(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome? {
        let words = String(decoding: name.folded, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let last = name.text.split(whereSeparator: { !$0.isLetter && $0 != "." }).last else {
            return nil
        }
        for count in 1...min(3, words.count - 1) {
            let area = words.suffix(count).joined(separator: " ")
            // In lower case, `in` and `me` are words.
            if area.utf8.count <= 3, last.first?.isUppercase != true { continue }
            let areas = resolver.names.entries(NameKey(folded: area.utf8)).filter { $0.form != .demonym }
            guard !areas.isEmpty else { continue }
            let head = words.dropLast(count).joined(separator: " ")
            let scopes = areas.map { MentionCandidates.Scope($0.area) }
            let city = MatchedName(text: name.text, key: NameKey(folded: head.utf8), folded: Array(head.utf8))
            if case .found(let resolution) = try qualified(city, matched: name.text, in: scopes),
                resolution.place.kind != .city || resolution.place.population >= Homonyms.town
            {
                return .found(resolution)
            }
        }
        return nil
    }

    /// `Northern Iraq`, `Aydin province`, `Kuwait City`: resolved without those words.
    private func withoutAreaWords(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome {
        let folded = String(decoding: name.folded, as: UTF8.self)
        if AreaWords.isDirection(folded) { return .abstained(.notAPlace, candidates: []) }
        var words = folded.split(separator: " ")
        guard words.count > 1, !AreaWords.worldRegions.contains(folded) else {
            return .abstained(.unknownName, candidates: [])
        }
        while words.count > 1, AreaWords.directions.contains(String(words[0])) { words.removeFirst() }
        var shorter = words.joined(separator: " ")
        if let split = AreaWords.split(shorter) {
            shorter = split.name
        } else if words.count > 1, let last = words.last, AreaWords.cityTails.contains(String(last)) {
            // `Tokyo area`, `Quebec City`: a city of 100 000, not the region of the name.
            let city = words.dropLast().joined(separator: " ")
            let cities = try table.cities(named: NameKey(folded: city.utf8), limit: SingleChoice.limit)
                .filter { $0.population >= Homonyms.knownCity }
            guard !cities.isEmpty else { return .abstained(.unknownName, candidates: []) }
            return try choice.city(cities, isCut: false, matched: name.text, confidence: Confidence.wellKnown)
        }
        guard shorter != folded else { return .abstained(.unknownName, candidates: []) }
        let key = NameKey(folded: shorter.utf8)
        let outcome = try bare(MatchedName(text: name.text, key: key, folded: Array(shorter.utf8)))
        if case .found(let answer) = outcome, answer.place.kind == .city,
            answer.place.population < Homonyms.knownCity, answer.place.country != context.country
        {
            // `West Bank` does not mean a village called Bank.
            return .abstained(.unlikely, candidates: resolver.limited([answer.place]))
        }
        return outcome
    }

    private func homonyms(_ key: NameKey) throws(GazetteerError) -> [Place] {
        guard resolver.runnersUpLimit > 0 else { return [] }
        var places: [Place] = []
        for city in try table.cities(named: key, limit: resolver.runnersUpLimit) {
            if let place = try table.city(city.row) { places.append(place) }
        }
        return resolver.limited(places)
    }
}
