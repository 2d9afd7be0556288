public import Model
import Reading

/// A GeoJSON geometry (RFC 7946 §3.1) without heights. Positions are as given; nothing checks their range.
public enum GeoJSONShape: Sendable, Hashable {
    /// One position (§3.1.2).
    case point(Position)
    /// Several positions, possibly none (§3.1.3).
    case multiPoint([Position])
    /// A line (§3.1.4); the number of its positions is not checked.
    case lineString([Position])
    /// Several lines, possibly none (§3.1.5).
    case multiLineString([[Position]])
    /// Rings: the outer one, then the holes (§3.1.6). Nothing checks that they are closed.
    case polygon([[Position]])
    /// Several polygons, possibly none (§3.1.7), each as in `polygon`.
    case multiPolygon([[[Position]]])
    /// Shapes of any types, collections included; possibly none (§3.1.8).
    case collection([GeoJSONShape])

    /// A position in degrees (§3.1.1), WGS 84.
    public struct Position: Sendable, Hashable {
        /// Degrees east; may be beyond ±180 until normalised.
        public var longitude: Double
        /// Degrees north, not limited to ±90.
        public var latitude: Double

        /// Creates a position that is not checked; longitude comes first, as in GeoJSON.
        public init(_ longitude: Double, _ latitude: Double) {
            self.longitude = longitude
            self.latitude = latitude
        }

        /// Creates the position of a coordinate, which is in range.
        public init(_ coordinate: Coordinate) { self.init(coordinate.longitude, coordinate.latitude) }
    }
}

// MARK: - From and to text

extension GeoJSONShape {
    /// Reads the text of a geometry; nil for other text, and for positions with more or fewer than two numbers.
    /// - Parameter droppingHeights: Whether further numbers of a position are dropped instead; default false.
    public init?(_ text: String, droppingHeights: Bool = false) {
        let read = Array(text.utf8).withUnsafeBytes { bytes -> GeoJSONShape? in
            try? JSONParser().withValue(of: bytes) { root throws(ReadingError) in
                GeoJSONShape(root, droppingHeights: droppingHeights)
            }
        }
        guard let shape = read else { return nil }
        self = shape
    }

    private init?(_ value: JSONValue, droppingHeights: Bool) {
        func position(_ value: JSONValue) -> Position? {
            var numbers = value.elements
            guard let longitude = numbers.next()?.double, let latitude = numbers.next()?.double else { return nil }
            return droppingHeights || numbers.next() == nil ? Position(longitude, latitude) : nil
        }
        func line(_ value: JSONValue) -> [Position]? { Self.all(value, position) }
        func lines(_ value: JSONValue) -> [[Position]]? { Self.all(value, line) }
        func part(_ value: JSONValue) -> GeoJSONShape? { GeoJSONShape(value, droppingHeights: droppingHeights) }
        guard let type = value["type"]?.string else { return nil }
        let coordinates = value["coordinates"]
        var read: GeoJSONShape?
        switch type {
        case "Point": read = coordinates.flatMap(position).map { .point($0) }
        case "MultiPoint": read = coordinates.flatMap(line).map { .multiPoint($0) }
        case "LineString": read = coordinates.flatMap(line).map { .lineString($0) }
        case "MultiLineString": read = coordinates.flatMap(lines).map { .multiLineString($0) }
        case "Polygon": read = coordinates.flatMap(lines).map { .polygon($0) }
        case "MultiPolygon": read = coordinates.flatMap { Self.all($0, lines) }.map { .multiPolygon($0) }
        case "GeometryCollection": read = value["geometries"].flatMap { Self.all($0, part) }.map { .collection($0) }
        default: break
        }
        guard let shape = read else { return nil }
        self = shape
    }

    /// The elements of an array; nil if one of them cannot be read.
    private static func all<Part>(_ value: JSONValue, _ part: (JSONValue) -> Part?) -> [Part]? {
        guard value.kind == .array else { return nil }
        var parts: [Part] = []
        for element in value.elements {
            guard let one = part(element) else { return nil }
            parts.append(one)
        }
        return parts
    }

    /// The geometry as GeoJSON text on one line, without spaces.
    public var text: String {
        switch self {
        case .point(let position): Self.text("Point", position.text)
        case .multiPoint(let positions): Self.text("MultiPoint", Self.text(positions))
        case .lineString(let line): Self.text("LineString", Self.text(line))
        case .multiLineString(let lines): Self.text("MultiLineString", Self.text(lines))
        case .polygon(let rings): Self.text("Polygon", Self.text(rings))
        case .multiPolygon(let polygons): Self.text("MultiPolygon", Self.list(polygons.map { Self.text($0) }))
        case .collection(let shapes):
            "{\"type\":\"GeometryCollection\",\"geometries\":\(Self.list(shapes.map(\.text)))}"
        }
    }

    private static func text(_ type: String, _ coordinates: String) -> String {
        "{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
    }

    private static func text(_ positions: [Position]) -> String { list(positions.map(\.text)) }

    private static func text(_ lines: [[Position]]) -> String { list(lines.map { text($0) }) }

    private static func list(_ texts: [String]) -> String { "[" + texts.joined(separator: ",") + "]" }
}

extension GeoJSONShape.Position {
    fileprivate var text: String { "[\(longitude),\(latitude)]" }
}
