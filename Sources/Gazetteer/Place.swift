public import Model

/// A place of the table: a city, a division of a country, or a country.
public struct Place: Sendable, Hashable {
    /// What sort of place it is, smallest first.
    public enum Kind: String, Sendable, CaseIterable {
        /// A populated place.
        case city
        /// A second-level division (GeoNames admin2), such as a county.
        case district
        /// A first-level division (GeoNames admin1), such as a state.
        case region
        /// A country.
        case country
    }

    /// What sort of place it is.
    public var kind: Kind
    /// Its name for ever within its table: `geonames:2950159`, `maxmind:17`, `country:FR`, `region:US.CA`,
    /// `district:US.CA.037`.
    public var id: String
    /// GeoNames' number of it, where the table has one.
    public var geonameID: Int64?
    /// Its own name, with accents.
    public var name: String
    /// ISO 3166-1 alpha-2 code of its country, upper case.
    public var country: String
    /// First-level division: GeoNames' admin1 code; empty when unknown; one that begins with `~` is MaxMind's and
    /// joins nothing.
    public var region: String
    /// Second-level division (GeoNames' admin2 code); empty when unknown.
    public var district: String
    /// Inhabitants; 0: unknown.
    public var population: Int64
    /// GeoNames' feature code, such as `PPLC` for a capital; empty when unknown.
    public var feature: String
    /// A city's own point; for an area the middle of its cities, weighted by their inhabitants, or where the table has
    /// none of them, that of the area around it.
    public var coordinate: Coordinate
    /// How exact the coordinate is; never a point. An area that is put in the middle of the one around it is no more
    /// exact than that.
    public var precision: Location.Precision

    /// Creates a place.
    public init(
        kind: Kind, id: String, geonameID: Int64? = nil, name: String, country: String, region: String = "",
        district: String = "", population: Int64 = 0, feature: String = "", coordinate: Coordinate,
        precision: Location.Precision? = nil
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
    }
}

extension Location.Precision {
    /// How exact the own coordinate of a place is.
    fileprivate init(_ kind: Place.Kind) {
        switch kind {
        case .city: self = .city
        case .district, .region: self = .region
        case .country: self = .country
        }
    }
}
