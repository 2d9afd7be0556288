import Foundation
import Model
import Presenting
import Reading

/// Events as KML 2.2 (OGC 07-147r2). A document is `head`, a `placemark` for each event, `tail`.
enum KMLWriter {
    /// The beginning of a document up to its first placemark, with a style for each category.
    static func head(title: String) -> String {
        let all = styles.map { style($0.id, $0.color) + "\n" }.joined()
        return start + "<Document>" + XMLText.element("name", title) + "\n" + all
    }

    /// The end of a document.
    static let tail = "</Document></kml>\n"

    /// What stands before the one element of a document.
    static let start = XMLText.declaration + "<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n"

    /// The element `Placemark` of an event. Its geometry is the shape, else the point; it has none if the event has no
    /// location.
    static func placemark(_ stored: StoredEvent) -> String {
        let event = stored.event
        var text = "<Placemark id=\"event-\(stored.publicID)\">" + XMLText.element("name", event.title)
        text += XMLText.element("description", description(stored))
        text += "<TimeStamp><when>\((event.time ?? stored.firstSeen).timestamp)</when></TimeStamp>"
        let style = styles.first { $0.id == event.category.rawValue }?.id ?? "other"
        text += "<styleUrl>#\(style)</styleUrl><ExtendedData>"
        let data: [(String, String?)] = [
            ("public_id", stored.publicID), ("category", event.category.rawValue), ("provider", event.provider),
            ("magnitude", event.magnitude?.jsonText), ("depth_km", event.depth?.jsonText), ("status", event.status),
            ("withdrawn", stored.withdrawal?.reason),
        ]
        for (name, value) in data where value != nil {
            text += "<Data name=\"\(name)\">" + XMLText.element("value", value) + "</Data>"
        }
        text += "</ExtendedData>"
        let shape = event.geometry.flatMap { GeoJSONShape($0, droppingHeights: true) }
        let area = shape.map { geometry($0.normalised) } ?? ""
        let point = event.location.map { geometry(.point(GeoJSONShape.Position($0.coordinate))) } ?? ""
        return text + (area.isEmpty ? point : area) + "</Placemark>"
    }

    // MARK: - Description

    /// The description. Programs show it as HTML, so its texts are escaped as HTML, and then as XML by the caller. Nil
    /// if there is nothing to say.
    private static func description(_ stored: StoredEvent) -> String? {
        let event = stored.event
        var lines = (event.summary ?? "").split(whereSeparator: \.isNewline).map { HTMLPage.escaped(String($0)) }
        if let location = event.location, location.precision != .point {
            let words = location.matchedText.map { ": \($0)" } ?? ""
            let name = location.name.map { " (\($0))" } ?? ""
            lines.append(HTMLPage.escaped("Exact to the \(location.precision.rawValue)\(words)\(name)"))
        }
        if let withdrawal = stored.withdrawal {
            lines.append(HTMLPage.escaped("Withdrawn (\(withdrawal.reason)): \(withdrawal.evidence)"))
        }
        if let page = XMLText.webAddress(event.link) { lines.append(HTMLPage.anchor(page, page)) }
        return lines.isEmpty ? nil : lines.joined(separator: "<br>")
    }

    // MARK: - Styles

    /// The styles of the usual categories, in the colours of the map; other categories have that of `other`. The colour
    /// is blue, green, red in hexadecimal digits, as KML has it.
    private static let styles = [
        (id: "earthquake", color: "00d7ff"), (id: "volcano", color: "2020e0"), (id: "alert", color: "0080ff"),
        (id: "news", color: "e08020"), (id: "message", color: "30a030"), (id: "other", color: "909090"),
    ]

    /// No style has a picture, since it would be loaded from elsewhere.
    private static func style(_ id: String, _ color: String) -> String {
        "<Style id=\"\(id)\"><IconStyle><color>ff\(color)</color></IconStyle>"
            + "<LineStyle><color>ff\(color)</color><width>2</width></LineStyle>"
            + "<PolyStyle><color>50\(color)</color></PolyStyle></Style>"
    }

    // MARK: - Geometry

    /// The geometry; empty for a shape without a part that KML allows.
    private static func geometry(_ shape: GeoJSONShape) -> String {
        switch shape {
        case .point(let position): return "<Point>\(coordinates([position]))</Point>"
        case .multiPoint(let positions): return multiple(positions.map { geometry(.point($0)) })
        case .lineString(let line):
            return line.count < 2 ? "" : "<LineString>\(coordinates(line))</LineString>"
        case .multiLineString(let lines): return multiple(lines.map { geometry(.lineString($0)) })
        case .polygon(let rings):
            guard let outer = rings.first.flatMap({ boundary("outerBoundaryIs", $0) }) else { return "" }
            let holes = rings.dropFirst().compactMap { boundary("innerBoundaryIs", $0) }
            return "<Polygon>\(outer)\(holes.joined())</Polygon>"
        case .multiPolygon(let polygons): return multiple(polygons.map { geometry(.polygon($0)) })
        case .collection(let shapes): return multiple(shapes.map { geometry($0) })
        }
    }

    private static func multiple(_ parts: [String]) -> String {
        let parts = parts.filter { !$0.isEmpty }
        if parts.count < 2 { return parts.first ?? "" }
        return "<MultiGeometry>\(parts.joined())</MultiGeometry>"
    }

    /// A closed ring of four positions or more; nil for fewer.
    private static func boundary(_ name: String, _ ring: [GeoJSONShape.Position]) -> String? {
        let closed = ring.first == ring.last ? ring : ring + ring.prefix(1)
        guard closed.count >= 4 else { return nil }
        return "<\(name)><LinearRing>\(coordinates(closed))</LinearRing></\(name)>"
    }

    private static func coordinates(_ positions: [GeoJSONShape.Position]) -> String {
        let tuples = positions.map { "\($0.longitude.jsonText),\($0.latitude.jsonText)" }
        return "<coordinates>\(tuples.joined(separator: " "))</coordinates>"
    }
}
