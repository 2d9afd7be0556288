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
    /// Whether the event is at an unknown place that the first paragraph names (`MentionScan.asides`).
    var isAside = false
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
/// `MentionScan` finds names that may be places; `DocumentResolver` scores what they may mean. A name counts if its
/// likeliest meaning has a probability of at least `Resolver.leastConfidence`.
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
    ///   - dateline: Where the text was written, by default unknown; cities in its reach are likelier.
    ///   - language: BCP 47 tag of the text; nil, the default: `TextLanguage` looks.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func places(
        in text: String, context: PlaceContext = PlaceContext(), dateline: Place? = nil, language: String? = nil
    ) throws(GazetteerError) -> [FoundPlace] {
        try read(text, context: context, dateline: dateline, language: language).places
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
        let (scan, names) = try names(in: opening, context, dateline, language)
        let mentions = scan.places
        var places: [FoundPlace] = []
        var placed: [MentionScan.Mention] = []
        var isAmbiguous = false
        for (mention, name) in zip(mentions, names) {
            let resolution: Resolution
            switch name.outcome {
            case .found(let found): resolution = found
            case .abstained(.ambiguous, candidates: _):
                // `in Salzburg`, the city or the region around it
                guard mention.support > .none, mention.distance == nil,
                    let area = name.area(least: resolver.leastConfidence)
                else {
                    isAmbiguous = true
                    continue
                }
                resolution = Resolution(
                    place: area.place, confidence: area.probability, matchedText: String(opening[mention.range]))
            case .abstained: continue
            }
            if mention.distance != nil, try hasNamesake(mention, resolution.place, context) { continue }
            var place = FoundPlace(range: mention.range, resolution: resolution, distance: mention.distance)
            place.isOrigin = mention.distance == nil && scan.isOrigin(mention)
            if dateline != nil { place.standing = scan.standing(of: mention) }
            places.append(place)
            placed.append(mention)
        }
        for (index, isAside) in scan.asides(among: placed).enumerated() { places[index].isAside = isAside }
        let sure = Set(places.map { $0.range.lowerBound })
        let doubtful =
            dateline == nil
            ? []
            : mentions.filter { mention in
                mention.refusal == nil && !sure.contains(mention.range.lowerBound)
                    && scan.standing(of: mention) == .situated
            }
        return Reading(places: places, doubtful: doubtful.map { $0.range }, isAmbiguous: isAmbiguous)
    }

    /// The names in a text that may be places, in its order, with their candidates.
    /// - Throws: `GazetteerError` (`unreadable`) if the table cannot be read.
    public func scored(
        in text: String, context: PlaceContext = PlaceContext(), language: String? = nil
    ) throws(GazetteerError) -> [ScoredName] {
        try names(in: text, context, nil, language).names
    }

    /// The names in a text that may be places, with the words around them and their candidates.
    private func names(
        in text: String, _ context: PlaceContext, _ dateline: Place?, _ language: String?
    ) throws(GazetteerError) -> (scan: MentionScan, names: [ScoredName]) {
        let language = TextLanguage.of(text, declared: language)
        let areas = try DocumentAreas(in: DocumentText(text), resolver: resolver)
        let scan = try MentionScan(areas, resolver: resolver, most: Self.nameLimit, language: language)
        guard !scan.places.isEmpty else { return (scan, []) }
        var document = try DocumentResolver(
            resolver: resolver, areas: areas, context: context, dateline: dateline, language: language,
            names: scan.places.map { $0.range }, scanned: scan.places)
        return (scan, document.resolve(least: resolver.leastConfidence))
    }

    /// Whether another city of the name lies in the area behind it, else at home, else in its country.
    private func hasNamesake(
        _ mention: MentionScan.Mention, _ place: Place, _ context: PlaceContext
    ) throws(GazetteerError) -> Bool {
        guard place.kind == .city else { return false }
        let isHome =
            mention.area == nil && context.region != nil && place.country == context.country
            && place.region == context.region
        let region = isHome ? place.region : mention.area.flatMap { $0.kind == .region ? $0.region : nil }
        let cities = try table.cities(named: mention.key, in: place.country, region: region, limit: 4)
        for city in cities {
            guard let other = try table.city(city.row) else { continue }
            if other.coordinate.distance(to: place.coordinate) > Nearness.sameSpot { return true }
        }
        return false
    }
}
