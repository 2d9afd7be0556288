import Model

/// A name as written in a text.
struct MentionName: Hashable {
    /// The folded name.
    let folded: String
    /// Whether it is an abbreviation: it has full stops, at most three letters without lower case, or five before a
    /// full stop.
    let isAbbreviation: Bool
    /// The name as it is written.
    let written: String

    /// - Parameter folded: The folded name; nil: it is folded here.
    init(_ range: Range<String.Index>, in text: String, folded: String? = nil) {
        let written = String(text[range])
        let folded = folded ?? NameFolding.folded(written)
        self.written = written
        self.folded = folded
        let isBeforeStop = range.upperBound < text.endIndex && text[range.upperBound] == "."
        let hasLowercase = written.unicodeScalars.contains { $0.isLowercase }
        isAbbreviation =
            written.contains(".") || (folded.utf8.count <= 3 && !hasLowercase)
            || (isBeforeStop && folded.utf8.count <= 5) || folded == "qld"
    }

    /// A text that is only a name.
    /// - Parameter folded: The part of it that is meant, folded; nil: all of it.
    init(_ text: String, folded: String? = nil) {
        self.init(text.startIndex..<text.endIndex, in: text, folded: folded)
    }

    /// The key of the folded name.
    var key: NameKey { NameKey(folded: folded.utf8) }
}

/// Looks up all possible meanings of a name.
struct MentionCandidates {
    /// The most cities of either group that are read; further homonyms are looked up by country.
    static let cityLimit = 12

    let resolver: Resolver

    /// Where cities are looked for: in a country or in a first-level division of it.
    struct Scope {
        let country: String
        let region: String?

        /// Whether a place is in it, or is it.
        func contains(_ place: Place) -> Bool {
            place.country == country && (region == nil || place.region == region)
        }
    }

    /// The candidates; `isCut` tells that there may be more cities than were read.
    struct Found {
        var candidates: [PlaceCandidate] = []
        var isCut = false

        /// Adds a candidate whose place is not among them.
        mutating func add(_ candidate: PlaceCandidate) {
            guard !candidates.contains(where: { $0.place.id == candidate.place.id }) else { return }
            candidates.append(candidate)
        }

        /// Adds the candidates whose places are not among them.
        mutating func add(_ others: Found) {
            for candidate in others.candidates { add(candidate) }
        }
    }

    /// All places with the name in a document. If there are none, directions before it are dropped, then `city` and the
    /// like after it.
    func all(of name: MentionName) throws(GazetteerError) -> Found {
        var found = try named(name)
        guard found.candidates.isEmpty else { return found }
        var words = name.folded.split(separator: " ")
        while words.count > 1, let first = words.first, AreaWords.directions.contains(String(first)) {
            words.removeFirst()
            found = try named(MentionName(words.joined(separator: " ")))
            guard found.candidates.isEmpty else { return found }
        }
        if words.count > 1, let last = words.last, AreaWords.cityTails.contains(String(last)) {
            found = try named(MentionName(words.dropLast().joined(separator: " ")))
        }
        return found
    }

    private func named(_ name: MentionName) throws(GazetteerError) -> Found {
        guard !name.folded.isEmpty else { return Found() }
        var found = Found()
        func add(_ place: Place, _ form: PlaceCandidate.Form) { found.add(PlaceCandidate(place: place, form: form)) }
        found.candidates = try areas(named: name, codes: name.isAbbreviation, initials: name.isAbbreviation)
        let split = AreaWords.split(name.folded)
        if let split {
            let baseKey = NameKey(folded: split.name.utf8)
            if split.kind == "co" || split.kind == "county" {
                for district in try resolver.table.districts(named: NameKey(folded: (split.name + " county").utf8)) {
                    add(district.place, .name)
                }
            }
            let isCountryToo = ["republic", "kingdom", "state"].contains(split.kind)
            for entry in resolver.names.entries(baseKey)
            where entry.form == .name && (entry.area.kind == .region || isCountryToo) {
                add(entry.area, .name)
            }
            for district in try resolver.table.districts(named: baseKey) where !district.isCode {
                add(district.place, .name)
            }
        }
        let cities = try cities(named: name.folded, limit: Self.cityLimit)
        found.candidates += cities.candidates
        found.isCut = cities.isCut
        if let split, AreaWords.cityKinds.contains(split.kind) {
            let key = NameKey(folded: split.name.utf8)
            for (city, isAlternate) in try resolver.table.places(named: key, limit: Self.cityLimit) where !isAlternate {
                add(city, .name)
            }
        }
        return found
    }

    /// The countries, regions and districts with exactly this name.
    /// - Parameters:
    ///   - codes: Whether abbreviations used behind a city count (`CA`).
    ///   - initials: Whether initials count (`US`).
    func areas(named name: MentionName, codes: Bool, initials: Bool) throws(GazetteerError) -> [PlaceCandidate] {
        var found = Found()
        let entries = resolver.names.entries(name.key, written: name.written)
        func add(as form: PlaceCandidate.Form, where isMeant: (AreaNames.Form) -> Bool) {
            for entry in entries where isMeant(entry.form) { found.add(PlaceCandidate(place: entry.area, form: form)) }
        }
        add(as: .code) { $0 == .code && codes }
        add(as: .name) { $0 == .name || $0 == .initials && initials }
        add(as: .demonym) { $0 == .demonym }
        for district in try resolver.table.districts(named: name.key) where !district.isCode {
            found.add(PlaceCandidate(place: district.place, form: .name))
        }
        return found.candidates
    }

    /// The most populous cities with a folded name.
    /// - Parameter limit: The most cities of either group.
    func cities(named name: String, limit: Int) throws(GazetteerError) -> Found {
        let cities = try resolver.table.places(named: NameKey(folded: name.utf8), limit: limit)
        return Found(
            candidates: cities.map { PlaceCandidate(city: $0.place, isAlternate: $0.isAlternate, name: name) },
            isCut: cities.count >= limit)
    }

    /// The most populous cities with a folded name in areas, each once.
    /// - Parameter limit: The most cities of each area.
    func cities(named name: String, in scopes: [Scope], limit: Int) throws(GazetteerError) -> Found {
        var found = Found()
        for scope in scopes {
            let cities = try resolver.table.cities(
                named: NameKey(folded: name.utf8), in: scope.country, region: scope.region, limit: limit)
            found.isCut = found.isCut || cities.count >= limit
            for city in cities {
                guard let place = try resolver.table.city(city.row) else { continue }
                found.add(PlaceCandidate(city: place, isAlternate: city.isAlternate, name: name))
            }
        }
        return found
    }
}

extension MentionCandidates.Scope {
    /// The scope of a home; nil: it has no country.
    init?(_ context: PlaceContext) {
        guard let country = context.country else { return nil }
        self.init(country: country, region: context.region)
    }

    /// The scope of an area: a first-level division, or its country.
    init(_ area: Place) {
        self.init(country: area.country, region: area.kind == .region ? area.region : nil)
    }
}
