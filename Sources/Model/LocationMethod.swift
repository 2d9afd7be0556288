extension Location {
    /// How a position was found; the raw value is the word in the database and in outputs.
    public enum Method: RawRepresentable, Sendable, Hashable, CaseIterable {
        /// The point given by the feed.
        case coordinates
        /// The centre of a circle given by the feed.
        case circle
        /// The middle of a polygon given by the feed.
        case polygon
        /// The middle of a line given by the feed.
        case line
        /// The middle of a box given by the feed, such as a tweet's place.
        case box
        /// A place of the city table.
        case gazetteer
        /// A place found by MapQuest.
        case mapquest
        /// A place found by Nominatim.
        case nominatim
        /// The place that the operator has given to the event (`PlaceCorrection`).
        case `operator`
        /// A stored word unknown to this version, kept as it is.
        case unknown(String)

        /// All methods but `unknown`, in the order of the cases.
        public static let allCases: [Method] = [
            .coordinates, .circle, .polygon, .line, .box, .gazetteer, .mapquest, .nominatim, .operator,
        ]

        /// Reads a stored word; any other word becomes `unknown`, so reading never fails.
        public init(rawValue: String) {
            self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
        }

        /// The word in the database and in outputs, in lower case; of `unknown` the stored one.
        public var rawValue: String {
            switch self {
            case .coordinates: "coordinates"
            case .circle: "circle"
            case .polygon: "polygon"
            case .line: "line"
            case .box: "box"
            case .gazetteer: "gazetteer"
            case .mapquest: "mapquest"
            case .nominatim: "nominatim"
            case .operator: "operator"
            case .unknown(let word): word
            }
        }
    }
}
