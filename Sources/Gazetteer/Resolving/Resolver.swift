public import Model

/// Finds the place that a name means, by the words around it and the city table.
///
/// `docs/places.md` has the rules. Keep one resolver for each generation of the table, since creating one folds a few
/// thousand names. It reads the file, so it blocks. For one thread at a time, as the table.
public struct Resolver {
    let table: CityTable
    let names: AreaNames

    /// The most runners-up, or candidates of an abstention, that are looked up: 0, the default, or more. Each costs a
    /// read.
    public var runnersUpLimit = 0

    /// The least probability with which a name in a text is an answer.
    public var leastConfidence = Location.leastConfidence

    /// Creates a resolver for a table, which it keeps open; this takes milliseconds and reads nothing.
    public init(_ table: CityTable) {
        self.table = table
        names = AreaNames(table)
    }

    /// Resolves a text that is only a place: `City`, `City, Country`, `City, ST`, `City, Region, Country`, `Region`,
    /// `Country`.
    /// - Parameter context: What is known beforehand, by default nothing. It is a preference and excludes nothing.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func resolve(
        _ text: String, context: PlaceContext = PlaceContext()
    ) throws(GazetteerError) -> ResolveOutcome {
        try SingleResolver(resolver: self, context: context).resolve(text)
    }

    /// The question to a service for a text that the table does not settle; nil if the text has no letter or digit.
    ///
    /// Country and region named in the text override `context`, because an answer elsewhere would be false.
    /// - Parameter evidence: The kind of the text, to be stored with the question.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func question(
        _ text: String, context: PlaceContext, evidence: PlaceEvidence
    ) throws(GazetteerError) -> PlaceQuery? {
        var folding = NameFolding()
        guard let key = folding.key(text) else { return nil }
        let folded = String(decoding: folding.bytes, as: UTF8.self)
        let country = names.entries(key).first { $0.area.kind == .country && $0.form == .name }
        let own = try PlaceParts(text).qualifier(self)
        let known = own ?? context
        return PlaceQuery(
            text: text, folded: folded, context: known,
            countryName: known.country.flatMap { table.countries[$0]?.name }, namedCountry: country?.area.country,
            evidence: evidence)
    }

    /// Resolves names of one document together, since each is evidence for the others.
    /// - Parameters:
    ///   - mentions: Positions of the names in `text`; ranges outside it are a programming error.
    ///   - text: The document, preferably with its title on a line of its own at the beginning.
    ///   - context: What is known beforehand, by default nothing; places there are likelier.
    ///   - dateline: Where the text was written, by default unknown; cities in its reach are likelier.
    /// - Returns: One outcome for each mention, in the order of `mentions`.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func resolve(
        _ mentions: [Range<String.Index>], in text: String, context: PlaceContext = PlaceContext(),
        dateline: Place? = nil
    ) throws(GazetteerError) -> [ResolveOutcome] {
        try scored(mentions, in: text, context: context, dateline: dateline).map { $0.outcome }
    }

    /// The names as `resolve` reads them, with all their candidates.
    ///
    /// Since the caller knows that they are names of places, three in ten are enough for an answer, or
    /// `leastConfidence`, where that is less.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func scored(
        _ mentions: [Range<String.Index>], in text: String, context: PlaceContext = PlaceContext(),
        dateline: Place? = nil
    ) throws(GazetteerError) -> [ScoredName] {
        guard !mentions.isEmpty else { return [] }
        var reading = try DocumentResolver(
            resolver: self, areas: DocumentAreas(in: DocumentText(text), resolver: self), context: context,
            dateline: dateline, names: mentions)
        return reading.resolve(least: min(leastConfidence, Self.leastOfGiven))
    }

    private static let leastOfGiven = 0.3

    /// The votes of a text for the home of its source (`LearnedHome`): 2 for a country, or a region, that it names for
    /// certain and most of all.
    ///
    /// Names of areas vote, alone or behind a town. Nothing else does, so no guess becomes evidence.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func homeVotes(in text: String) throws(GazetteerError) -> [String: Double] {
        var document = try DocumentResolver(
            resolver: self, areas: DocumentAreas(in: DocumentText(text), resolver: self), context: PlaceContext(),
            dateline: nil)
        return document.homeVotes()
    }

    /// Whether the name, folded, is a word for the people or things of a country: `Turkish`. Nothing is read.
    public func isDemonym(_ name: String) -> Bool {
        var folding = NameFolding()
        guard let key = folding.key(name) else { return false }
        return names.entries(key).contains { $0.form == .demonym }
    }

    /// The places that `resolve` considers for a name in a text, for measuring the best possible choice; empty if none.
    /// Of a name's many cities they are the most populous ones.
    /// - Parameter mention: Position of the name in `text`; a range outside it is a programming error.
    /// - Throws: `GazetteerError` (`unreadable`) when the table cannot be read.
    public func candidates(
        for mention: Range<String.Index>, in text: String
    ) throws(GazetteerError) -> [Place] {
        let found = try MentionCandidates(resolver: self).all(of: MentionName(mention, in: text))
        return found.candidates.map { $0.place }
    }

    /// The first places, at most `runnersUpLimit`.
    func limited(_ places: [Place]) -> [Place] { Array(places.prefix(runnersUpLimit)) }
}
