public import Model

/// A place named in a running text.
public struct FoundPlace: Sendable, Hashable {
    /// Position of the name in the text given to `PlaceFinder.places`.
    public let range: Range<String.Index>
    /// The place that the name means, with its confidence.
    public let resolution: Resolution
    /// Whether the words say that something is there.
    var standing = MentionScan.Standing.named
    /// Whether somebody or something only comes from there.
    var isOrigin = false
    /// The distance that the text measures from the place; nil: none.
    public let distance: MeasuredDistance?

    /// Creates a found place with these values, which are not checked; by default nothing is measured from it.
    public init(range: Range<String.Index>, resolution: Resolution, distance: MeasuredDistance? = nil) {
        self.range = range
        self.resolution = resolution
        self.distance = distance
    }
}

/// Finds the places that a running text names.
///
/// `MentionScan` finds the names of places and the resolver their meanings. A city counts only if it is large enough
/// for the evidence, since the name of a village often means something else:
///
/// | evidence | least inhabitants |
/// |---|---|
/// | its country or region follows (`Paris, Texas`) | any |
/// | it opens the text like a dateline | 15 000 |
/// | the text or the context names its country or region | 15 000 |
/// | the name alone | 100 000 |
///
/// A word such as `in` or `near` before the name halves the number; so do two or more words in the name, but not below
/// 15 000. The number is five times as large for a bare name in a headline whose words are capitalised throughout, and
/// for a bare single word in German, where all nouns are. An unknown population counts as 0. A region counts if its
/// country is named, too, if it is a state of the USA, Australia or Canada or has five million inhabitants, or after such
/// a word; a district if its region or country is named; a country always. A name before an unknown capitalised word
/// counts only as a city at home.
///
/// Adjectives (`Turkish`) are not places here.
public struct PlaceFinder {
    /// The number of Unicode scalars that are read of a text, the rest is ignored; places that matter to an event stand
    /// at its beginning.
    public static let textLimit = 20_000
    /// The most names of a text that are resolved; later ones are ignored.
    public static let nameLimit = 200

    private let table: CityTable
    private let resolver: Resolver

    private static let knownRegion: Int64 = 5_000_000

    /// Creates a finder, which keeps the table open; table and resolver must be of the same generation.
    public init(_ table: CityTable, resolver: Resolver) {
        self.table = table
        self.resolver = resolver
    }

    /// The places named in a text, in its order; a place may occur several times. Empty if there are none.
    ///
    /// Put a title before its text, separated by an empty line: names of a document are evidence for each other. It
    /// reads the table, so it blocks; for one thread at a time, as the table.
    /// - Parameters:
    ///   - context: What is known beforehand about their position; default: nothing.
    ///   - dateline: Where the text was written, by default unknown; cities in its reach need no other evidence.
    ///   - language: BCP 47 tag of the text; nil, the default: `TextLanguage` looks.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func places(
        in text: String, context: PlaceContext = PlaceContext(), dateline: Place? = nil, language: String? = nil
    ) throws(GazetteerError) -> [FoundPlace] {
        try read(text, context: context, dateline: dateline, language: language).places
    }

    /// The names in a text that stand as a place's, in its order, whether or not it is sure which place they mean.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func names(in text: String) throws(GazetteerError) -> [Range<String.Index>] {
        try MentionScan(text, table: table, areaNames: resolver.names, most: Self.nameLimit).places.map { $0.range }
    }

    /// What a reading of a text finds.
    struct Reading {
        /// The places named, in the order of the text.
        var places: [FoundPlace] = []
        /// Names of which a text with a dateline says that something is there, but not for certain where.
        var doubtful: [Range<String.Index>] = []
        /// Whether a name means several places, and nothing tells which.
        var isAmbiguous = false
    }

    func read(
        _ text: String, context: PlaceContext, dateline: Place?, language: String?
    ) throws(GazetteerError) -> Reading {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: Self.textLimit, limitedBy: scalars.endIndex)
        // A copy of the beginning has the same indices.
        let opening = end.map { String(scalars[..<$0]) } ?? text
        let language = TextLanguage.of(opening, declared: language)
        let scan = try MentionScan(
            opening, table: table, areaNames: resolver.names, most: Self.nameLimit, language: language)
        let knowsHome = context.region != nil && dateline == nil
        let mentions = scan.places.filter { knowsHome || !$0.isBeforeUnknown }
        guard !mentions.isEmpty else { return Reading() }
        let outcomes = try resolver.resolve(
            mentions.map { $0.range }, in: opening, context: context, dateline: dateline)
        var found: [(mention: MentionScan.Mention, resolution: Resolution)] = []
        var isAmbiguous = false
        for (mention, outcome) in zip(mentions, outcomes) {
            switch outcome {
            case .found(let resolution): found.append((mention, resolution))
            case .abstained(let reason, candidates: _): isAmbiguous = isAmbiguous || reason == .ambiguous
            }
        }
        let known = NamedAreas(found.map { $0.resolution.place }, context: context)
        let capitalisesNouns = language == "de"
        var places: [FoundPlace] = []
        for (mention, resolution) in found where isMeant(mention, resolution.place, known, capitalisesNouns) {
            if mention.distance != nil, try hasNamesake(mention, resolution.place, known) { continue }
            var place = FoundPlace(range: mention.range, resolution: resolution, distance: mention.distance)
            place.isOrigin = mention.distance == nil && scan.isOrigin(mention)
            if dateline != nil { place.standing = scan.standing(of: mention) }
            places.append(place)
        }
        let sure = Set(places.map { $0.range.lowerBound })
        let doubtful =
            dateline == nil
            ? []
            : mentions.filter { mention in
                !sure.contains(mention.range.lowerBound) && scan.standing(of: mention) == .situated
            }
        return Reading(places: places, doubtful: doubtful.map { $0.range }, isAmbiguous: isAmbiguous)
    }

    /// Whether a place is important enough for the evidence.
    private func isMeant(
        _ mention: MentionScan.Mention, _ place: Place, _ known: NamedAreas, _ capitalisesNouns: Bool
    ) -> Bool {
        if mention.isBeforeUnknown, place.kind != .city || !known.isAtHome(place) { return false }
        switch place.kind {
        case .country: return mention.isCountry && !mention.isMunicipal
        case .region:
            if !mention.countriesBehind.isEmpty, !mention.countriesBehind.contains(place.country) { return false }
            return mention.support > .none || known.include(place) || place.population >= Self.knownRegion
                || place.isState && !mention.isBareCode && !PlaceWords.givenNames.contains(mention.folded)
        case .district: return mention.support == .area || known.include(place)
        case .city:
            // The table may lack the town, whose state this is.
            if mention.isBehindMeasured { return false }
            if mention.support == .area { return true }
            let isWeak = mention.isInHeadline || capitalisesNouns && mention.isSingleWord
            return place.population >= least(mention, isKnown: known.include(place), isWeak: isWeak)
        }
    }

    /// Whether another city of the name lies in the area behind it, else at home, else in its country.
    private func hasNamesake(
        _ mention: MentionScan.Mention, _ place: Place, _ known: NamedAreas
    ) throws(GazetteerError) -> Bool {
        guard place.kind == .city else { return false }
        let isHome = mention.area == nil && known.isAtHome(place)
        let region = isHome ? place.region : mention.area.flatMap { $0.kind == .region ? $0.region : nil }
        let cities = try table.cities(named: mention.key, in: place.country, region: region, limit: 4)
        for city in cities {
            guard let other = try table.city(city.row) else { continue }
            if other.coordinate.distance(to: place.coordinate) > Nearness.sameSpot { return true }
        }
        return false
    }

    /// The number of inhabitants that a city needs to count.
    private func least(_ mention: MentionScan.Mention, isKnown: Bool, isWeak: Bool) -> Int64 {
        var least = isKnown || mention.support == .dateline ? Homonyms.town : Homonyms.knownCity
        if mention.support == .cue { least /= 2 } else if isWeak, mention.support == .none { least *= 5 }
        if !mention.isSingleWord { least = max(least / 2, Homonyms.town) }
        return least
    }

    /// The countries and regions named by a text and its context.
    private struct NamedAreas {
        private var countries: Set<String> = []
        /// Ids of the regions by country.
        private var regions: [String: Set<String>] = [:]
        private let places: [Place]
        private let home: PlaceContext

        init(_ places: [Place], context: PlaceContext) {
            self.places = places
            home = context
            if let country = context.country { countries.insert(country) }
            for place in places {
                if place.kind == .country { countries.insert(place.country) }
                if place.kind == .region { regions[place.country, default: []].insert(place.id) }
            }
        }

        /// Whether it lies in the region that is the home.
        func isAtHome(_ place: Place) -> Bool { place.country == home.country && place.region == home.region }

        /// Whether the place's country is named, or a region of it other than the place itself, or a town with the
        /// district that it lies in.
        func include(_ place: Place) -> Bool {
            if countries.contains(place.country) { return true }
            if regions[place.country]?.contains(where: { $0 != place.id }) ?? false { return true }
            return places.contains { other in
                place.kind == .district && other.lies(in: place) || other.kind == .district && place.lies(in: other)
            }
        }
    }
}
