public import Model

/// A place named in a running text.
public struct FoundPlace: Sendable, Hashable {
    /// Where its name stands.
    public let range: Range<String.Index>
    /// The place.
    public let resolution: Resolution

    /// Creates a finding.
    public init(range: Range<String.Index>, resolution: Resolution) {
        self.range = range
        self.resolution = resolution
    }
}

/// Finds the places that a running text names.
///
/// `MentionScan` tells which words are names of places; the resolver tells which places they are; a city then counts
/// only if it is large enough for what speaks for it, so that a village whose name is also something else is no pin:
///
/// | what speaks for it | inhabitants |
/// |---|---|
/// | its country or region follows (`Paris, Texas`) | any |
/// | it opens the text as a dateline does | 15 000 |
/// | the text or the context names its country or region | 15 000 |
/// | the name alone | 100 000 |
///
/// A word such as `in` or `near` before it halves that, as do two or more words of a name; in a headline with capitals
/// throughout it is five times as much; so it is for bare names in German, which writes all nouns with capitals. An
/// unknown population is none. A region counts when its country is named too, or five million live there, or such a
/// word stands before it; a county or other district when its region or country is named; a country always.
///
/// Adjectives (`Turkish`) are no places here.
public struct PlaceFinder {
    /// Unicode scalars of a text that are read; places that matter to an event stand at its head.
    public static let textLimit = 20_000
    /// Most names a text that are resolved.
    public static let nameLimit = 200

    private let table: CityTable
    private let resolver: Resolver

    private static let bareCity: Int64 = 100_000
    private static let supportedCity: Int64 = 15_000
    private static let knownRegion: Int64 = 5_000_000

    /// Creates a finder that reads names from the table and has them resolved.
    public init(_ table: CityTable, resolver: Resolver) {
        self.table = table
        self.resolver = resolver
    }

    /// The places named in a text, in its order; the same place may come several times.
    ///
    /// A title belongs before its text, parted by an empty line: all names of a document explain each other.
    /// - Parameters:
    ///   - context: What is known beforehand of where they are.
    ///   - language: BCP 47 tag of the text, if known.
    /// - Throws: `GazetteerError` when the table cannot be read.
    public func places(
        in text: String, context: PlaceContext = PlaceContext(), language: String? = nil
    ) throws(GazetteerError) -> [FoundPlace] {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: Self.textLimit, limitedBy: scalars.endIndex)
        // A copy of the beginning has the same indices.
        let opening = end.map { String(scalars[..<$0]) } ?? text
        let scan = try MentionScan(opening, table: table, areaNames: resolver.names, most: Self.nameLimit)
        guard !scan.places.isEmpty else { return [] }
        let outcomes = try resolver.resolve(scan.places.map { $0.range }, in: opening, context: context)
        var found: [(mention: MentionScan.Mention, resolution: Resolution)] = []
        for (mention, outcome) in zip(scan.places, outcomes) {
            if case .found(let resolution) = outcome { found.append((mention, resolution)) }
        }
        let known = NamedAreas(found.map { $0.resolution.place }, context: context)
        let capitalisesNouns = language.map { $0.lowercased().hasPrefix("de") } ?? false
        return found.filter { mention, resolution in
            let place = resolution.place
            switch place.kind {
            case .country: return mention.isCountry
            case .region:
                return mention.support > .none || known.include(place) || place.population >= Self.knownRegion
            case .district: return mention.support == .area || known.include(place)
            case .city:
                if mention.support == .area { return true }
                let isWeak = mention.isInHeadline || capitalisesNouns && mention.isSingleWord
                return place.population >= least(mention, isKnown: known.include(place), isWeak: isWeak)
            }
        }.map { FoundPlace(range: $0.mention.range, resolution: $0.resolution) }
    }

    /// How many inhabitants a city must have for its name to count.
    private func least(_ mention: MentionScan.Mention, isKnown: Bool, isWeak: Bool) -> Int64 {
        var least = isKnown || mention.support == .dateline ? Self.supportedCity : Self.bareCity
        if mention.support == .cue { least /= 2 } else if isWeak, mention.support == .none { least *= 5 }
        if !mention.isSingleWord { least = max(least / 2, Self.supportedCity) }
        return least
    }

    /// The countries and regions that a text and its context name.
    private struct NamedAreas {
        private var countries: Set<String> = []
        /// Their places' ids by country.
        private var regions: [String: Set<String>] = [:]

        init(_ places: [Place], context: PlaceContext) {
            if let country = context.country { countries.insert(country) }
            for place in places {
                if place.kind == .country { countries.insert(place.country) }
                if place.kind == .region { regions[place.country, default: []].insert(place.id) }
            }
        }

        /// Whether the place's country is named, or a region of it other than the place itself.
        func include(_ place: Place) -> Bool {
            if countries.contains(place.country) { return true }
            return regions[place.country]?.contains { $0 != place.id } ?? false
        }
    }
}
