/// Which text of an event its location was found in.
public enum PlaceEvidence: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The feed's own place text: an area, the place attached to a message.
    case place
    /// The dateline of a report: where it was written, which may be the agency's nearest office.
    case dateline
    /// Where the author of a message says to be.
    case author
    /// The title.
    case title
    /// The summary.
    case summary
    /// A word that this version does not know, as it was stored.
    case unknown(String)

    /// All known ones.
    public static let allCases: [PlaceEvidence] = [.place, .dateline, .author, .title, .summary]

    /// Reads a stored word; one that is not known is kept.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// Reads the stored word.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the word.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The word as it is stored and shown.
    public var rawValue: String {
        switch self {
        case .place: "place"
        case .dateline: "dateline"
        case .author: "author"
        case .title: "title"
        case .summary: "summary"
        case .unknown(let word): word
        }
    }

    /// How far the text can be trusted to say where it happened, 0…1; multiplies the confidence in the place.
    public var trust: Double {
        switch self {
        case .place, .unknown: 1
        case .dateline: 0.8
        case .title: 0.9
        case .summary: 0.8
        case .author: 0.7
        }
    }
}
