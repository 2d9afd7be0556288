public import Model

/// A row of the table `city` between the input's bytes and SQLite; texts are UTF-8.
struct CityRow {
    /// GeoNames id, or one of `CityTableSchema.firstMaxMindID` and above for MaxMind's rows.
    var id: Int64
    var key: NameKey
    var name: UnsafeBufferPointer<UInt8>
    /// ISO 3166-1 alpha-2 code, upper case.
    var country: UnsafeBufferPointer<UInt8>
    /// As `Place.region`.
    var region: UnsafeBufferPointer<UInt8>
    var district = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var feature = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Inhabitants; 0: unknown.
    var population: Int64
    /// Whole 1e-7ths of a degree.
    var latitude: Int64
    var longitude: Int64

    /// Why a coordinate in 1e-7ths of a degree is unusable; nil if it is usable.
    static func fault(latitude: Int64, longitude: Int64) -> RowFault? {
        guard (-900_000_000...900_000_000).contains(latitude), (-1_800_000_000...1_800_000_000).contains(longitude)
        else { return .outOfRange }
        return latitude == 0 && longitude == 0 ? .zeroCoordinates : nil
    }
}

/// A city to be added to a table by `CityTableBuilder.add`; for tables made by hand.
public struct CityRecord: Sendable, Hashable {
    /// GeoNames id, 1…999999999. Nil: `CityTableBuilder` gives the next id from 1000000000 on, as for MaxMind's rows.
    public var id: Int64?
    /// The city's own name, with accents; a city whose name has no letter or digit is not added.
    public var name: String
    /// Other names; duplicates, and those without a letter or digit, are ignored.
    public var otherNames: [String]
    /// ISO 3166-1 alpha-2 code, upper case.
    public var country: String
    /// First-level division, as in `Place.region`; empty if unknown.
    public var region: String
    /// Second-level division, as in `Place.district`; empty if unknown.
    public var district: String
    /// Inhabitants, 0 or more; 0: unknown.
    public var population: Int64
    /// GeoNames' feature code, such as `PPLC`; empty if unknown.
    public var feature: String
    /// The position, WGS 84 degrees; the table keeps it to 1e-7 degrees.
    public var coordinate: Coordinate

    /// Creates a record with these values, which are not checked. By default the id is nil, the rest empty or unknown.
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

/// A country or division to be added to a table by `CityTableBuilder.add`. Its coordinate is computed from its cities.
public struct AreaRecord: Sendable, Hashable {
    /// `country`, `region` or `district`; not `city`.
    public var kind: Place.Kind
    /// The country's code, then GeoNames' admin1 and admin2 codes after full stops: `FR`, `US.CA`, `US.CA.037`.
    public var code: String
    /// The area's own name, with accents; without a letter or digit it is never found by its name.
    public var name: String
    /// Other names; duplicates, and those without a letter or digit, are ignored.
    public var otherNames: [String]
    /// Codes and abbreviations by which it is found (`USA`, `Calif.`); a country's own code needs no mention.
    public var abbreviations: [String]
    /// GeoNames id; nil: unknown.
    public var geonameID: Int64?
    /// Inhabitants of a country; 0: the sum over its cities. Ignored for divisions, which always get that sum.
    public var population: Int64
    /// Languages of a country in the form of countryInfo: `de-CH,fr-CH,it-CH,rm`; nil: unknown.
    public var languages: String?

    /// Creates a record with these values, which are not checked. By default the other values are empty or unknown.
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
