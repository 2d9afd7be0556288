import Foundation

/// A point on Earth in WGS 84 degrees.
public struct Coordinate: Sendable, Hashable {
    /// Degrees north, -90…90.
    public let latitude: Double
    /// Degrees east, -180…180.
    public let longitude: Double

    /// The Earth's mean radius in kilometres (IUGG).
    public static let earthRadius = 6371.0088

    /// Returns nil unless both are finite and the latitude is within ±90; a longitude up to ±540 is wrapped into ±180.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 540 else { return nil }
        self.latitude = latitude
        self.longitude = Coordinate.wrapped(longitude)
    }

    /// Whether it is the point 0,0 in the Gulf of Guinea, which feeds, services and tables give for "unknown".
    public var isNowhere: Bool { latitude == 0 && longitude == 0 }

    /// Wraps a finite longitude into -180…180; both ends are kept as given.
    public static func wrapped(_ longitude: Double) -> Double {
        guard abs(longitude) > 180 else { return longitude }
        let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
        return (turned < 0 ? turned + 360 : turned) - 180
    }

    /// Great-circle distance in kilometres (haversine on a sphere of `earthRadius`).
    public func distance(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let latitudes = (other.latitude - latitude) * radians
        let longitudes = (other.longitude - longitude) * radians
        let a =
            pow(sin(latitudes / 2), 2) + cos(latitude * radians) * cos(other.latitude * radians)
            * pow(sin(longitudes / 2), 2)
        return 2 * Coordinate.earthRadius * asin(min(1, sqrt(a)))
    }

    /// The middle of a ring, line or set of points on the sphere (normalised mean of unit vectors), right across 180°
    /// and at the poles; a closing point equal to the first counts once.
    /// Nil for no points, and for points that balance out to no direction.
    public static func centre(of points: [Coordinate]) -> Coordinate? {
        var points = points[...]
        if points.count > 1, points.first == points.last { points = points.dropLast() }
        let radians = Double.pi / 180
        var (x, y, z) = (0.0, 0.0, 0.0)
        for point in points {
            x += cos(point.latitude * radians) * cos(point.longitude * radians)
            y += cos(point.latitude * radians) * sin(point.longitude * radians)
            z += sin(point.latitude * radians)
        }
        guard (x * x + y * y + z * z).squareRoot() > 1e-9 * Double(max(1, points.count)) else { return nil }
        return Coordinate(latitude: atan2(z, (x * x + y * y).squareRoot()) / radians, longitude: atan2(y, x) / radians)
    }
}

/// A box in degrees; one whose west is greater than its east crosses 180°.
public struct BoundingBox: Sendable, Hashable {
    /// Western edge, -180…180.
    public let west: Double
    /// Southern edge, -90…90.
    public let south: Double
    /// Eastern edge, -180…180.
    public let east: Double
    /// Northern edge, -90…90.
    public let north: Double

    /// Returns nil unless the edges are finite, in range and south is not above north.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard let southWest = Coordinate(latitude: south, longitude: west),
            let northEast = Coordinate(latitude: north, longitude: east), south <= north
        else { return nil }
        self.west = southWest.longitude
        self.south = south
        self.east = northEast.longitude
        self.north = north
    }

    /// Whether the box crosses 180°.
    public var crossesAntimeridian: Bool { west > east }

    /// The other name, -180 or 180, of the meridian at which the box ends or begins; nil: it goes across, all the way
    /// round, or not as far.
    public var otherEdge: Double? {
        guard !crossesAntimeridian, (east == 180) != (west == -180) else { return nil }
        return east == 180 ? -180 : 180
    }

    /// The middle of the box, right across 180°.
    public var centre: Coordinate? {
        let width = crossesAntimeridian ? east + 360 - west : east - west
        return Coordinate(latitude: (south + north) / 2, longitude: Coordinate.wrapped(west + width / 2))
    }

    /// Whether the point lies in the box, edges included.
    public func contains(_ point: Coordinate) -> Bool {
        guard (south...north).contains(point.latitude) else { return false }
        return crossesAntimeridian
            ? point.longitude >= west || point.longitude <= east : (west...east).contains(point.longitude)
    }
}

/// Where an event is, and how that was found.
public struct Location: Sendable, Hashable {
    /// How exact a location is.
    public enum Precision: String, Sendable, CaseIterable {
        /// The spot itself.
        case point
        /// A town.
        case city
        /// An area larger than a town.
        case region
        /// A whole country.
        case country
    }

    /// The coordinate.
    public var coordinate: Coordinate
    /// How it was found.
    public var method: Method
    /// How exact it is.
    public var precision: Precision
    /// How sure it is, 0…1.
    public var confidence: Double
    /// The text it was found from; nil when the feed gave the geometry itself.
    public var matchedText: String?
    /// Which of the event's texts that was; nil when the feed gave the geometry itself.
    public var evidence: PlaceEvidence?
    /// Its name in the city table or at the service: `geonames:2950159`, `country:FR`.
    public var placeID: String?
    /// ISO 3166-1 alpha-2 code, upper case, of the country in which the city table or a service has found it; nil when the
    /// feed gave the geometry itself, and where no service says.
    public var country: String?

    /// Creates a location; by default the feed's own point, exact and certain.
    public init(
        _ coordinate: Coordinate, method: Method = .coordinates, precision: Precision = .point,
        confidence: Double = 1, matchedText: String? = nil, evidence: PlaceEvidence? = nil, placeID: String? = nil,
        country: String? = nil
    ) {
        self.coordinate = coordinate
        self.method = method
        self.precision = precision
        self.confidence = confidence
        self.matchedText = matchedText
        self.evidence = evidence
        self.placeID = placeID
        self.country = country
    }
}
