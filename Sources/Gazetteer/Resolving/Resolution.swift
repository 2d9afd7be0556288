/// The place that a name means, with its confidence.
public struct Resolution: Sendable, Hashable {
    /// The place; a country or region stands for itself, not for a point in it.
    public var place: Place
    /// Confidence, 0…1: in running text a probability, else one of the figures of `Confidence`.
    public var confidence: Double
    /// The words that named the place, including the qualifier after a comma: `Paris, Texas`.
    public var matchedText: String
    /// Other places with the name, the most likely first; at most `Resolver.runnersUpLimit`, so by default none.
    public var runnersUp: [Place]

    /// Creates a resolution with these values, which are not checked; by default without runners-up.
    public init(place: Place, confidence: Double, matchedText: String, runnersUp: [Place] = []) {
        self.place = place
        self.confidence = confidence
        self.matchedText = matchedText
        self.runnersUp = runnersUp
    }
}

/// The result of resolving a name: a place, or a reason for no answer. A failed read is an error instead.
public enum ResolveOutcome: Sendable, Hashable {
    /// The name means this place.
    case found(Resolution)
    /// No answer, for this reason. The candidates are places with the name, the most likely first; at most
    /// `Resolver.runnersUpLimit`, so by default none.
    case abstained(Abstention, candidates: [Place])

    /// A found place without runners-up.
    static func place(_ place: Place, matching text: String, _ confidence: Double) -> Self {
        .found(Resolution(place: place, confidence: confidence, matchedText: text))
    }
}

/// Why a name gets no answer.
public enum Abstention: String, Sendable, Hashable, CaseIterable {
    /// The table has no place with the name, or none in the region that the text names.
    case unknownName
    /// Several places have the name, and nothing decides between them.
    case ambiguous
    /// A place has the name, but the rest of the text points elsewhere.
    case unlikely
    /// The text has no letter or digit, more than 120 bytes, only directions (`northern`), or is a part of the world
    /// (`Europe`).
    case notAPlace
}

/// Figures for the confidence of a text that is only a place, 0…1, by how it was resolved. They are ranks.
public enum Confidence {
    /// The region or country follows the name: `Paris, Texas`.
    public static let qualified = 0.95
    /// The name of a country or region, an unambiguous abbreviation, a people's name.
    public static let certainName = 0.9
    /// One kind was preferred: a capital, a region over a city of its name, a city over its region.
    public static let preferredKind = 0.85
    /// The context names its country.
    public static let supported = 0.8
    /// A city of 100 000 or more without evidence for or against it.
    public static let wellKnown = 0.7
    /// A smaller city or a district without evidence for or against it.
    public static let little = 0.5
    /// One place, or several within 50 km, of unknown population.
    public static let unknownPopulation = 0.3
}
