/// How far apart places are, in kilometres, that are as good as one or speak for each other.
enum Nearness {
    /// Homonyms of unknown population within this distance are one place, or as good as one.
    static let sameSpot = 50.0
    /// Two places further apart than this are different answers.
    static let sameArea = 161.0
    /// A place within this distance of another of the document is supported by it.
    static let neighbourhood = 150.0
}
