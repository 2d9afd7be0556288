/// Why an event has no coordinate.
public enum MissingPlace: String, Sendable, CaseIterable {
    /// It waits for the city table or for a service.
    case waiting
    /// A place is named, and neither the city table nor a configured service knows it for certain.
    case notFound = "not_found"
    /// No text names a place.
    case notNamed = "not_named"
    /// Several places are named, and none of them leads.
    case ambiguous
    /// Events of the source are not to be located.
    case notSought = "not_sought"
    /// The operator has taken its place away (`PlaceCorrection.nowhere`).
    case takenAway = "taken_away"

    /// The reason as the view `unlocated_v1` has it; for `waiting` and `takenAway` the view has none.
    public var words: String {
        switch self {
        case .waiting: ""
        case .notFound: "no configured service knows the place"
        case .notNamed: "no place named"
        case .ambiguous: "several places named, none of them leads"
        case .notSought: "the source is not to be geocoded"
        case .takenAway: "the operator has taken the place away"
        }
    }
}
