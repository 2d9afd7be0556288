public import Model
import Reading

/// A volcano as a list tells of it.
public struct VolcanoEntry: Sendable, Hashable {
    /// What only some lists tell.
    public struct Details: Sendable, Hashable {
        /// The list's word for its type, such as `Stratovolcano`.
        public var type: String?
        /// Metres above the sea; below it negative.
        public var elevation: Double?
        /// Year of the last known eruption; negative: BCE.
        public var lastEruptionYear: Int?
        /// Part of the world.
        public var region: String?
        /// Part of the region.
        public var subregion: String?
        /// How sure its eruptions are, such as `Eruption Observed`.
        public var evidence: String?
        /// Its most common rock.
        public var rock: String?
        /// Where it stands on the plates of the crust.
        public var setting: String?

        /// Creates details of nothing.
        public init() {}
    }

    /// The line at which it begins in the list, from 1.
    public var line: Int
    /// Its number in the database of the Global Volcanism Program.
    public var number: Int?
    /// Its name.
    public var name: String
    /// Where it is.
    public var coordinate: Coordinate
    /// The country's name in English.
    public var country: String?
    /// A picture: an http or https URL.
    public var picture: String?
    /// A webcam: an http or https URL.
    public var webcam: String?
    /// What there is to say about it, as plain text.
    public var text: String?
    /// What only some lists tell.
    public var details = Details()

    /// Creates a volcano of a name and a place alone.
    public init(line: Int, number: Int? = nil, name: String, coordinate: Coordinate) {
        self.line = line
        self.number = number
        self.name = name
        self.coordinate = coordinate
    }

    /// The volcano as a point of interest.
    public var point: PointOfInterest {
        PointOfInterest(
            kind: .volcano, number: number, name: name, foldedName: NameFolding.folded(name), coordinate: coordinate,
            country: country, picture: picture, webcam: webcam, text: text, details: details.json)
    }
}

extension VolcanoEntry.Details {
    /// The details as one JSON object, missing ones left out.
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
