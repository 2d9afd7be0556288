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

    /// The smallest area of the name that is meant, or holds what is meant, with at least this probability: Salzburg is a
    /// city in a region of its name. Nil: none.
    func area(least: Double) -> (place: Place, probability: Double)? {
        let areas = candidates.map { $0.place }.filter { $0.kind != .city }.map { area in
            let inside = candidates.filter { $0.place.id == area.id || $0.place.lies(in: area) }
            return (place: area, probability: inside.probability)
        }
        // A larger area that holds another is the likelier one.
        return areas.filter { $0.probability >= least }.min {
            ($0.probability, $0.place.id) < ($1.probability, $1.place.id)
        }
    }
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

extension [ScoredCandidate] {
    /// The probability that one of them is meant.
    var probability: Double { Swift.min(1, reduce(0) { $0 + $1.probability }) }
}
