/// A name in a document with its possible meanings.
public struct ScoredName {
    /// Position of the name in the text.
    public let range: Range<String.Index>
    /// The possible meanings with their probabilities.
    public let candidates: [ScoredCandidate]
    /// Its meaning.
    public let outcome: ResolveOutcome

    /// The likeliest of the candidates.
    public var best: ScoredCandidate? { candidates.max { $0.probability < $1.probability } }
}

/// A possible meaning of a name, with what is known of it.
public struct ScoredCandidate {
    /// The possible place.
    public let place: Place
    /// Probability that the name means it.
    public internal(set) var probability = 0.0
    let features: PlaceFeatures

    /// The features that are not 0 by name, with their values and their shares of the score, the greatest first.
    public var shares: [(feature: String, value: Double, share: Double)] {
        PlaceFeature.allCases.filter { features[$0] != 0 }
            .map { ("\($0)", features[$0], features[$0] * PlaceScorer.weights[$0.rawValue]) }
            .sorted { abs($0.2) > abs($1.2) }
    }

    /// Whether it goes before another one: by probability, then by id.
    func isLikelier(than other: ScoredCandidate) -> Bool {
        probability != other.probability ? probability > other.probability : place.id < other.place.id
    }

    init(place: Place, features: PlaceFeatures) {
        self.place = place
        self.features = features
    }
}
