import Foundation

extension Shape {
    /// Reads the text of a GeoJSON geometry of any type (RFC 7946 §3.1); heights are ignored, open rings are closed.
    /// Returns nil for other text, for a geometry without positions, and for a position that is not on Earth
    /// (`Coordinate.init`).
    public init?(geoJSON text: String) {
        guard let geometry = try? JSONDecoder().decode(Geometry.self, from: Data(text.utf8)), !geometry.parts.isEmpty
        else { return nil }
        parts = geometry.parts
    }
}

/// Any of the seven geometry types.
private struct Geometry: Decodable {
    var parts: [Shape.Part]

    private enum Member: String, CodingKey {
        case type, coordinates, geometries
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        func coordinates<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try members.decode(type, forKey: .coordinates)
        }
        switch try members.decode(String.self, forKey: .type) {
        case "Point": parts = Self.lines([[try coordinates(Position.self)]])
        case "MultiPoint": parts = Self.lines(try coordinates([Position].self).map { [$0] })
        case "LineString": parts = Self.lines([try coordinates([Position].self)])
        case "MultiLineString": parts = Self.lines(try coordinates([[Position]].self))
        case "Polygon": parts = Self.polygons([try coordinates([[Position]].self)])
        case "MultiPolygon": parts = Self.polygons(try coordinates([[[Position]]].self))
        case "GeometryCollection": parts = try members.decode([Geometry].self, forKey: .geometries).flatMap(\.parts)
        default:
            throw DecodingError.dataCorruptedError(forKey: .type, in: members, debugDescription: "no geometry")
        }
    }

    private static func lines(_ lines: [[Position]]) -> [Shape.Part] {
        lines.compactMap { line in Shape.Path(line: line.map(\.coordinate)).map { .line($0) } }
    }

    private static func polygons(_ polygons: [[[Position]]]) -> [Shape.Part] {
        polygons.compactMap { polygon in
            let rings = polygon.compactMap { ring in Shape.Path(ring: ring.map(\.coordinate)) }
            return rings.isEmpty || rings.count < polygon.count ? nil : .polygon(rings)
        }
    }
}

/// Longitude and latitude; a height is ignored.
private struct Position: Decodable {
    var coordinate: Coordinate

    init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        let longitude = try numbers.decode(Double.self)
        let latitude = try numbers.decode(Double.self)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(in: numbers, debugDescription: "not on Earth")
        }
        self.coordinate = coordinate
    }
}
