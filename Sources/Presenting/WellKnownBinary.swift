import Model
import Reading

/// A geometry as well-known binary (OGC 06-103r4 §8.2): little-endian, in two dimensions, longitude first.
struct WellKnownBinary {
    /// The smallest box around positions; a geometry across 180° must have been cut there before.
    struct Extent {
        private(set) var west = Double.infinity
        private(set) var east = -Double.infinity
        private(set) var south = Double.infinity
        private(set) var north = -Double.infinity

        /// Whether nothing has been added.
        var isEmpty: Bool { west > east }

        /// Makes it hold a position, too.
        mutating func add(longitude: Double, latitude: Double) {
            west = min(west, longitude)
            east = max(east, longitude)
            south = min(south, latitude)
            north = max(north, latitude)
        }

        /// Makes it hold another one, too.
        mutating func add(_ other: Extent) {
            add(longitude: other.west, latitude: other.south)
            add(longitude: other.east, latitude: other.north)
        }
    }

    /// The geometry.
    private(set) var bytes: [UInt8] = []
    /// The box around its positions, of which there is one at least.
    private(set) var extent = Extent()

    /// Whether it is a single point.
    var isPoint: Bool { bytes[1] == Shape.point.rawValue }

    /// What a position, a list of them and a list of lists make; the raw value is its code.
    private enum Shape: UInt8 {
        case point = 1
        case line, polygon

        /// The code of several of them.
        var codeOfMany: UInt8 { rawValue + 3 }
    }

    private static let collection: UInt8 = 7

    /// A single point.
    init(_ point: Coordinate) {
        begin(Shape.point.rawValue)
        append(longitude: point.longitude, latitude: point.latitude)
    }

    /// A geometry of GeoJSON (RFC 7946 §3.1); altitudes are left out. Nil when it is none, or has no position.
    init?(geoJSON: JSONValue) {
        guard append(geometry: geoJSON), !extent.isEmpty else { return nil }
    }

    // MARK: - Parts; false when the JSON has another form

    private mutating func append(geometry: JSONValue) -> Bool {
        let coordinates = geometry["coordinates"]
        switch geometry["type"]?.string {
        case "Point": return append(.point, coordinates)
        case "LineString": return append(.line, coordinates)
        case "Polygon": return append(.polygon, coordinates)
        case "MultiPoint": return append(several: .point, coordinates)
        case "MultiLineString": return append(several: .line, coordinates)
        case "MultiPolygon": return append(several: .polygon, coordinates)
        case "GeometryCollection":
            begin(Self.collection)
            return append(each: geometry["geometries"]) { $0.append(geometry: $1) }
        default: return false
        }
    }

    private mutating func append(_ shape: Shape, _ coordinates: JSONValue?) -> Bool {
        begin(shape.rawValue)
        return append(coordinates, depth: shape.rawValue - 1)
    }

    private mutating func append(several shape: Shape, _ coordinates: JSONValue?) -> Bool {
        begin(shape.codeOfMany)
        return append(each: coordinates) { $0.append(shape, $1) }
    }

    /// A position, or at a depth of 1 and 2 a list of them and a list of lists.
    private mutating func append(_ coordinates: JSONValue?, depth: UInt8) -> Bool {
        guard depth == 0 else { return append(each: coordinates) { $0.append($1, depth: depth - 1) } }
        var numbers = coordinates?.elements
        guard let longitude = numbers?.next()?.double, let latitude = numbers?.next()?.double else { return false }
        append(longitude: longitude, latitude: latitude)
        return true
    }

    private mutating func append(
        each list: JSONValue?, _ body: (inout WellKnownBinary, JSONValue) -> Bool
    ) -> Bool {
        guard let list, list.kind == .array, let count = list.count else { return false }
        append(UInt32(clamping: count))
        for element in list.elements {
            guard body(&self, element) else { return false }
        }
        return true
    }

    // MARK: - Bytes

    /// The byte order and the code of a geometry.
    private mutating func begin(_ code: UInt8) {
        bytes.append(1)
        append(UInt32(code))
    }

    private mutating func append(longitude: Double, latitude: Double) {
        bytes.append(littleEndian: longitude.bitPattern)
        bytes.append(littleEndian: latitude.bitPattern)
        extent.add(longitude: longitude, latitude: latitude)
    }

    private mutating func append(_ number: UInt32) { bytes.append(littleEndian: number) }
}

extension [UInt8] {
    /// Appends a number's bytes, the lowest first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
