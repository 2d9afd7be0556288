/// The file of a city table: one SQLite database for each generation, never changed once it is in place.
///
/// Names are looked up by `NameKey`: a city's own name in `city`, its other names in `alternate`, names of areas in
/// `area_name`. The tables are private; `cities_v1` is for the user's queries.
enum CityTableSchema {
    /// `VISC`: marks the file as a city table (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x5649_5343
    /// Version of this layout (`PRAGMA user_version`); a table of another version must be seeded again.
    static let version: Int64 = 1
    /// First row id for MaxMind's table, which has no ids of its own. GeoNames' ids are below.
    static let firstMaxMindID: Int64 = 1_000_000_000

    /// SQL of the tables. Keys of `meta`: `generation` (16 hexadecimal digits), `seeded_ms`, `inputs` (JSON array of
    /// texts), `cities`, `alternates`, `areas` (counts).
    static let tables = """
        CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        -- Degrees are whole 1e-7ths: four bytes instead of eight. population 0: unknown. region: see Place.region.
        CREATE TABLE city (
          id INTEGER PRIMARY KEY,
          key INTEGER NOT NULL,
          population INTEGER NOT NULL,
          country TEXT NOT NULL,
          region TEXT NOT NULL,
          latitude INTEGER NOT NULL,
          longitude INTEGER NOT NULL,
          name TEXT NOT NULL,
          district TEXT,
          feature TEXT
        );
        -- Other names of a city; never its own. weight is the city's population, again.
        CREATE TABLE alternate (
          key INTEGER NOT NULL,
          weight INTEGER NOT NULL,
          city INTEGER NOT NULL,
          PRIMARY KEY (key, weight DESC, city)
        ) WITHOUT ROWID;
        -- kind: country, region or district; code: FR, US.CA, US.CA.037. Without cities of its own an area has no
        -- coordinate. languages: of a country, as countryInfo lists them. radius_km: see Place.radius; tables seeded by
        -- older programs lack it.
        CREATE TABLE area (
          kind TEXT NOT NULL,
          code TEXT NOT NULL,
          name TEXT NOT NULL,
          geoname_id INTEGER,
          population INTEGER NOT NULL,
          latitude INTEGER,
          longitude INTEGER,
          languages TEXT,
          radius_km REAL,
          PRIMARY KEY (kind, code)
        ) WITHOUT ROWID;
        -- is_code: 1 for an abbreviation (`US`, `Calif.`), 0 for a name.
        CREATE TABLE area_name (
          key INTEGER NOT NULL,
          kind TEXT NOT NULL,
          code TEXT NOT NULL,
          is_code INTEGER NOT NULL,
          PRIMARY KEY (key, kind, code)
        ) WITHOUT ROWID;
        CREATE VIEW cities_v1 AS
          SELECT id, name, country, region, district, nullif(population, 0) AS population, feature,
            latitude / 1e7 AS latitude, longitude / 1e7 AS longitude FROM city;
        """

    /// Created after the rows, because one sort is faster than keeping order. It covers the columns that rank a city.
    static let index = "CREATE INDEX city_name ON city (key, population DESC, country, region)"
}
