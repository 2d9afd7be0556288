import Foundation
import Model

/// Resolves a text that is nothing but a place: a dateline, an author's location.
///
/// It is fast: the name is folded once, areas come from memory, and of a name's homonyms, which can be thousands, only
/// the most populous few are asked for.
struct SingleResolver {
    /// Most homonyms that are weighed.
    private static let limit = 8
    /// Homonyms of unknown population within this many kilometres are one place, or as good as one.
    private static let sameSpot = 50.0
    /// Two places further apart than this, in kilometres, are different answers.
    private static let sameArea = 161.0
    /// A city that large is meant although a word was left out of the name, or the name is a continent's.
    private static let knownCity: Int64 = 100_000
    /// A longer text is no place, in bytes.
    private static let longest = 120

    let resolver: Resolver
    let context: PlaceContext

    private var table: CityTable { resolver.table }

    /// Where to look: a country, or a division of it.
    private struct Scope: Hashable {
        let country: String
        let region: String?
    }

    func resolve(_ text: String) throws(GazetteerError) -> ResolveOutcome {
        guard text.utf8.count <= Self.longest else { return .abstained(.notAPlace, candidates: []) }
        var folding = NameFolding()
        let parts = Self.parts(of: text)
        guard let head = parts.first, let key = folding.key(head) else {
            return .abstained(.notAPlace, candidates: [])
        }
        let name = MatchedName(text: head, key: key, folded: folding.bytes)
        guard parts.count > 1 else { return try bare(name) }
        let scopes = try self.scopes(parts.dropFirst(), folding: &folding)
        guard !scopes.isEmpty else { return try behindUnknown(name) }
        return try qualified(name, matched: parts.joined(separator: ", "), in: scopes)
    }

    /// A name with what the search needs of it.
    private struct MatchedName {
        let text: String
        let key: NameKey
        let folded: [UInt8]
    }

    /// What stands between the commas, without the spaces around it; what is empty is left out.
    private static func parts(of text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ",")).compactMap { part -> String? in
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
            guard let first = part.firstIndex(where: { !isSpace($0) }),
                let last = part.lastIndex(where: { !isSpace($0) })
            else { return nil }
            return String(Substring(part[first...last]))
        }
    }

    // MARK: - City, Region

    /// Where the parts behind the first comma put the place; nil when there are none, or they leave several countries.
    func qualifier(of text: String) throws(GazetteerError) -> PlaceContext? {
        let parts = Self.parts(of: text)
        guard parts.count > 1 else { return nil }
        var folding = NameFolding()
        let scopes = try self.scopes(parts.dropFirst(), folding: &folding)
        guard let first = scopes.first, scopes.allSatisfy({ $0.country == first.country }) else { return nil }
        return PlaceContext(country: first.country, region: scopes.count == 1 ? first.region : nil)
    }

    /// What the parts behind the first comma mean: the last one decides, the one before it may narrow it down.
    private func scopes(
        _ tail: ArraySlice<String>, folding: inout NameFolding
    ) throws(GazetteerError) -> [Scope] {
        guard let last = tail.last, let key = folding.key(last) else { return [] }
        let areas = resolver.names.entries(key).filter { $0.form != .demonym }.map { $0.area }
        if areas.isEmpty {
            // `Brooklyn, New York City`: where that city is.
            guard let city = try table.cities(named: key, limit: 1).first, city.population > 0 else { return [] }
            return [Scope(country: city.country, region: city.region.isEmpty ? nil : city.region)]
        }
        if tail.count > 1, let middle = folding.key(tail[tail.endIndex - 2]) {
            let inner = resolver.names.entries(middle).map { $0.area }
                .filter { division in division.kind == .region && areas.contains { division.lies(in: $0) } }
            if !inner.isEmpty { return inner.map { Scope(country: $0.country, region: $0.region) } }
        }
        return areas.map { Scope(country: $0.country, region: $0.kind == .region ? $0.region : nil) }
    }

    private func qualified(
        _ name: MatchedName, matched: String, in scopes: [Scope]
    ) throws(GazetteerError) -> ResolveOutcome {
        var cities: [CityTable.Candidate] = []
        var inDivision: Set<Int64> = []
        var isCut = false
        for scope in scopes {
            let found = try table.cities(
                named: name.key, in: scope.country, region: scope.region, limit: Self.limit)
            isCut = isCut || found.count >= Self.limit
            for city in found {
                if scope.region != nil { inDivision.insert(city.row) }
                if !cities.contains(where: { $0.row == city.row }) { cities.append(city) }
            }
        }
        if let region = try region(name, rather: cities, in: scopes) {
            return found(region, matched, Confidence.qualified)
        }
        if !cities.isEmpty {
            return try choose(
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
            return found(area, matched, Confidence.qualified)
        }
        if !areas.isEmpty { return .abstained(.ambiguous, candidates: limited(areas)) }
        if let wider = try wider(name, folded, matched: matched, than: scopes) { return wider }
        return .abstained(isListOfCountries ? .ambiguous : .unknownName, candidates: try homonyms(name.key))
    }

    /// `North London, UK`, `Lagos State, Nigeria`: without the direction a large city, without the kind an area.
    private func wider(
        _ name: MatchedName, _ folded: String, matched: String, than scopes: [Scope]
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
            return area.map { found($0.area, matched, Confidence.supported) }
        }
        let outcome = try qualified(
            MatchedName(text: name.text, key: key, folded: Array(shorter.utf8)), matched: matched, in: scopes)
        guard case .found(let answer) = outcome,
            answer.place.kind != .city || answer.place.population >= Self.knownCity
        else { return nil }
        return outcome
    }

    /// `Oregon, USA`: the region, when the cities of that name lie elsewhere in the country and none outranks it.
    private func region(
        _ name: MatchedName, rather cities: [CityTable.Candidate], in scopes: [Scope]
    ) throws(GazetteerError) -> Place? {
        guard !cities.isEmpty, scopes.allSatisfy({ $0.region == nil }) else { return nil }
        let regions = resolver.names.entries(name.key).filter { entry in
            entry.form == .name && entry.area.kind == .region
                && scopes.contains { $0.country == entry.area.country }
        }
        guard let region = regions.map({ $0.area }).max(by: { $0.population < $1.population }) else { return nil }
        for city in cities {
            if city.country == region.country, city.region == region.region { return nil }
            if try outranks(city, region) { return nil }
        }
        return region
    }

    /// What stands behind the comma is no area: only a name that stands out by itself is an answer.
    private func behindUnknown(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome {
        let outcome = try bare(name)
        guard case .found(var resolution) = outcome else { return outcome }
        let place = resolution.place
        guard place.kind != .city || place.population >= 100_000 else {
            return .abstained(.unlikely, candidates: limited([place]))
        }
        resolution.confidence = min(resolution.confidence, Confidence.little)
        return .found(resolution)
    }

    // MARK: - A name alone

    private func bare(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome {
        let entries = resolver.names.entries(name.key)
        if !entries.isEmpty {
            if AreaWords.isDirection(String(decoding: name.folded, as: UTF8.self)) {
                return .abstained(.notAPlace, candidates: [])
            }
            if let outcome = try area(name, entries) { return outcome }
        }
        var cities = try table.cities(named: name.key, limit: Self.limit)
        let isCut = cities.count >= Self.limit
        if isCut, let country = context.country {
            let near = try table.cities(named: name.key, in: country, region: context.region, limit: Self.limit)
            for city in near where !cities.contains(where: { $0.row == city.row }) { cities.append(city) }
        }
        if !cities.isEmpty {
            if cities[0].population < Self.knownCity,
                AreaWords.worldRegions.contains(String(decoding: name.folded, as: UTF8.self))
            {
                return .abstained(.notAPlace, candidates: [])
            }
            return try choose(cities, isCut: isCut, matched: name.text, confidence: Confidence.wellKnown)
        }
        var districts: [Place] = []
        for district in try table.districts(named: name.key) where !district.isCode && district.place.population > 0 {
            districts.append(district.place)
        }
        let here = districts.filter { $0.country == context.country }
        if here.count == 1 { return found(here[0], name.text, Confidence.supported) }
        if districts.count == 1 { return found(districts[0], name.text, Confidence.little) }
        if !districts.isEmpty { return .abstained(.ambiguous, candidates: limited(districts)) }
        if let found = try withAreaBehind(name) { return found }
        return try withoutAreaWords(name)
    }

    /// `Orlando Fl`, `London UK`, `Accra-Ghana`: a city of some size, with its area behind it and no comma between.
    private func withAreaBehind(_ name: MatchedName) throws(GazetteerError) -> ResolveOutcome? {
        let words = String(decoding: name.folded, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let last = name.text.split(whereSeparator: { !$0.isLetter && $0 != "." }).last else {
            return nil
        }
        for count in 1...min(3, words.count - 1) {
            let area = words.suffix(count).joined(separator: " ")
            // Small, `in` and `me` are words.
            if area.utf8.count <= 3, last.first?.isUppercase != true { continue }
            let areas = resolver.names.entries(NameKey(folded: area.utf8)).filter { $0.form != .demonym }
            guard !areas.isEmpty else { continue }
            let head = words.dropLast(count).joined(separator: " ")
            let scopes = areas.map { entry in
                Scope(
                    country: entry.area.country, region: entry.area.kind == .region ? entry.area.region : nil)
            }
            let city = MatchedName(text: name.text, key: NameKey(folded: head.utf8), folded: Array(head.utf8))
            if case .found(let resolution) = try qualified(city, matched: name.text, in: scopes),
                resolution.place.kind != .city || resolution.place.population >= 15_000
            {
                return .found(resolution)
            }
        }
        return nil
    }

    /// `Northern Iraq`, `Aydin province`, `Kuwait City`.
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
            // `Tokyo area`, `Quebec City`: a city that stands out, and no region of the name.
            let city = words.dropLast().joined(separator: " ")
            let cities = try table.cities(named: NameKey(folded: city.utf8), limit: Self.limit)
                .filter { $0.population >= Self.knownCity }
            guard !cities.isEmpty else { return .abstained(.unknownName, candidates: []) }
            return try choose(cities, isCut: false, matched: name.text, confidence: Confidence.wellKnown)
        }
        guard shorter != folded else { return .abstained(.unknownName, candidates: []) }
        let key = NameKey(folded: shorter.utf8)
        let outcome = try bare(MatchedName(text: name.text, key: key, folded: Array(shorter.utf8)))
        if case .found(let answer) = outcome, answer.place.kind == .city, answer.place.population < Self.knownCity,
            answer.place.country != context.country
        {
            // `West Bank` is no village Bank.
            return .abstained(.unlikely, candidates: limited([answer.place]))
        }
        return outcome
    }

    /// The answer if the name is an area's; nil when a city is meant or nothing is.
    private func area(_ name: MatchedName, _ entries: [AreaNames.Entry]) throws(GazetteerError) -> ResolveOutcome? {
        let isWrittenAsCode =
            name.text.utf8.contains(UInt8(ascii: "."))
            || (name.folded.count <= 4 && !name.text.unicodeScalars.contains { $0.properties.isLowercase })
        let usable = entries.filter {
            switch $0.form {
            case .name, .demonym: true
            // Alone, `uk` is no word; `us` may be one.
            case .initials: isWrittenAsCode || !name.folded.elementsEqual("us".utf8)
            case .code: isWrittenAsCode
            }
        }
        let countries = usable.filter { $0.area.kind == .country && ($0.form == .name || $0.form == .initials) }
        if let country = countries.first {
            if country.area.population < 1_000_000, country.form == .name, context.country != country.area.country {
                let cities = try table.cities(named: name.key, limit: 1)
                let isCity = cities.contains {
                    !$0.isAlternate && $0.country != country.area.country
                        && $0.population > max(Self.knownCity, country.area.population)
                }
                if isCity { return nil }
            }
            let division = usable.first {
                $0.form == .name && $0.area.kind == .region && $0.area.country == context.country
                    && $0.area.country != country.area.country
            }
            if let division { return found(division.area, name.text, Confidence.preferredKind) }
            return found(country.area, name.text, Confidence.certainName)
        }
        if let demonym = usable.first(where: { $0.form == .demonym }) {
            return found(demonym.area, name.text, Confidence.certainName)
        }
        let codes = usable.filter { $0.form == .code }
        if !codes.isEmpty {
            let here = codes.filter { $0.area.kind == .region && $0.area.country == context.country }
            if here.count == 1 { return found(here[0].area, name.text, Confidence.certainName) }
            if codes.count == 1 { return found(codes[0].area, name.text, Confidence.preferredKind) }
            let ranked = codes.map { $0.area }.sorted { $0.population > $1.population }
            if ranked[0].kind == .region, ranked[0].population > 10 * max(1, ranked[1].population) {
                return found(ranked[0], name.text, Confidence.supported)
            }
            return .abstained(.ambiguous, candidates: limited(codes.map { $0.area }))
        }
        let regions = usable.filter { $0.form == .name && $0.area.kind == .region }.map { $0.area }
        guard let region = regions.max(by: { weight($0) < weight($1) }) else { return nil }
        return try regionOrCity(name, region)
    }

    /// The region, unless a capital has its name, the city of its name is a good part of it, or another city outweighs
    /// it; nil for a city.
    private func regionOrCity(_ name: MatchedName, _ region: Place) throws(GazetteerError) -> ResolveOutcome? {
        let cities = try table.cities(named: name.key, limit: Self.limit)
        for city in cities {
            if try outranks(city, region) { return nil }
        }
        return found(region, name.text, Confidence.preferredKind)
    }

    /// Whether a city of a region's name is what the name means: a good part of the region, larger than all of it, its
    /// country's capital, or a capital district, which is a division of its own.
    private func outranks(_ city: CityTable.Candidate, _ region: Place) throws(GazetteerError) -> Bool {
        let isInside = city.country == region.country && city.region == region.region
        if isInside, city.population > 0, city.population * 5 >= region.population { return true }
        // By another name it must stand out far more: Edo is a state of Nigeria, and was Tokyo.
        let isLarger = !city.isAlternate && city.population > region.population
        if !isInside, weight(city) > weight(region) + (isLarger ? 0 : 1.5) { return true }
        guard city.country == region.country else { return false }
        if !isInside, city.population >= 100_000, let own = table.regions["\(city.country).\(city.region)"],
            city.population * 2 >= own.population
        {
            return true
        }
        return try table.city(city.row)?.feature == "PPLC"
    }

    // MARK: - Choosing

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

    /// The city that outweighs the others: by twice the population, unless the other is close by.
    /// - Parameter preferring: Rows that count ten times their population: where `CA` may be California and Canada, it
    ///   is a state unless the city there is the smaller by far.
    private func choose(
        _ cities: [CityTable.Candidate], preferring preferred: Set<Int64> = [], isCut: Bool, matched: String,
        confidence: Double
    ) throws(GazetteerError) -> ResolveOutcome {
        let ranked = cities.map { city in (weight: weight(city) + (preferred.contains(city.row) ? 1 : 0), city: city) }
            .sorted { $0.weight > $1.weight }
        guard let first = ranked.first, let place = try table.city(first.city.row) else {
            return .abstained(.unknownName, candidates: [])
        }
        let isUnknown = first.city.population == 0
        let rivals = ranked.dropFirst().prefix { first.weight - $0.weight < 0.3 }
        // More of them than were read are not all in one spot.
        var isAmbiguous = isUnknown && isCut && rivals.count >= Self.limit - 1
        if !isAmbiguous {
            for rival in rivals {
                guard let other = try table.city(rival.city.row) else { continue }
                let distance = place.coordinate.distance(to: other.coordinate)
                if distance > (isUnknown ? Self.sameSpot : Self.sameArea) {
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
            } else if place.population < 100_000 {
                sure = Confidence.little
            }
            if isUnknown { sure = Confidence.unknownPopulation }
        } else if isUnknown, ranked.count > 1 {
            sure = Confidence.supported
        }
        return .found(
            Resolution(place: place, confidence: sure, matchedText: matched, runnersUp: runnersUp))
    }

    private func found(_ place: Place, _ matched: String, _ confidence: Double) -> ResolveOutcome {
        .found(Resolution(place: place, confidence: confidence, matchedText: matched))
    }

    private func limited(_ places: [Place]) -> [Place] { Array(places.prefix(resolver.runnersUpLimit)) }

    private func homonyms(_ key: NameKey) throws(GazetteerError) -> [Place] {
        guard resolver.runnersUpLimit > 0 else { return [] }
        var places: [Place] = []
        for city in try table.cities(named: key, limit: resolver.runnersUpLimit) {
            if let place = try table.city(city.row) { places.append(place) }
        }
        return limited(places)
    }
}
