import Model
import Reading

/// The values of GDACS' own elements, apart from text and position (gdacs.org, `xml/rss.xml`).
///
/// The guid (`EQ1200043`) is GDACS' own, so these events do not merge with those of USGS.
struct DisasterFields {
    private var type: String?
    private var severity: String?
    private var magnitude: Double?
    /// The affected countries, as one text.
    private(set) var country: String?

    /// Reads one child element of an item; ignores unknown names.
    mutating func take(_ name: String, _ node: XMLNode) {
        switch name {
        case "eventtype": type = node.trimmed
        case "country": country = SyndicationText.line(node)
        case "severity":
            severity = node.trimmed
            if node.attribute("unit") == "M" { magnitude = node.attribute("value").flatMap { NumberReader.double($0) } }
        default: break
        }
    }

    /// Sets category, magnitude and depth. An unknown type changes nothing.
    func describe(_ event: inout Event) {
        switch type {
        case "EQ":
            event.category = .earthquake
            event.magnitude = magnitude
            event.depth = severity.flatMap { Self.depth(in: $0) }
        case "VO": event.category = .volcano
        case "TC": event.category = Model.Category(rawValue: "cyclone")
        case "FL": event.category = Model.Category(rawValue: "flood")
        case "DR": event.category = Model.Category(rawValue: "drought")
        case "WF": event.category = Model.Category(rawValue: "wildfire")
        case "TS": event.category = Model.Category(rawValue: "tsunami")
        default: break
        }
    }

    /// Sets the precision of the position, which is the centre of an area. A drought in several countries loses its
    /// position, since the centre may lie in none of them.
    func locate(_ event: inout Event) {
        switch type {
        case "DR":
            if country?.utf8.contains(UInt8(ascii: ",")) == true {
                event.location = nil
            } else {
                event.location?.precision = .country
            }
        case "FL", "WF", "TC": event.location?.precision = .region
        default: break
        }
    }

    /// The depth in kilometres in `Magnitude 5.3M, Depth:10km`.
    private static func depth(in severity: String) -> Double? {
        let start = severity.utf8.lastIndex(of: UInt8(ascii: ":")).map { severity.utf8.index(after: $0) }
        let part = severity[(start ?? severity.startIndex)...]
        guard part.hasSuffix("km") else { return nil }
        return NumberReader.double(HTMLText.cleaned(String(part.dropLast(2))))
    }
}
