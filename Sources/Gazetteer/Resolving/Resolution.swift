/// The place that a name means.
public struct Resolution: Sendable, Hashable {
    /// The place; a country or region is one, never a point in it.
    public var place: Place
    /// How sure it is, 0…1; what the numbers mean is told by `Confidence`.
    public var confidence: Double
    /// The words it was found from, with what stood behind the comma: `Paris, Texas`.
    public var matchedText: String
    /// Other places of that name, the likeliest first; as many as `Resolver.runnersUpLimit` asks for.
    public var runnersUp: [Place]

    /// Creates a resolution.
    public init(place: Place, confidence: Double, matchedText: String, runnersUp: [Place] = []) {
        self.place = place
        self.confidence = confidence
        self.matchedText = matchedText
        self.runnersUp = runnersUp
    }
}

/// What the table makes of a name.
public enum ResolveOutcome: Sendable, Hashable {
    /// The place.
    case found(Resolution)
    /// No answer, with the places that had the name, the likeliest first.
    case abstained(Abstention, candidates: [Place])

    /// The place, without runners-up.
    static func place(_ place: Place, matching text: String, _ confidence: Double) -> Self {
        .found(Resolution(place: place, confidence: confidence, matchedText: text))
    }
}

/// Why there is no answer.
public enum Abstention: String, Sendable, Hashable, CaseIterable {
    /// The table has no place of that name, or none of it in the region that the text names.
    case unknownName
    /// Several places have the name, and nothing tells which is meant.
    case ambiguous
    /// A place has the name, but what else the text names lies elsewhere.
    case unlikely
    /// The text has no letter, is far too long, or only gives a direction.
    case notAPlace
}

/// What the confidence of a resolution means: how it was found. The figures are ranks, not frequencies.
public enum Confidence {
    /// Its region or country stands behind it: `Paris, Texas`.
    public static let qualified = 0.95
    /// The name of a country or region, an abbreviation that can only mean one, a people's name; or the same name stood
    /// elsewhere in the document with its region.
    public static let certainName = 0.9
    /// A capital; a region rather than a city of that name; a city rather than its region.
    public static let preferredKind = 0.85
    /// The document names its country or region, or a place near it.
    public static let supported = 0.8
    /// A city of 100 000 or more that nothing supports and nothing speaks against.
    public static let wellKnown = 0.7
    /// A smaller city or district that nothing supports and nothing speaks against.
    public static let little = 0.5
    /// As `little`, in a document that names nothing else.
    public static let alone = 0.4
    /// The only one of that name, or several within 50 km, of unknown population.
    public static let unknownPopulation = 0.3
}
