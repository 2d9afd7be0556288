/// A place that is worth knowing whatever happens there, such as a volcano: seeded once, never truncated.
public struct PointOfInterest: Sendable, Hashable {
    /// What sort of place it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A volcano.
        case volcano
    }

    /// What sort of place it is.
    public var kind: Kind
    /// Its number in the database of the Global Volcanism Program, where that is known.
    public var number: Int?
    /// Its name as the list writes it.
    public var name: String
    /// The name as it is compared: spellings that differ in case, accents or punctuation only are one. Words without
    /// signs, one space between them.
    public var foldedName: String
    /// Where it is.
    public var coordinate: Coordinate
    /// The country's name as the list writes it.
    public var country: String?
    /// A picture: an http or https URL.
    public var picture: String?
    /// A webcam, or a page that shows one: an http or https URL.
    public var webcam: String?
    /// What the list says about it, as plain text.
    public var text: String?
    /// The list's remaining fields as the text of one JSON object.
    public var details: String

    /// Creates a place; everything but its name and coordinate may be missing.
    public init(
        kind: Kind = .volcano, number: Int? = nil, name: String, foldedName: String, coordinate: Coordinate,
        country: String? = nil, picture: String? = nil, webcam: String? = nil, text: String? = nil,
        details: String = "{}"
    ) {
        self.kind = kind
        self.number = number
        self.name = name
        self.foldedName = foldedName
        self.coordinate = coordinate
        self.country = country
        self.picture = picture
        self.webcam = webcam
        self.text = text
        self.details = details
    }

    /// What tells it from other places: `gvp:211060` where the number is known, else the folded name and the position
    /// in tenths of a degree, `etna@37.7,15.0`.
    public var key: String {
        if let number { return "gvp:\(number)" }
        return "\(foldedName)@\(Self.tenths(coordinate.latitude)),\(Self.tenths(coordinate.longitude))"
    }

    /// The number with one decimal; there is no -0.0.
    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
