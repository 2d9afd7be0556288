import Model
import Reading

/// One `<area>` of an info (CAP 1.2 §3.2.4).
struct CAPArea {
    var description: String?
    /// The non-empty `<polygon>` texts. The National Weather Service sends `<polygon></polygon>` for zones.
    var polygons: [String] = []
    /// The non-empty `<circle>` texts.
    var circles: [String] = []
    var geocodes: [CAPValue] = []

    init(_ node: XMLNode) {
        for child in node.children {
            switch child.name {
            case "areaDesc": description = CAPDecoder.plain(child.text)
            case "polygon": polygons += child.trimmed.map { [$0] } ?? []
            case "circle": circles += child.trimmed.map { [$0] } ?? []
            case "geocode": if geocodes.count < CAPInfo.maximumEntries { geocodes.append(CAPValue(child)) }
            default: break
            }
        }
    }

    // MARK: Shapes

    /// The polygon of `lat,lon` pairs, closed or not. Nil when a pair is unreadable, fewer than three points are left
    /// or all of them are 0,0.
    static func polygon(_ text: String) -> FeedGeometry? {
        var points: [Coordinate] = []
        var isWhole = true
        CoordinateTuple.read(text) { pair in
            if pair.count == 2, let point = Coordinate(latitude: pair.first, longitude: pair.second) {
                points.append(point)
            } else {
                isWhole = false
            }
        }
        guard isWhole, points.contains(where: { !$0.isNowhere }),
            let ring = FeedGeometry.ring(points)
        else { return nil }
        return .polygon([ring])
    }

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
