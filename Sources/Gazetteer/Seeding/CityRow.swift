public import Model

/// A row of the table `city`, on its way from the input's bytes to SQLite's; texts are UTF-8.
struct CityRow {
    /// GeoNames' number, or one of our own for MaxMind's rows (`CityTableSchema.firstMaxMindID`).
    var id: Int64
    var key: NameKey
    var name: UnsafeBufferPointer<UInt8>
    /// Two capitals.
    var country: UnsafeBufferPointer<UInt8>
    /// See `Place.region`.
    var region: UnsafeBufferPointer<UInt8>
    var district = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var feature = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// 0: unknown.
    var population: Int64
    /// Whole 1e-7ths of a degree.
    var latitude: Int64
    var longitude: Int64

    /// Why a coordinate in 1e-7ths of a degree cannot be used; nil when it can.
    static func fault(latitude: Int64, longitude: Int64) -> RowFault? {
        guard (-900_000_000...900_000_000).contains(latitude), (-1_800_000_000...1_800_000_000).contains(longitude)
        else { return .outOfRange }
        return latitude == 0 && longitude == 0 ? .zeroCoordinates : nil
    }
}

/// A city to be put into a table, with its texts; for tables that are made by hand.
public struct CityRecord: Sendable, Hashable {
    /// GeoNames' number; nil: the next of our own.
    public var id: Int64?
    /// Its name.
    public var name: String
    /// Other names of it.
    public var otherNames: [String]
    /// ISO 3166-1 alpha-2 code, upper case.
    public var country: String
    /// See `Place.region`.
    public var region: String
    /// See `Place.district`.
    public var district: String
    /// Inhabitants; 0: unknown.
    public var population: Int64
    /// GeoNames' feature code.
    public var feature: String
    /// Where it is.
    public var coordinate: Coordinate

    /// Creates a record.
    public init(
        id: Int64? = nil, name: String, otherNames: [String] = [], country: String, region: String = "",
        district: String = "", population: Int64 = 0, feature: String = "", coordinate: Coordinate
    ) {
        self.id = id
        self.name = name
        self.otherNames = otherNames
        self.country = country
        self.region = region
        self.district = district
        self.population = population
        self.feature = feature
        self.coordinate = coordinate
    }
}

/// A country or a division of one to be put into a table. Its coordinate comes from its cities.
public struct AreaRecord: Sendable, Hashable {
    /// `country`, `region` or `district`; not `city`.
    public var kind: Place.Kind
    /// `FR`, `US.CA`, `US.CA.037`.
    public var code: String
    /// Its name.
    public var name: String
    /// Other names of it.
    public var otherNames: [String]
    /// Codes and abbreviations it goes by, its own code not included (`USA`, `Calif.`).
    public var abbreviations: [String]
    /// GeoNames' number.
    public var geonameID: Int64?
    /// Inhabitants of a country; 0: the sum of its cities'. Ignored for divisions, which always have that sum.
    public var population: Int64
    /// A country's languages as countryInfo lists them: `de-CH,fr-CH,it-CH,rm`.
    public var languages: String?

    /// Creates a record.
    public init(
        kind: Place.Kind, code: String, name: String, otherNames: [String] = [], abbreviations: [String] = [],
        geonameID: Int64? = nil, population: Int64 = 0, languages: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.name = name
        self.otherNames = otherNames
        self.abbreviations = abbreviations
        self.geonameID = geonameID
        self.population = population
        self.languages = languages
    }
}
