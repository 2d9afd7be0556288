extension Location {
    /// How a coordinate was come by.
    public enum Method: RawRepresentable, Sendable, Hashable, CaseIterable {
        /// The feed gives the point itself.
        case coordinates
        /// The centre of a circle the feed gives.
        case circle
        /// The middle of a polygon the feed gives.
        case polygon
        /// The middle of a line the feed gives.
        case line
        /// The middle of a box the feed gives, such as a tweet's place.
        case box
        /// The city table.
        case gazetteer
        /// MapQuest.
        case mapquest
        /// Nominatim.
        case nominatim
        /// A word that this version does not know, as it was stored.
        case unknown(String)

        /// All known ones.
        public static let allCases: [Method] = [
            .coordinates, .circle, .polygon, .line, .box, .gazetteer, .mapquest, .nominatim,
        ]

        /// Reads a stored word; one that is not known is kept.
        public init(rawValue: String) {
            self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
        }

        /// The word as it is stored and shown.
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
            case .unknown(let word): word
            }
        }
    }
}
