/// The kind of text that names an event's place; the raw value is the word in the database and in outputs.
public enum PlaceEvidence: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The feed's own place text: an area, or the place attached to a message.
    case place
    /// The dateline of a report: the place of writing, which may be the agency's nearest office.
    case dateline
    /// The location that the author of a message gives.
    case author
    /// The event's title.
    case title
    /// The event's summary.
    case summary
    /// The place, title or summary, which gives a distance from a town: `40 km SSW of Concepcion`.
    case distance
    /// A stored word unknown to this version, kept as it is.
    case unknown(String)

    /// All kinds but `unknown`, in the order of the cases.
    public static let allCases: [PlaceEvidence] = [.place, .dateline, .author, .title, .summary, .distance]

    /// Reads a stored word; any other word becomes `unknown`, so reading never fails.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    /// Reads the word from a single string, as `init(rawValue:)`.
    /// - Throws: `DecodingError` for anything but a string.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the word (`rawValue`) as a single string.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The word in the database and in outputs, in lower case; of `unknown` the stored one.
    public var rawValue: String {
        switch self {
        case .place: "place"
        case .dateline: "dateline"
        case .author: "author"
        case .title: "title"
        case .summary: "summary"
        case .distance: "distance"
        case .unknown(let word): word
        }
    }

    /// How far the text is trusted to name the event's place, 0.7 (author) to 1 (place, unknown). The confidence in the
    /// place is multiplied by it.
    public var trust: Double {
        switch self {
        case .place, .unknown: 1
        case .dateline: 0.8
        case .title, .distance: 0.9
        case .summary: 0.8
        case .author: 0.7
        }
    }
}
