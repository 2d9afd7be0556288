import Foundation

/// A point on Earth in WGS 84 degrees.
public struct Coordinate: Sendable, Hashable {
    /// Degrees north, -90…90.
    public let latitude: Double
    /// Degrees east, -180…180.
    public let longitude: Double

    /// The Earth's mean radius in kilometres (IUGG R₁).
    public static let earthRadius = 6371.0088

    /// Creates a point; nil unless both are finite, the latitude is within ±90, and the longitude, which is wrapped
    /// into ±180, within ±540.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 540 else { return nil }
        self.latitude = latitude
        self.longitude = Coordinate.wrapped(longitude)
    }

    /// Whether the point is 0,0 in the Gulf of Guinea, by which feeds, services and tables mean "unknown".
    public var isNowhere: Bool { latitude == 0 && longitude == 0 }

    /// Wraps a finite longitude into -180…180. Both ends stay as given.
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

    /// The point at a distance in kilometres, 0 or more, in a direction: degrees clockwise from north at this point, along
    /// the great circle of `distance(to:)`. Nil for numbers that are not finite.
    public func moved(kilometres: Double, bearing: Double) -> Coordinate? {
        let radians = Double.pi / 180
        let (arc, angle, own) = (kilometres / Coordinate.earthRadius, bearing * radians, latitude * radians)
        let sine = sin(own) * cos(arc) + cos(own) * sin(arc) * cos(angle)
        let turn = atan2(sin(angle) * sin(arc) * cos(own), cos(arc) - sin(own) * sine)
        return Coordinate(latitude: asin(max(-1, min(1, sine))) / radians, longitude: longitude + turn / radians)
    }

    /// The direction of another point: degrees clockwise from north, 0…360, where the great circle to it begins. Of a
    /// pole it is reckoned from the meridian of the pole's longitude; 0 if both points are one.
    public func bearing(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let (own, far, turn) = (latitude * radians, other.latitude * radians, (other.longitude - longitude) * radians)
        let angle = atan2(sin(turn) * cos(far), cos(own) * sin(far) - sin(own) * cos(far) * cos(turn)) / radians
        return angle < 0 ? angle + 360 : angle
    }

    /// The normalised mean of the unit vectors of a ring, line or set of points; correct across 180° and at the poles.
    /// A closing point equal to the first counts once. Nil for no points, and where the vectors cancel out.
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

/// The compass.
public enum Compass {
    /// Its sixteen points, clockwise from north, 22.5° apart.
    public static let points = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// The point next to a bearing in degrees clockwise from north; `N` for one that is not finite.
    public static func point(_ bearing: Double) -> String {
        let turn = bearing.truncatingRemainder(dividingBy: 360) + 360
        return points[Int(clamping: (turn / 22.5).rounded()) % points.count]
    }
}

/// A box in degrees; it crosses 180° if west is greater than east.
public struct BoundingBox: Sendable, Hashable {
    /// Western edge, -180…180.
    public let west: Double
    /// Southern edge, -90…90.
    public let south: Double
    /// Eastern edge, -180…180.
    public let east: Double
    /// Northern edge, -90…90.
    public let north: Double

    /// Creates a box; nil unless the edges are finite, latitudes within ±90, and south is not above north. Longitudes
    /// up to ±540 are wrapped into ±180.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard let southWest = Coordinate(latitude: south, longitude: west),
            let northEast = Coordinate(latitude: north, longitude: east), south <= north
        else { return nil }
        self.west = southWest.longitude
        self.south = south
        self.east = northEast.longitude
        self.north = north
    }

    /// The smallest box round boxes of which none crosses 180°, which does not cross it either; nil for none.
    public init?(round boxes: [BoundingBox]) {
        guard let west = boxes.map(\.west).min(), let south = boxes.map(\.south).min(),
            let east = boxes.map(\.east).max(), let north = boxes.map(\.north).max()
        else { return nil }
        self.init(west: west, south: south, east: east, north: north)
    }

    /// The smallest box round a circle on the sphere, a thousandth of a degree wider on each side; it spans all longitudes
    /// where the circle reaches a pole. Never nil for finite kilometres; negative ones count as 0.
    public init?(round centre: Coordinate, kilometres: Double) {
        let radius = max(0, kilometres) / Coordinate.earthRadius
        let degrees = radius * 180 / .pi + 0.001
        let (south, north) = (centre.latitude - degrees, centre.latitude + degrees)
        // The circle's widest longitude is nearer the pole than its centre.
        let width = asin(min(1, sin(radius) / cos(centre.latitude * .pi / 180))) * 180 / .pi + 0.001
        guard south > -90, north < 90, radius < .pi / 2, width < 179 else {
            self.init(west: -180, south: max(-90, south), east: 180, north: min(90, north))
            return
        }
        self.init(
            west: Coordinate.wrapped(centre.longitude - width), south: south,
            east: Coordinate.wrapped(centre.longitude + width), north: north)
    }

    /// Whether the box crosses 180°; a box that ends there does not.
    public var crossesAntimeridian: Bool { west > east }

    /// The other longitude, -180 or 180, of an edge on the antimeridian; nil unless exactly one edge lies there.
    public var otherEdge: Double? {
        guard !crossesAntimeridian, (east == 180) != (west == -180) else { return nil }
        return east == 180 ? -180 : 180
    }

    /// The centre of the box in degrees, also across 180°; never nil, since the edges are in range.
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

/// The position of an event, and how it was found.
public struct Location: Sendable, Hashable {
    /// The exactness of a location; the raw value is the word in the database and in outputs.
    public enum Precision: String, Sendable, CaseIterable {
        /// Exact to a spot.
        case point
        /// Exact to a town.
        case city
        /// Exact to an area larger than a town, such as a state.
        case region
        /// Exact to a country.
        case country
    }

    /// The position, WGS 84 degrees.
    public var coordinate: Coordinate
    /// How the position was found.
    public var method: Method
    /// The exactness; a country or region is never a point.
    public var precision: Precision
    /// Confidence in the place, 0…1; 1 (the default) for the feed's own geometry.
    public var confidence: Double
    /// The text that the place was found in; nil when the feed or the operator gave the place.
    public var matchedText: String?
    /// The name of the place with those of its region and country, in the words of the city table or the service:
    /// `Anda, Heilongjiang, China`; of a volcano its own, of a corrected place the operator's. Nil when the feed gave the
    /// geometry.
    public var name: String?
    /// The kind of that text; nil when the feed or the operator gave the place.
    public var evidence: PlaceEvidence?
    /// Id in the city table or at the service: `geonames:2950159`, `country:FR`, `osm:node/123`; nil where it has none.
    public var placeID: String?
    /// ISO 3166-1 alpha-2 code, in upper case, of the place's country by the city table or the service; nil when the
    /// feed gave the geometry or the service names none.
    public var country: String?
    /// How far the cities of the area lie from the position, in kilometres: the root mean square of the distances,
    /// weighted by inhabitants; of a place at a distance from a town, and of the operator's, how far it may be off. Nil
    /// for a city, for a position from the feed or a service, and if not known.
    public var radius: Double?

    /// Creates a location with unchecked values; by default the feed's own point, with confidence 1.
    public init(
        _ coordinate: Coordinate, method: Method = .coordinates, precision: Precision = .point,
        confidence: Double = 1, matchedText: String? = nil, name: String? = nil, evidence: PlaceEvidence? = nil,
        placeID: String? = nil, country: String? = nil, radius: Double? = nil
    ) {
        self.coordinate = coordinate
        self.method = method
        self.precision = precision
        self.confidence = confidence
        self.matchedText = matchedText
        self.name = name
        self.evidence = evidence
        self.placeID = placeID
        self.country = country
        self.radius = radius
    }
}
