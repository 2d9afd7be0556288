/// A place that stays of interest without events, such as a volcano. It is seeded and never truncated.
public struct PointOfInterest: Sendable, Hashable {
    /// The kind of a place; the raw value is the word in the database and in outputs.
    public enum Kind: String, Sendable, CaseIterable {
        /// A volcano; the only kind so far.
        case volcano
    }

    /// The kind of place; default: volcano.
    public var kind: Kind
    /// Number in the database of the Global Volcanism Program (`211060`); nil if the list gives none.
    public var number: Int?
    /// The name as the list writes it.
    public var name: String
    /// The name folded for comparison: without case, accents and punctuation, with one space between words.
    public var foldedName: String
    /// The position, WGS 84 degrees.
    public var coordinate: Coordinate
    /// The country's name as the list writes it; nil if it gives none.
    public var country: String?
    /// A picture: an http or https URL; nil if the list gives none.
    public var picture: String?
    /// A webcam, or a page that shows one: an http or https URL; nil if the list gives none.
    public var webcam: String?
    /// What the list says about it, as plain text; nil if it says nothing.
    public var text: String?
    /// The list's remaining fields as the text of one JSON object; default `{}`: none.
    public var details: String

    /// Creates a place with these values, which are not checked; only the two names and the coordinate are required.
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

    /// Identity of the place: `gvp:211060` by its number, else folded name and position to a tenth of a degree:
    /// `etna@37.7,15.0`.
    public var key: String {
        if let number { return "gvp:\(number)" }
        return "\(foldedName)@\(Self.tenths(coordinate.latitude)),\(Self.tenths(coordinate.longitude))"
    }

    /// The number with one decimal, never -0.0.
    private static func tenths(_ number: Double) -> String {
        let tenths = Int(clamping: (number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
