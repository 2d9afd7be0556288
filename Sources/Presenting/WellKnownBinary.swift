import Model

/// A geometry as well-known binary (OGC 06-103r4 §8.2): little-endian, two-dimensional, longitude first.
struct WellKnownBinary {
    /// The smallest box round positions; a geometry across 180° must be cut there first.
    struct Extent {
        private(set) var west = Double.infinity
        private(set) var east = -Double.infinity
        private(set) var south = Double.infinity
        private(set) var north = -Double.infinity

        /// Whether nothing was added.
        var isEmpty: Bool { west > east }

        /// Extends the box to a position.
        mutating func add(longitude: Double, latitude: Double) {
            west = min(west, longitude)
            east = max(east, longitude)
            south = min(south, latitude)
            north = max(north, latitude)
        }

        /// Extends the box to another box, which must not be empty.
        mutating func add(_ other: Extent) {
            add(longitude: other.west, latitude: other.south)
            add(longitude: other.east, latitude: other.north)
        }
    }

    /// The encoded geometry.
    private(set) var bytes: [UInt8] = []
    /// The box round its positions; never empty.
    private(set) var extent = Extent()

    /// Whether the geometry is a single point.
    var isPoint: Bool { bytes[1] == Code.point.rawValue }

    private enum Code: UInt8 {
        case point = 1
        case lineString, polygon, multiPoint, multiLineString, multiPolygon, collection
    }

    /// Encodes a single point.
    init(_ point: Coordinate) { append(.point(GeoJSONShape.Position(point))) }

    /// Encodes a geometry; nil if it has no position.
    init?(_ shape: GeoJSONShape) {
        append(shape)
        guard !extent.isEmpty else { return nil }
    }

    private mutating func append(_ shape: GeoJSONShape) {
        switch shape {
        case .point(let position):
            begin(.point)
            append(position: position)
        case .lineString(let line):
            begin(.lineString)
            append(line: line)
        case .polygon(let rings):
            begin(.polygon)
            append(count: rings.count)
            for ring in rings { append(line: ring) }
        case .multiPoint(let positions): append(.multiPoint, of: positions.map { .point($0) })
        case .multiLineString(let lines): append(.multiLineString, of: lines.map { .lineString($0) })
        case .multiPolygon(let polygons): append(.multiPolygon, of: polygons.map { .polygon($0) })
        case .collection(let shapes): append(.collection, of: shapes)
        }
    }

    private mutating func append(_ code: Code, of shapes: [GeoJSONShape]) {
        begin(code)
        append(count: shapes.count)
        for shape in shapes { append(shape) }
    }

    private mutating func append(line: [GeoJSONShape.Position]) {
        append(count: line.count)
        for position in line { append(position: position) }
    }

    // MARK: - Bytes

    /// Appends the byte order and the code of a geometry.
    private mutating func begin(_ code: Code) {
        bytes.append(1)
        bytes.append(littleEndian: UInt32(code.rawValue))
    }

    private mutating func append(position: GeoJSONShape.Position) {
        bytes.append(littleEndian: position.longitude.bitPattern)
        bytes.append(littleEndian: position.latitude.bitPattern)
        extent.add(longitude: position.longitude, latitude: position.latitude)
    }

    private mutating func append(count: Int) { bytes.append(littleEndian: UInt32(clamping: count)) }
}

extension [UInt8] {
    /// Appends a number's bytes, lowest first.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
