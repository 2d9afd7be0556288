import Model
import Reading

/// The position of a feed item: GeoRSS Simple and GML (OGC 17-002r1), and W3C Basic Geo (`geo:lat`, `geo:long`).
///
/// Latitude comes before longitude, except in GML with the `srsName` CRS84. A point is the location. A line, polygon,
/// box or circle gives its centre as location and keeps its shape (a circle has none). The first point or shape counts.
struct GeoRSS {
    /// The first point, else the centre of the first shape.
    var location: Location? { point ?? middle }
    /// The first line, polygon or box as GeoJSON.
    private(set) var geometry: String?
    /// `georss:featurename`.
    private(set) var place: String?
    /// `georss:elev` in metres above the surface; only USGS entries use it.
    private(set) var elevation: Double?
    /// The beginnings of the texts of unreadable or impossible positions.
    private(set) var faults: [String] = []
    /// The number of points of a shape that is not kept because it has too many, in words; nil without one.
    private(set) var excess: String?

    private var point: Location?
    private var middle: Location?
    private var latitude: String?
    private var longitude: String?

    /// Reads one child element of an item.
    mutating func take(_ name: String, _ vocabulary: FeedVocabulary, _ node: XMLNode) {
        switch vocabulary {
        case .geoRSS: takeSimple(name, node)
        case .gml: takeGML(name, node)
        case .geo: takeW3C(name, node)
        default: break
        }
    }

    /// Combines latitude and longitude from separate elements. It must be called once, after the last element.
    mutating func finish() {
        guard point == nil, latitude != nil || longitude != nil else { return }
        var text = "\(latitude ?? "?") \(longitude ?? "?")"
        if !takePoint(text.withUTF8 { Self.numbers($0, atMost: 3) }) { faults.append(text.beginning(200)) }
    }

    // MARK: Encodings

    private mutating func takeSimple(_ name: String, _ node: XMLNode) {
        if name == "where" {
            for child in node.children {
                let (_, inner) = FeedVocabulary.of(child)
                takeGML(inner, child)
            }
            return
        }
        guard node.withText({ !$0.allSatisfy(Self.isSeparator) }) else { return }
        switch name {
        case "point": takePoint(Self.numbers(node, atMost: 3), node)
        case "line": takeLine(Self.numbers(node, atMost: Self.mostNumbers), node)
        case "polygon": takePolygon(Self.numbers(node, atMost: Self.mostNumbers), node)
        case "box": takeBox(Self.numbers(node, atMost: 4), node)
        case "circle": takeCircle(Self.numbers(node, atMost: 3), node)
        case "featurename", "featureName": place = place ?? SyndicationText.line(node)
        case "elev": elevation = elevation ?? node.trimmed.flatMap { NumberReader.double($0) }
        // Some feeds declare the prefix `geo` with the namespace of GeoRSS, which has no such names.
        default: takeW3C(name, node)
        }
    }

    private mutating func takeGML(_ name: String, _ node: XMLNode) {
        var numbers: [Double]? = []
        Self.collectPositions(of: node, into: &numbers)
        switch name {
        case "Point": takePoint(numbers, node)
        case "LineString": takeLine(numbers, node)
        case "Polygon": takePolygon(numbers, node)
        case "Envelope": takeBox(numbers, node)
        default: break
        }
    }

    private mutating func takeW3C(_ name: String, _ node: XMLNode) {
        switch name {
        case "lat": latitude = latitude ?? node.trimmed
        case "long", "lon", "lng": longitude = longitude ?? node.trimmed
        case "Point":
            for child in node.children {
                let (vocabulary, inner) = FeedVocabulary.of(child)
                if vocabulary == .geo || vocabulary == .geoRSS, inner != "Point" { takeW3C(inner, child) }
            }
        default: break
        }
    }

    // MARK: Shapes

    private mutating func takePoint(_ numbers: [Double]?, _ node: XMLNode) {
        if !takePoint(numbers) { fault(node) }
    }

    /// Takes a point; returns false if it is none.
    private mutating func takePoint(_ numbers: [Double]?) -> Bool {
        guard let numbers, numbers.count == 2 || numbers.count == 3,
            let coordinate = Coordinate(latitude: numbers[0], longitude: numbers[1]),
            FeedGeometry.point(coordinate).isCredible
        else { return false }
        point = point ?? Location(coordinate)
        return true
    }

    private mutating func takeLine(_ numbers: [Double]?, _ node: XMLNode) {
        guard !isExcess(numbers) else { return }
        guard let points = Self.points(numbers), points.count >= 2 else { return fault(node) }
        keep(FeedGeometry.line(points), node)
    }

    private mutating func takePolygon(_ numbers: [Double]?, _ node: XMLNode) {
        guard !isExcess(numbers) else { return }
        guard let points = Self.points(numbers), let ring = FeedGeometry.ring(points) else { return fault(node) }
        keep(FeedGeometry.polygon([ring]), node)
    }

    /// Notes a shape with too many numbers to be read.
    private mutating func isExcess(_ numbers: [Double]?) -> Bool {
        guard let numbers, numbers.count > Self.mostNumbers else { return false }
        excess = "more than \(FeedGeometry.mostPoints)"
        return true
    }

    /// A box is given by its south-western and north-eastern corners. A box across 180° becomes two polygons (RFC
    /// 7946 §3.1.9).
    private mutating func takeBox(_ numbers: [Double]?, _ node: XMLNode) {
        guard let numbers, numbers.count == 4,
            let box = BoundingBox(west: numbers[1], south: numbers[0], east: numbers[3], north: numbers[2]),
            (box.crossesAntimeridian ? box.east + 360 : box.east) - box.west < 180
        else { return fault(node) }
        let spans = box.crossesAntimeridian ? [(box.west, 180.0), (-180.0, box.east)] : [(box.west, box.east)]
        let parts = spans.map { FeedGeometry.polygon([Self.ring(box, from: $0.0, to: $0.1)]) }
        guard parts.allSatisfy(\.isCredible), let centre = box.centre, !centre.isNowhere else { return fault(node) }
        keep(Location(centre, method: .box, precision: .region), FeedGeometry.combined(parts))
    }

    private mutating func takeCircle(_ numbers: [Double]?, _ node: XMLNode) {
        guard let numbers, numbers.count == 3, let centre = Coordinate(latitude: numbers[0], longitude: numbers[1]),
            FeedGeometry.point(centre).isCredible, Self.radii.contains(numbers[2])
        else { return fault(node) }
        keep(Location(centre, method: .circle, precision: .region), nil)
    }

    /// The range of a radius in metres (OGC 17-002r1 §8.6).
    private static let radii = 0.0...FeedGeometry.largestRadius * 1000

    private mutating func keep(_ shape: FeedGeometry, _ node: XMLNode) {
        guard shape.isCredible else { return fault(node) }
        keep(shape.location, shape)
    }

    private mutating func keep(_ location: Location?, _ shape: FeedGeometry?) {
        guard middle == nil, let location else { return }
        middle = location
        if let shape, shape.isTooLong { excess = "\(shape.pointCount)" } else { geometry = shape?.geoJSON }
    }

    private mutating func fault(_ node: XMLNode) { faults.append((node.trimmed ?? "").beginning(200)) }

    private static func ring(_ box: BoundingBox, from west: Double, to east: Double) -> [Coordinate] {
        let corners = [(west, box.south), (east, box.south), (east, box.north), (west, box.north), (west, box.south)]
        return corners.compactMap { Coordinate(latitude: $0.1, longitude: $0.0) }
    }

    // MARK: Numbers

    /// The most numbers of a shape that are read.
    private static let mostNumbers = 2 * FeedGeometry.mostPoints

    /// The numbers of an element, as of its text.
    private static func numbers(_ node: XMLNode, atMost limit: Int) -> [Double]? {
        node.withText { numbers($0, atMost: limit) }
    }

    /// The numbers of a text, separated by blanks or commas; nil when one of them is unreadable. Of more than `limit`
    /// one too many is read.
    private static func numbers(_ text: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> [Double]? {
        var numbers: [Double] = []
        var index = 0
        while numbers.count <= limit {
            while index < text.count, isSeparator(text[index]) { index += 1 }
            guard index < text.count else { break }
            let start = index
            while index < text.count, !isSeparator(text[index]) { index += 1 }
            guard let number = NumberReader.double(text[start..<index]) else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: ",") }

    private static func points(_ numbers: [Double]?) -> [Coordinate]? {
        guard let numbers, numbers.count.isMultiple(of: 2) else { return nil }
        var points: [Coordinate] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard let point = Coordinate(latitude: numbers[index], longitude: numbers[index + 1]) else { return nil }
            points.append(point)
        }
        return points
    }

    /// Collects latitudes and longitudes of all positions in a GML geometry, without heights and inner rings.
    private static func collectPositions(
        of node: XMLNode, dimension: String? = nil, isLongitudeFirst: Bool = false, into numbers: inout [Double]?
    ) {
        guard (numbers?.count ?? 0) <= mostNumbers else { return }
        let dimension = node.attribute("srsDimension") ?? dimension
        // CRS84 appears as `urn:ogc:def:crs:OGC:1.3:CRS84` and as a URL. EPSG's 4326 has the order of GeoRSS.
        let isLongitudeFirst = node.attribute("srsName").map { $0.hasSuffix("CRS84") } ?? isLongitudeFirst
        switch FeedVocabulary.of(node).name {
        case "pos", "lowerCorner", "upperCorner":
            append(node, every: nil, isLongitudeFirst, to: &numbers)
        case "posList":
            append(node, every: dimension == "3" ? 3 : 2, isLongitudeFirst, to: &numbers)
        case "interior": break
        default:
            for child in node.children {
                collectPositions(of: child, dimension: dimension, isLongitudeFirst: isLongitudeFirst, into: &numbers)
            }
        }
    }

    /// Appends the first two of each `size` numbers, latitude first. With `size` nil, all numbers form one group.
    private static func append(
        _ node: XMLNode, every size: Int?, _ isLongitudeFirst: Bool, to numbers: inout [Double]?
    ) {
        let limit = (size ?? 2) * FeedGeometry.mostPoints
        let read = Self.numbers(node, atMost: limit)
        if let read, read.count > limit {
            // So that the shape counts as too long.
            numbers?.append(contentsOf: read)
            return
        }
        guard let found = read, found.count >= 2, found.count.isMultiple(of: size ?? found.count) else {
            numbers = nil
            return
        }
        for start in stride(from: 0, to: found.count, by: size ?? found.count) {
            numbers?.append(found[isLongitudeFirst ? start + 1 : start])
            numbers?.append(found[isLongitudeFirst ? start : start + 1])
        }
    }
}
