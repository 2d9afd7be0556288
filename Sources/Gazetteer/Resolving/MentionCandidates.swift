import Model

/// A name as written in a text.
struct MentionName: Hashable {
    /// The folded name.
    let folded: String
    /// Whether it is an abbreviation: it has full stops, at most three letters without lower case, or five before a
    /// full stop.
    let isAbbreviation: Bool
    /// The name as it is written.
    fileprivate let written: String

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

    /// The key of the folded name.
    var key: NameKey { NameKey(folded: folded.utf8) }
}

/// Looks up all possible meanings of a name in a document.
struct MentionCandidates {
    /// The most cities of either group that are read; further homonyms are looked up by country.
    static let cityLimit = 12

    let resolver: Resolver

    /// The candidates; `isCut` tells that there may be more cities than were read.
    struct Found {
        var candidates: [PlaceCandidate] = []
        var isCut = false

        /// Adds a candidate whose place is not among them.
        mutating func add(_ candidate: PlaceCandidate) {
            guard !candidates.contains(where: { $0.place.id == candidate.place.id }) else { return }
            candidates.append(candidate)
        }
    }

    /// All places with the name. If there are none, directions before it are dropped, then `city` and the like after
    /// it.
    func all(of name: MentionName) throws(GazetteerError) -> Found {
        var found = try named(name.folded, written: name.written, isAbbreviation: name.isAbbreviation)
        guard found.candidates.isEmpty else { return found }
        var words = name.folded.split(separator: " ")
        while words.count > 1, let first = words.first, AreaWords.directions.contains(String(first)) {
            words.removeFirst()
            found = try named(words.joined(separator: " "))
            guard found.candidates.isEmpty else { return found }
        }
        if words.count > 1, let last = words.last, AreaWords.cityTails.contains(String(last)) {
            found = try named(words.dropLast().joined(separator: " "))
        }
        return found
    }

    private func named(
        _ name: String, written: String? = nil, isAbbreviation: Bool = false
    ) throws(GazetteerError) -> Found {
        guard !name.isEmpty else { return Found() }
        let key = NameKey(folded: name.utf8)
        var found = Found()
        func add(_ place: Place, _ form: PlaceCandidate.Form) { found.add(PlaceCandidate(place: place, form: form)) }
        let entries = resolver.names.entries(key, written: written ?? name)
        for entry in entries where entry.form == .code && isAbbreviation { add(entry.area, .code) }
        for entry in entries where entry.form == .name || (entry.form == .initials && isAbbreviation) {
            add(entry.area, .name)
        }
        for entry in entries where entry.form == .demonym { add(entry.area, .demonym) }
        for district in try resolver.table.districts(named: key) where !district.isCode { add(district.place, .name) }
        let split = AreaWords.split(name)
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
        let cities = try resolver.table.places(named: key, limit: Self.cityLimit)
        found.isCut = cities.count >= Self.cityLimit
        for (city, isAlternate) in cities {
            found.candidates.append(PlaceCandidate(city: city, isAlternate: isAlternate, name: name))
        }
        if let split, AreaWords.cityKinds.contains(split.kind) {
            let key = NameKey(folded: split.name.utf8)
            for (city, isAlternate) in try resolver.table.places(named: key, limit: Self.cityLimit) where !isAlternate {
                add(city, .name)
            }
        }
        return found
    }
}
