public import Model

/// Tells which place a name means, from the words around it and what the city table knows.
///
/// `docs/places.md` has the rules. Keep one for each generation of the table: making one folds some thousand names.
/// For one thread at a time, as the table is.
public struct Resolver {
    let table: CityTable
    let names: AreaNames

    /// How many runners-up, or candidates of an abstention, are looked up. Default 0: each costs a read.
    public var runnersUpLimit = 0

    /// Creates a resolver for a table.
    public init(_ table: CityTable) {
        self.table = table
        names = AreaNames(table)
    }

    /// The place that a text of its own names: `City`, `City, Country`, `City, ST`, `City, Region, Country`, `Region`,
    /// `Country`.
    /// - Parameter context: what is known beforehand; it prefers and never excludes.
    public func resolve(
        _ text: String, context: PlaceContext = PlaceContext()
    ) throws(GazetteerError) -> ResolveOutcome {
        try SingleResolver(resolver: self, context: context).resolve(text)
    }

    /// What to ask a service about a text that the table does not settle; nil when it has no letter or digit.
    ///
    /// What the text itself says of country and region goes before `context`: an answer elsewhere would be a false pin.
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

    /// The places that names in one document mean, found together: each tells where the story is.
    /// - Parameters:
    ///   - mentions: where the names stand in `text`; ranges outside of it are a programming error.
    ///   - text: the document, best with its title on a line of its own before it.
    ///   - context: what is known beforehand; it weighs as much as two mentions of the country.
    /// - Returns: One outcome a mention, in the order of `mentions`.
    public func resolve(
        _ mentions: [Range<String.Index>], in text: String, context: PlaceContext = PlaceContext()
    ) throws(GazetteerError) -> [ResolveOutcome] {
        guard !mentions.isEmpty else { return [] }
        var reading = try DocumentResolver(resolver: self, text: text, context: context)
        return try reading.resolve(mentions)
    }

    /// Whether the name is a word for a people or the things of a country: `Turkish`.
    public func isDemonym(_ name: String) -> Bool {
        var folding = NameFolding()
        guard let key = folding.key(name) else { return false }
        return names.entries(key).contains { $0.form == .demonym }
    }

    /// Every place the table offers for a name that stands in a text, as `resolve` considers them: what an oracle could
    /// choose from.
    public func candidates(
        for mention: Range<String.Index>, in text: String
    ) throws(GazetteerError) -> [Place] {
        let found = try MentionCandidates(resolver: self).all(of: MentionName(mention, in: text))
        return found.candidates.map { $0.place }
    }

    /// As many of the places as are wanted as runners-up.
    func limited(_ places: [Place]) -> [Place] { Array(places.prefix(runnersUpLimit)) }
}
