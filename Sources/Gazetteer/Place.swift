public import Model

/// A place of the table: a city, a division of a country, or a country.
public struct Place: Sendable, Hashable {
    /// The kind of a place, smallest first; the raw value begins the id of an area.
    public enum Kind: String, Sendable, CaseIterable {
        /// A populated place of any size, from a hamlet up.
        case city
        /// A second-level division (GeoNames admin2), such as a county.
        case district
        /// A first-level division (GeoNames admin1), such as a state.
        case region
        /// A country or territory with an ISO 3166-1 alpha-2 code.
        case country
    }

    /// City, division or country; it decides what `id`, `feature` and `coordinate` hold.
    public var kind: Kind
    /// A stable id within its table: `geonames:2950159`, `maxmind:17`, `country:FR`, `region:US.CA`,
    /// `district:US.CA.037`.
    public var id: String
    /// Id at GeoNames, 1 or more; nil for MaxMind's cities and for areas that come from no file.
    public var geonameID: Int64?
    /// Its own name, with accents; it may differ from the name that was looked up.
    public var name: String
    /// ISO 3166-1 alpha-2 code of the country, upper case.
    public var country: String
    /// First-level division by GeoNames' admin1 code; empty if unknown and for a country. A code that begins with `~`
    /// is MaxMind's and matches no area of the table.
    public var region: String
    /// Second-level division by GeoNames' admin2 code; empty if unknown, and for regions and countries.
    public var district: String
    /// Inhabitants, of a division those of its cities; 0: unknown.
    public var population: Int64
    /// GeoNames' feature code of a city, such as `PPLC` for a capital; empty if unknown, and for areas.
    public var feature: String
    /// The city's own position, WGS 84 degrees. For an area it is the middle of its cities, weighted by inhabitants;
    /// without cities that of the area around it.
    public var coordinate: Coordinate
    /// Exactness of the coordinate: `city`, `region` (also of a district) or `country`, never `point`. With the
    /// coordinate of the area around it, an area has its precision.
    public var precision: Location.Precision
    /// How far the cities of an area lie from its coordinate, in kilometres (`Location.radius`). With the coordinate of
    /// the area around it, an area has its radius. Nil for a city, for an area with one city, and in a table that was
    /// seeded before areas had one.
    public var radius: Double?

    /// Creates a place with these values, which are not checked; by default the precision is that of its kind.
    public init(
        kind: Kind, id: String, geonameID: Int64? = nil, name: String, country: String, region: String = "",
        district: String = "", population: Int64 = 0, feature: String = "", coordinate: Coordinate,
        precision: Location.Precision? = nil, radius: Double? = nil
    ) {
        self.kind = kind
        self.id = id
        self.geonameID = geonameID
        self.name = name
        self.country = country
        self.region = region
        self.district = district
        self.population = population
        self.feature = feature
        self.coordinate = coordinate
        self.precision = precision ?? Location.Precision(kind)
        self.radius = radius
    }
}

extension Location.Precision {
    /// Exactness of a place's own coordinate.
    fileprivate init(_ kind: Place.Kind) {
        switch kind {
        case .city: self = .city
        case .district, .region: self = .region
        case .country: self = .country
        }
    }
}
