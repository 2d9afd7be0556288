public import Model
import Reading

/// A volcano as described by a list.
public struct VolcanoEntry: Sendable, Hashable {
    /// Values that only some lists have.
    public struct Details: Sendable, Hashable {
        /// Type in the words of the list, such as `Stratovolcano`.
        public var type: String?
        /// Metres above sea level; negative below it.
        public var elevation: Double?
        /// Year of the last known eruption; negative for BCE.
        public var lastEruptionYear: Int?
        /// Region of the world in the words of the list.
        public var region: String?
        /// Subregion in the words of the list.
        public var subregion: String?
        /// Evidence of its eruptions, such as `Eruption Observed`.
        public var evidence: String?
        /// Dominant rock type.
        public var rock: String?
        /// Tectonic setting.
        public var setting: String?

        /// Creates empty details.
        public init() {}
    }

    /// Number of the line on which it begins in the list, from 1 on.
    public var line: Int
    /// Its six-digit number in the database of the Global Volcanism Program; nil if the list gives no valid one.
    public var number: Int?
    /// The name as the list writes it, at most 300 characters.
    public var name: String
    /// The position, WGS 84 degrees.
    public var coordinate: Coordinate
    /// The country's name in English; nil if the list gives none.
    public var country: String?
    /// A picture: an http or https URL of at most 2000 bytes.
    public var picture: String?
    /// A webcam, or a page that shows one: an http or https URL of at most 2000 bytes.
    public var webcam: String?
    /// The description, as plain text.
    public var text: String?
    /// Values that only some lists have; by default empty.
    public var details = Details()

    /// Creates a volcano; the other values are nil.
    public init(line: Int, number: Int? = nil, name: String, coordinate: Coordinate) {
        self.line = line
        self.number = number
        self.name = name
        self.coordinate = coordinate
    }

    /// The volcano as a point of interest, with its details as JSON.
    public var point: PointOfInterest {
        PointOfInterest(
            kind: .volcano, number: number, name: name, foldedName: NameFolding.folded(name), coordinate: coordinate,
            country: country, picture: picture, webcam: webcam, text: text, details: details.json)
    }
}

extension VolcanoEntry.Details {
    /// The details as one JSON object, without missing ones.
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.member("type", type)
        writer.member("elevation_m", elevation)
        writer.member("last_eruption_year", lastEruptionYear)
        writer.member("region", region)
        writer.member("subregion", subregion)
        writer.member("evidence", evidence)
        writer.member("rock", rock)
        writer.member("setting", setting)
        return writer.finish()
    }
}
