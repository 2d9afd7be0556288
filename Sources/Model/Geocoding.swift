/// What is known about the position of a place, from the same text or from the source's settings.
public struct PlaceContext: Sendable, Hashable, Codable {
    /// ISO 3166-1 alpha-2 code in upper case; nil: unknown.
    public var country: String?
    /// First-level division by its GeoNames admin1 code (`CA` in the USA); only with `country`. Nil: unknown.
    public var region: String?

    /// Creates a context with codes that are not checked; by default nothing is known.
    public init(country: String? = nil, region: String? = nil) {
        self.country = country
        self.region = region
    }

    /// The country of a host's national domain: GB for `www.bbc.co.uk`. A name below `.com` and the like tells nothing.
    public init(host: String) {
        let domain = host.split(separator: ".").last?.uppercased() ?? ""
        let isNational = domain.utf8.count == 2 && domain.utf8.allSatisfy { (65...90).contains($0) }
        self.init(country: !isNational ? nil : domain == "UK" ? "GB" : domain)
    }

    /// Country and region as `home` of a source has them: `US.LA`, `US`; nil: nothing is known.
    public var code: String? { country.map { country in region.map { "\(country).\($0)" } ?? country } }
}

extension Location {
    /// The least probability with which a name in a text means a place, unless the settings have another.
    public static let leastConfidence = 0.62
}

/// A question to a geocoding service: a name of a place in a context. Another context makes it another question.
public struct PlaceQuery: Sendable, Hashable, Codable {
    /// The place in the words of the text, on one line: `Santa Fe, NM`.
    public var text: String
    /// The text folded by `NameFolding`, so that spellings share one question: `santa fe nm`.
    public var folded: String
    /// The country and region that narrow the place down.
    public var context: PlaceContext
    /// English name of `context.country`; nil: unknown. Services get it because they may read the code as that of a
    /// state (`CA`).
    public var countryName: String?
    /// ISO 3166-1 alpha-2 code, in upper case, if the text names a whole country; nil: a country as answer counts as a
    /// miss.
    public var namedCountry: String?
    /// The kind of text that names the place. A stored question keeps that of the event that asked first; each located
    /// event gets its own.
    public var evidence: PlaceEvidence

    /// Creates a question; by default without context. The caller folds the text; nothing is checked.
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

    /// Identity of the question and key of its stored answers: folded text, country and region, separated by `|`; an
    /// unknown code is empty: `santa fe nm|US|`.
    public var key: String { "\(folded)|\(context.country ?? "")|\(context.region ?? "")" }
}

/// A geocoding service; the raw value is its name in settings, logs and the database.
public enum GeocodeProvider: String, Sendable, Codable, CaseIterable {
    /// MapQuest Geocoding API v1; raw value `mapquest`.
    case mapquest
    /// Nominatim, OpenStreetMap's search; raw value `nominatim`.
    case nominatim

    /// The method of the locations that it finds, of the same name.
    public var method: Location.Method {
        switch self {
        case .mapquest: .mapquest
        case .nominatim: .nominatim
        }
    }
}

/// A service's answer to a question. A failed request is a `Failure` instead and is never kept.
public enum ProviderAnswer: Sendable, Hashable {
    /// The place, without `evidence`: the caller sets it.
    case found(Location)
    /// No such place, or several that cannot be told apart. The reason is for people: `no match`, `ambiguous`.
    case missing(reason: String)
}

/// An event without a coordinate, as input of the locator.
public struct UnlocatedEvent: Sendable, Hashable {
    /// By what the store finds the event; `start` by default, for a text that is not stored.
    public var handle: EventHandle
    /// Its revision when it was read. An outcome for an older revision is dropped.
    public var revision: Int64
    /// Name of the source whose version of the event is shown.
    public var source: String
    /// Its category, as `Category.rawValue`: `news`, `message`.
    public var category: String
    /// The place in the feed's words; nil if the feed gives none.
    public var place: String?
    /// The kind of text in `place`: `place` (the default), `dateline` or `author`.
    public var placeEvidence: PlaceEvidence
    /// The event's title: one line of plain text.
    public var title: String
    /// The event's summary as plain text; nil if there is none.
    public var summary: String?
    /// BCP 47 tag of the text; nil if the feed declares none.
    public var language: String?
    /// The context from the source's settings; by default nothing is known.
    public var context: PlaceContext
    /// The home that the source has learned (`LearnedHome`); by default none. It counts for title and summary where
    /// `context` is empty.
    public var home: PlaceContext
    /// Words that name no places in its texts (`SourceSettings.notPlaces`); by default none.
    public var notPlaces: [String]

    /// Creates an event with these values, which are not checked; only category and title are required.
    public init(
        handle: EventHandle = .start, revision: Int64 = 1, source: String = "", category: String, place: String? = nil,
        placeEvidence: PlaceEvidence = .place, title: String, summary: String? = nil, language: String? = nil,
        context: PlaceContext = PlaceContext(), home: PlaceContext = PlaceContext(), notPlaces: [String] = []
    ) {
        self.handle = handle
        self.revision = revision
        self.source = source
        self.category = category
        self.place = place
        self.placeEvidence = placeEvidence
        self.title = title
        self.summary = summary
        self.language = language
        self.context = context
        self.home = home
        self.notPlaces = notPlaces
    }
}

/// The result of a search in the city table.
public enum LocalOutcome: Sendable, Hashable {
    /// The table knows the place; the location has its evidence.
    case located(Location)
    /// The text names a place that the table does not know; services are to be asked.
    case ask(PlaceQuery)
    /// The texts name no place, or none with certainty; the reason is for people. No service is asked.
    case unresolved(reason: String)
}
