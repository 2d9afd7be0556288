import Model
import Reading

/// What GDACS' own elements say beyond text and position (gdacs.org, `xml/rss.xml`).
///
/// The guid (`EQ1200043`) is GDACS' own; these events are not the USGS' ones.
struct DisasterFields {
    private var type: String?
    private var severity: String?
    private var magnitude: Double?
    /// Countries affected, as one text.
    private(set) var country: String?

    /// Takes one child element of an item.
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

    /// Sets category, magnitude and depth; a type that is not known leaves the category as it is.
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

    /// Says how exact the position is. GDACS gives an area by its middle, which of several countries lies in none.
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

    /// Kilometres in `Magnitude 5.3M, Depth:10km`.
    private static func depth(in severity: String) -> Double? {
        guard let part = severity.split(separator: ":").last, part.hasSuffix("km") else { return nil }
        return NumberReader.double(HTMLText.cleaned(String(part.dropLast(2))))
    }
}
