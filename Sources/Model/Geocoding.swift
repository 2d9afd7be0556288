/// What is known beforehand of where a place may be: from the same text or from the source's settings.
public struct PlaceContext: Sendable, Hashable, Codable {
    /// ISO 3166-1 alpha-2 code in upper case.
    public var country: String?
    /// First-level division as GeoNames codes it (admin1, such as `CA` in the USA); only with `country`.
    public var region: String?

    /// Creates a context; by default nothing is known.
    public init(country: String? = nil, region: String? = nil) {
        self.country = country
        self.region = region
    }
}

/// A question to a geocoding service: a place by name, in its context. London for a Canadian source is another
/// question than London.
public struct PlaceQuery: Sendable, Hashable, Codable {
    /// The place as the text has it, on one line: `Santa Fe, NM`.
    public var text: String
    /// The same folded (`NameFolding`), which makes spellings one question: `santa fe nm`.
    public var folded: String
    /// What narrows it down.
    public var context: PlaceContext
    /// English name of `context.country`; services may take its code for a state's (`CA`).
    public var countryName: String?
    /// ISO 3166-1 alpha-2 code if the text names a whole country; nil: an answer that is a country is a miss.
    public var namedCountry: String?
    /// Which text of the event asked first.
    public var evidence: PlaceEvidence

    /// Creates a question.
    public init(
        text: String, folded: String, context: PlaceContext = PlaceContext(), countryName: String? = nil,
        namedCountry: String? = nil, evidence: PlaceEvidence
    ) {
        self.text = text
        self.folded = folded
        self.context = context
        self.countryName = countryName
        self.namedCountry = namedCountry
        self.evidence = evidence
    }

    /// What makes two questions one, and what answers are cached under.
    public var key: String { "\(folded)|\(context.country ?? "")|\(context.region ?? "")" }
}

/// A geocoding service.
public enum GeocodeProvider: String, Sendable, Codable, CaseIterable {
    /// MapQuest Geocoding API v1.
    case mapquest
    /// Nominatim, OpenStreetMap's search.
    case nominatim

    /// The method of locations it has found.
    public var method: Location.Method {
        switch self {
        case .mapquest: .mapquest
        case .nominatim: .nominatim
        }
    }
}

/// What a service says to a question; errors are failures, never answers.
public enum ProviderAnswer: Sendable, Hashable {
    /// The place. `evidence` is left to the asker.
    case found(Location)
    /// No such place, or none that can be told from others; the reason is for people (`no match`, `ambiguous`,
    /// `only a country`).
    case missing(reason: String)
}

/// An event without a coordinate, as the locator takes it.
public struct UnlocatedEvent: Sendable, Hashable {
    /// Row of the event.
    public var id: Int64
    /// Its revision when it was read; an outcome for an older one is dropped.
    public var revision: Int64
    /// Name of the source whose words it shows.
    public var source: String
    /// Its category, such as `news` or `message`.
    public var category: String
    /// The place as the feed words it.
    public var place: String?
    /// What `place` is: `place`, `dateline` or `author`.
    public var placeEvidence: PlaceEvidence
    /// Title.
    public var title: String
    /// Summary.
    public var summary: String?
    /// BCP 47 tag of the text.
    public var language: String?
    /// What the source's settings say.
    public var context: PlaceContext

    /// Creates an event.
    public init(
        id: Int64 = 0, revision: Int64 = 1, source: String = "", category: String, place: String? = nil,
        placeEvidence: PlaceEvidence = .place, title: String, summary: String? = nil, language: String? = nil,
        context: PlaceContext = PlaceContext()
    ) {
        self.id = id
        self.revision = revision
        self.source = source
        self.category = category
        self.place = place
        self.placeEvidence = placeEvidence
        self.title = title
        self.summary = summary
        self.language = language
        self.context = context
    }
}

/// What the city table makes of an event.
public enum LocalOutcome: Sendable, Hashable {
    /// It is there.
    case located(Location)
    /// The table does not know the place that its text names: a service is to be asked.
    case ask(PlaceQuery)
    /// Its texts name no place, or none that is sure.
    case unresolved(reason: String)
}
