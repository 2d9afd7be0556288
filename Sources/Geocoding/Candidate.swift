import Model

/// A place that a service offers as the answer to a question.
struct Candidate {
    /// Position of the place, WGS 84 degrees.
    var coordinate: Coordinate
    /// Exactness of the place, by its size.
    var precision: Location.Precision
    /// The service's confidence, 0…1.
    var confidence: Double
    /// The place's own name; empty if the service gives none.
    var name: String
    /// The names of the areas around it and its own.
    var areas: [String]
    /// ISO 3166-1 alpha-2 code in upper case, unchecked, from the service; nil if it gives none.
    var country: String?
    /// The second parts of its ISO 3166-2 codes (`NM` of US-NM); empty if unknown.
    var regions: Set<String> = []
    /// The service's rating of the place against its namesakes, 0…1; nil if it gives none.
    var weight: Double?
    /// Permanent id at the service; nil if there is none.
    var placeID: String?
    /// The name and those of the areas around it, the largest last, for people; some may be empty.
    var names: [String] = []

    /// Whether it lies inside a larger candidate, as a city in the county of its name.
    func isInside(_ other: Candidate) -> Bool {
        precision.size < other.precision.size && country == other.country && areas.contains(other.name)
    }

    /// Whether its weight is so much greater that a text without context means this namesake.
    func leads(_ other: Candidate) -> Bool {
        guard let weight, let otherWeight = other.weight else { return false }
        return weight - otherWeight >= CandidateChoice.lead
    }
}

/// One offer of a service: a place, or something that cannot be the answer.
enum Offer {
    /// A place that may be the answer.
    case place(Candidate)
    /// No place, or one that the question does not name. The reason is for people.
    case unfit(reason: String)
}

extension Location.Precision {
    /// Rank of the size, 0 for the smallest.
    var size: Int {
        switch self {
        case .point: 0
        case .city: 1
        case .region: 2
        case .country: 3
        }
    }
}
