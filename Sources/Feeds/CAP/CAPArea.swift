import Model
import Reading

/// One `<area>` of an info (CAP 1.2 §3.2.4).
struct CAPArea {
    var description: String?
    /// The non-empty `<polygon>` elements. The National Weather Service sends `<polygon></polygon>` for zones.
    var polygons: [CAPPolygon] = []
    /// The non-empty `<circle>` texts, cut to 1000 characters.
    var circles: [String] = []
    var geocodes: [CAPValue] = []

    /// - Parameter points: The number of points of the alert so far.
    init(_ node: XMLNode, points: inout Int) {
        for child in node.children {
            switch child.name {
            case "areaDesc": description = CAPDecoder.plain(child)
            case "polygon": if let polygon = CAPPolygon(child, points: &points) { polygons.append(polygon) }
            case "circle": if let circle = child.trimmed { circles.append(circle.beginning(1000)) }
            case "geocode": if geocodes.count < CAPInfo.maximumEntries { geocodes.append(CAPValue(child)) }
            default: break
            }
        }
    }

    // MARK: Shapes

    /// The circle in `lat,lon radius`, its radius in kilometres; nil when it is unreadable.
    ///
    /// The radius may be 0…5,000 (`FeedGeometry.largestRadius`) and is 0 when missing. GVP has also sent `lat,lon,0`.
    /// The centre 0,0 means an unknown position and is refused.
    static func circle(_ text: String) -> Location? {
        let words = text.split(maxSplits: 4) { $0 == "," || $0.isWhitespace }
        let numbers = words.compactMap { NumberReader.double(String($0)) }
        let commas = text.utf8.count { $0 == UInt8(ascii: ",") }
        guard numbers.count == words.count, numbers.count == 2 || numbers.count == 3, commas < numbers.count,
            let centre = Coordinate(latitude: numbers[0], longitude: numbers[1]),
            !centre.isNowhere
        else { return nil }
        let radius = numbers.count == 3 ? numbers[2] : 0
        guard (0...FeedGeometry.largestRadius).contains(radius) else { return nil }
        if radius < 1 { return Location(centre) }
        return Location(centre, method: .circle, precision: radius <= 25 ? .city : .region)
    }
}

/// One `<polygon>` of an area (CAP 1.2 §3.2.4).
struct CAPPolygon {
    /// The shape; nil when a pair is unreadable, fewer than three points are left or all of them are 0,0, and when the
    /// alert has too many points.
    let shape: FeedGeometry?
    /// Whether the alert has more than `FeedGeometry.mostPoints` points up to here.
    let isCut: Bool
    /// The beginning of the text, for issues.
    let text: String
    /// The hash of the whole text.
    let hash: Int

    /// Reads `lat,lon` pairs, closed or not; nil for an empty element.
    /// - Parameter points: The number of points of the alert so far.
    init?(_ node: XMLNode, points: inout Int) {
        guard let text = node.trimmed else { return nil }
        self.text = text.beginning(200)
        hash = text.byteHash
        var found: [Coordinate] = []
        var isWhole = true
        node.withText { bytes in
            CoordinateTuple.read(bytes) { pair in
                points += 1
                guard pair.count == 2, points <= FeedGeometry.mostPoints,
                    let point = Coordinate(latitude: pair.first, longitude: pair.second)
                else {
                    isWhole = false
                    return false
                }
                found.append(point)
                return true
            }
        }
        isCut = points > FeedGeometry.mostPoints
        let ring = isWhole && found.contains { !$0.isNowhere } ? FeedGeometry.ring(found) : nil
        shape = ring.map { .polygon([$0]) }
    }
}
