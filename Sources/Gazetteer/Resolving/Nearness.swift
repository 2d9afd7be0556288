/// Distances in kilometres within which places count as one or support each other.
enum Nearness {
    /// Homonyms of unknown population within this distance count as one place.
    static let sameSpot = 50.0
    /// Places further apart than this are different answers.
    static let sameArea = 161.0
    /// A report is written within this distance of most of the places that it is about: Idlib, from Amman.
    static let reach = 500.0
}
