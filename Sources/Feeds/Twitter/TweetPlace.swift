import Model
import Reading

/// The place attached to a message: v1.1 `place` or an element of v2 `includes.places`.
struct TweetPlace {
    private(set) var id: JSONValue?
    /// `poi`, `neighborhood`, `city`, `admin` or `country`.
    private(set) var type: String?
    private(set) var country: JSONValue?
    private var name: JSONValue?
    private var fullName: JSONValue?
    private var countryCode: JSONValue?
    /// v1.1: an open ring of four points, longitude first.
    private var ring: JSONValue?
    /// v2: west, south, east, north.
    private var edges: JSONValue?

    init(_ place: JSONValue) {
        for (key, value) in place.members where !value.isNull {
            switch key {
            case "id": id = value
            case "place_type": type = value.string
            case "name": name = value
            case "full_name": fullName = value
            case "country": country = value
            case "country_code": countryCode = value
            case "bounding_box": ring = value["coordinates"]?.elements.first { _ in true }
            case "geo": edges = value["bbox"]
            default: break
            }
        }
    }

    /// Creates a place of which the response has only the id.
    init(id: JSONValue) { self.id = id }

    /// The place in words with its country: `Las Condes, Chile`, `Pleasanton, CA, United States`.
    var text: String? {
        let country = TweetText.oneLine(self.country)
        guard let own = TweetText.oneLine(fullName) ?? TweetText.oneLine(name) else { return country }
        guard let country, !own.hasSuffix(country) else { return own }
        if own.hasSuffix("USA"), countryCode?.string == "US" { return own }
        return own + ", " + country
    }

    /// The precision of the box's centre; nil for a country, whose centre says nothing about the message.
    var precision: Location.Precision? {
        switch type {
        case "country": nil
        case "poi": .point
        case "neighborhood", "city": .city
        default: .region
        }
    }

    /// Whether the response has coordinates of the place.
    var hasBox: Bool { ring != nil || edges != nil }

    /// The place's box; nil when the numbers are no box on Earth or are all zero.
    var box: BoundingBox? {
        var extent = Extent()
        if let edges {
            let numbers = edges.elements.prefix(5).map { $0.double ?? .nan }
            guard numbers.count == 4 else { return nil }
            // The box already follows RFC 7946 §5.2 for crossing 180°.
            if numbers[0] > numbers[2] {
                return BoundingBox(west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
            }
            extent.add(longitude: numbers[0], latitude: numbers[1])
            extent.add(longitude: numbers[2], latitude: numbers[3])
        } else if let ring {
            for point in ring.elements {
                let numbers = point.elements.prefix(2).map { $0.double ?? .nan }
                guard numbers.count >= 2 else { return nil }
                extent.add(longitude: numbers[0], latitude: numbers[1])
            }
        }
        return extent.box
    }

    /// The box around some points. Apart from countries, Twitter has no place wider than 180°. An apparently wider one
    /// (Fiji) crosses 180°, and its edges are the points nearest to the other half.
    ///
    /// Islands on 180° itself hide those edges (Alaska: -179.2 and 179.8). The remaining sliver, far taller than wide,
    /// is refused.
    private struct Extent {
        private var west = Double.infinity
        private var east = -Double.infinity
        private var south = Double.infinity
        private var north = -Double.infinity
        private var leastEastern = Double.infinity
        private var leastWestern = -Double.infinity
        private var isBroken = false

        mutating func add(longitude: Double, latitude: Double) {
            guard longitude.isFinite, latitude.isFinite else {
                isBroken = true
                return
            }
            west = min(west, longitude)
            east = max(east, longitude)
            south = min(south, latitude)
            north = max(north, latitude)
            if longitude > 0 { leastEastern = min(leastEastern, longitude) }
            if longitude <= 0 { leastWestern = max(leastWestern, longitude) }
        }

        var box: BoundingBox? {
            guard !isBroken, !(west == 0 && east == 0 && south == 0 && north == 0) else { return nil }
            guard east - west > 180 else { return BoundingBox(west: west, south: south, east: east, north: north) }
            guard north - south <= 5 * (360 + leastWestern - leastEastern) else { return nil }
            return BoundingBox(west: leastEastern, south: south, east: leastWestern, north: north)
        }
    }
}
