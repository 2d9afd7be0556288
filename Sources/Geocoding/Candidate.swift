import Model

/// A place that a service offers for a question.
struct Candidate {
    /// Where it is.
    var coordinate: Coordinate
    /// How large it is.
    var precision: Location.Precision
    /// How sure the service is, 0…1.
    var confidence: Double
    /// Its own name.
    var name: String
    /// The names of the areas around it, its own among them.
    var areas: [String]
    /// ISO 3166-1 alpha-2 code in upper case, as the service has it; nil where it gives none.
    var country: String?
    /// The second parts of the ISO 3166-2 codes it lies in (`NM` of US-NM); empty where they are not known.
    var regions: Set<String> = []
    /// How important the place is compared with its namesakes, 0…1; nil where the service does not say.
    var weight: Double?
    /// Its name at the service, where that lasts.
    var placeID: String?

    /// Whether it lies in a larger candidate: the city in the county of its name.
    func isInside(_ other: Candidate) -> Bool {
        precision.size < other.precision.size && country == other.country && areas.contains(other.name)
    }

    /// Whether it is so much more important than a namesake that a text without context means this one.
    func leads(_ other: Candidate) -> Bool {
        guard let weight, let otherWeight = other.weight else { return false }
        return weight - otherWeight >= CandidateChoice.lead
    }
}

/// What a service offers for a question: a place, or something that cannot be the answer.
enum Offer {
    /// A place.
    case place(Candidate)
    /// No place, or one that the question does not name; the reason is for people.
    case unfit(reason: String)
}

extension Location.Precision {
    /// A rank of the sizes, 0 the smallest.
    var size: Int {
        switch self {
        case .point: 0
        case .city: 1
        case .region: 2
        case .country: 3
        }
    }
}
