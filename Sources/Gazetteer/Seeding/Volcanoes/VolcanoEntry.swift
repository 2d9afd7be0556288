public import Model
import Reading

/// A volcano as described by a list; its texts are plain, without HTML and outer white space.
public struct VolcanoEntry: Sendable, Hashable {
    /// Values that only some lists have; nil where the list has none. Texts have at most 2000 characters.
    public struct Details: Sendable, Hashable {
        /// Type in the words of the list, such as `Stratovolcano`.
        public var type: String?
        /// Metres above sea level; negative below it. Nil also if the list has no number there.
        public var elevation: Double?
        /// Year of the last known eruption, -99999…99999; negative for BCE. Nil also for words such as `Unknown`.
        public var lastEruptionYear: Int?
        /// Region of the world in the words of the list, such as `South America`.
        public var region: String?
        /// Subregion in the words of the list, such as `Northern Chile`.
        public var subregion: String?
        /// Evidence of its eruptions, such as `Eruption Observed`.
        public var evidence: String?
        /// Dominant rock type in the words of the list.
        public var rock: String?
        /// Tectonic setting in the words of the list.
        public var setting: String?

        /// Creates details without values.
        public init() {}
    }

    /// Number of the line on which it begins in the list, from 1 on.
    public var line: Int
    /// Its number in the database of the Global Volcanism Program, 100000…999999; nil if the list gives no valid one.
    public var number: Int?
    /// The name as the list writes it, 1 to 300 characters with at least one letter or digit.
    public var name: String
    /// The position, WGS 84 degrees; never 0,0.
    public var coordinate: Coordinate
    /// The country's name as the list writes it, at most 2000 characters; nil if the list gives none.
    public var country: String?
    /// A picture: an http or https URL of at most 2000 bytes; nil if the list gives no valid one.
    public var picture: String?
    /// A webcam, or a page that shows one: an http or https URL of at most 2000 bytes; nil if the list gives no valid
    /// one.
    public var webcam: String?
    /// The description, at most 65536 characters; nil if the list gives none.
    public var text: String?
    /// Values that only some lists have; by default empty.
    public var details = Details()

    /// Creates a volcano with these values, which are not checked; the other values are nil.
    public init(line: Int, number: Int? = nil, name: String, coordinate: Coordinate) {
        self.line = line
        self.number = number
        self.name = name
        self.coordinate = coordinate
    }

    /// The volcano as a point of interest, with its name folded and its details as one JSON object (`elevation_m`, …).
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
