import Foundation
import GRDBSQLite
import Model
import SQLite
import Store
import TestSupport
import Testing

@testable import Gazetteer

/// A small city table on disk for tests of names; positions and populations are GeoNames' own, rounded.
final class TestTable {
    /// A city and its other names.
    struct City {
        var id: Int64
        var name: String
        var population: Int64
        var country: String
        var region: String
        var latitude: Double
        var longitude: Double
        var feature = "PPL"
        var district = ""
        var others: [String] = []
    }

    /// A country (`FR`), region (`US.TX`) or district (`US.PA.011`).
    struct Area {
        var code: String
        var name: String
        var population: Int64
        var latitude: Double
        var longitude: Double

        var kind: Place.Kind {
            switch code.count(where: { $0 == "." }) {
            case 0: .country
            case 1: .region
            default: .district
            }
        }
    }

    private let directory = TemporaryDirectory()
    let table: CityTable

    /// Writes the table and opens it.
    init(cities: [City] = TestTable.cities, areas: [Area] = TestTable.areas) throws {
        let path = directory.path + "/cities.sqlite"
        try Self.write(cities: cities, areas: areas, to: path)
        table = try CityTable(path: path)
    }

    private static func write(cities: [City], areas: [Area], to path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        let handle = try #require(opened)
        defer { sqlite3_close_v2(handle) }
        try #require(code == SQLITE_OK)
        let alternates = cities.reduce(0) { $0 + $1.others.count }
        let setup = """
            PRAGMA application_id = \(CityTableSchema.applicationID);
            PRAGMA user_version = \(CityTableSchema.version);
            \(CityTableSchema.tables)
            INSERT INTO meta VALUES ('generation', '0123456789abcdef'), ('seeded_ms', '1790000000000'),
              ('inputs', '["test"]'), ('cities', '\(cities.count)'), ('alternates', '\(alternates)'),
              ('areas', '\(areas.count)');
            """
        try #require(sqlite3_exec(handle, setup, nil, nil, nil) == SQLITE_OK)
        try insert(cities, areas, on: Connection(handle: handle))
        try #require(sqlite3_exec(handle, CityTableSchema.index, nil, nil, nil) == SQLITE_OK)
    }

    private static func insert(_ cities: [City], _ areas: [Area], on connection: Connection) throws {
        let city = try connection.prepare(
            """
            INSERT INTO city (id, key, population, country, region, latitude, longitude, name, district, feature)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let alternate = try connection.prepare("INSERT OR IGNORE INTO alternate (key, weight, city) VALUES (?, ?, ?)")
        for row in cities {
            city.bind(row.id)
            city.bind(NameKey(folded: NameFolding.folded(row.name).utf8).rawValue)
            city.bind(row.population)
            city.bind(row.country)
            city.bind(row.region)
            city.bind(Int64(clamping: (row.latitude * 1e7).rounded()))
            city.bind(Int64(clamping: (row.longitude * 1e7).rounded()))
            city.bind(row.name)
            city.bind(row.district)
            city.bind(row.feature)
            try city.run()
            for other in row.others {
                alternate.bind(NameKey(folded: NameFolding.folded(other).utf8).rawValue)
                alternate.bind(row.population)
                alternate.bind(row.id)
                try alternate.run()
            }
        }
        let area = try connection.prepare(
            """
            INSERT INTO area (kind, code, name, geoname_id, population, latitude, longitude)
            VALUES (?, ?, ?, NULL, ?, ?, ?)
            """)
        let name = try connection.prepare("INSERT INTO area_name (key, kind, code, is_code) VALUES (?, ?, ?, 0)")
        for row in areas {
            area.bind(row.kind.rawValue)
            area.bind(row.code)
            area.bind(row.name)
            area.bind(row.population)
            area.bind(Int64(clamping: (row.latitude * 1e7).rounded()))
            area.bind(Int64(clamping: (row.longitude * 1e7).rounded()))
            try area.run()
            name.bind(NameKey(folded: NameFolding.folded(row.name).utf8).rawValue)
            name.bind(row.kind.rawValue)
            name.bind(row.code)
            try name.run()
        }
    }

    // MARK: - Content

    private static func city(
        _ id: Int64, _ name: String, _ population: Int64, _ country: String, _ region: String, _ latitude: Double,
        _ longitude: Double, _ feature: String = "PPL", _ others: [String] = []
    ) -> City {
        City(
            id: id, name: name, population: population, country: country, region: region, latitude: latitude,
            longitude: longitude, feature: feature, others: others)
    }

    /// The default cities of the table. `Assad` and `Null Point` are no real places.
    static let cities: [City] = [
        city(2_988_507, "Paris", 2_138_551, "FR", "A8", 48.8534, 2.3488, "PPLC"),
        city(4_717_560, "Paris", 24_782, "US", "TX", 33.6609, -95.5555),
        city(2_996_944, "Lyon", 472_317, "FR", "84", 45.7485, 4.8467, "PPLA"),
        city(2_990_440, "Nice", 338_620, "FR", "93", 43.7031, 7.2661, "PPLA2"),
        city(2_643_743, "London", 7_556_900, "GB", "ENG", 51.5085, -0.1257, "PPLC"),
        city(6_058_560, "London", 346_765, "CA", "08", 42.9834, -81.233),
        city(2_639_577, "Reading", 244_070, "GB", "ENG", 51.4563, -0.9711),
        city(5_207_728, "Reading", 88_082, "US", "PA", 40.3356, -75.9269),
        city(6_167_865, "Toronto", 2_600_000, "CA", "08", 43.7001, -79.4163, "PPLA"),
        city(2_950_159, "Berlin", 3_426_354, "DE", "16", 52.5244, 13.4105, "PPLC"),
        city(2_867_714, "Munich", 1_260_391, "DE", "02", 48.1374, 11.5755, "PPLA", ["München"]),
        city(2_911_298, "Hamburg", 1_739_117, "DE", "04", 53.5753, 10.0153, "PPLA"),
        city(2_911_522, "Halle", 232_963, "DE", "14", 51.4816, 11.9795),
        city(2_657_896, "Zürich", 341_730, "CH", "ZH", 47.3667, 8.55, "PPLA"),
        city(99_072, "Mosul", 1_739_800, "IQ", "15", 36.335, 43.1189, "PPLA"),
        city(98_182, "Baghdad", 5_672_513, "IQ", "07", 33.3406, 44.4009, "PPLC"),
        city(524_901, "Moscow", 10_381_222, "RU", "48", 55.7522, 37.6156, "PPLC"),
        city(5_389_489, "Sacramento", 490_712, "US", "CA", 38.5816, -121.4944, "PPLA"),
        city(5_368_361, "Los Angeles", 3_971_883, "US", "CA", 34.0522, -118.2437, "PPLA2"),
        city(4_140_963, "Washington", 601_723, "US", "DC", 38.8951, -77.0364, "PPLC", ["Washington, D.C."]),
        city(5_128_581, "New York City", 8_175_133, "US", "NY", 40.7143, -74.006, "PPL", ["New York"]),
        city(4_699_066, "Houston", 2_296_224, "US", "TX", 29.7633, -95.3633, "PPLA2"),
        city(4_684_888, "Dallas", 1_300_092, "US", "TX", 32.7831, -96.8067, "PPLA2"),
        city(4_076_598, "Mobile", 194_288, "US", "AL", 30.6944, -88.043, "PPLA2"),
        city(4_250_542, "Springfield", 116_250, "US", "IL", 39.8017, -89.6437, "PPLA"),
        city(4_951_788, "Springfield", 153_060, "US", "MA", 42.1015, -72.5898),
        city(4_409_896, "Springfield", 166_810, "US", "MO", 37.2153, -93.2982),
        city(2_332_459, "Lagos", 9_000_000, "NG", "05", 6.4541, 3.3947, "PPLA"),
        city(2_267_226, "Lagos", 18_831, "PT", "08", 37.102, -8.6742),
        city(3_523_349, "Mérida", 777_615, "MX", "31", 20.9754, -89.617, "PPLA"),
        city(3_632_308, "Mérida", 300_000, "VE", "14", 8.589, -71.1561, "PPLA"),
        city(169_389, "Idlib", 128_840, "SY", "12", 35.9306, 36.6339, "PPLA"),
        city(1_850_147, "Tokyo", 8_336_599, "JP", "40", 35.6895, 139.6917, "PPLC", ["東京"]),
        city(900_000_001, "Assad", 200_000, "SY", "12", 35.5, 36.5),
        city(900_000_002, "Null Point", 200_000, "GB", "ENG", 0, 0),
        city(900_000_003, "Littleham", 2_000, "GB", "ENG", 50.6, -3.4),
    ]

    /// The default areas of the table.
    static let areas: [Area] = [
        Area(code: "FR", name: "France", population: 64_768_389, latitude: 47, longitude: 2),
        Area(code: "US", name: "United States", population: 310_232_863, latitude: 39.76, longitude: -98.5),
        Area(code: "GB", name: "United Kingdom", population: 62_348_447, latitude: 52, longitude: -1),
        Area(code: "CA", name: "Canada", population: 33_679_000, latitude: 45, longitude: -80),
        Area(code: "DE", name: "Germany", population: 81_802_257, latitude: 51.5, longitude: 10.5),
        Area(code: "CH", name: "Switzerland", population: 7_581_000, latitude: 47, longitude: 8),
        Area(code: "IQ", name: "Iraq", population: 29_671_605, latitude: 33, longitude: 44),
        Area(code: "RU", name: "Russia", population: 140_702_000, latitude: 56, longitude: 40),
        Area(code: "NG", name: "Nigeria", population: 154_000_000, latitude: 8, longitude: 6),
        Area(code: "PT", name: "Portugal", population: 10_676_000, latitude: 39.7, longitude: -8),
        Area(code: "MX", name: "Mexico", population: 112_468_855, latitude: 20, longitude: -100),
        Area(code: "VE", name: "Venezuela", population: 27_223_228, latitude: 9.5, longitude: -67),
        Area(code: "SY", name: "Syria", population: 22_198_110, latitude: 35, longitude: 37),
        Area(code: "JO", name: "Jordan", population: 6_407_085, latitude: 31.5, longitude: 36),
        Area(code: "JP", name: "Japan", population: 127_288_000, latitude: 35.5, longitude: 138),
        Area(code: "US.TX", name: "Texas", population: 25_000_000, latitude: 31, longitude: -97),
        Area(code: "US.CA", name: "California", population: 37_000_000, latitude: 35.5, longitude: -119),
        Area(code: "US.NY", name: "New York", population: 19_000_000, latitude: 41, longitude: -74.5),
        Area(code: "US.PA", name: "Pennsylvania", population: 12_700_000, latitude: 40.3, longitude: -76.5),
        Area(code: "US.AL", name: "Alabama", population: 4_700_000, latitude: 32.7, longitude: -86.8),
        Area(code: "US.IL", name: "Illinois", population: 12_700_000, latitude: 41, longitude: -88.5),
        Area(code: "US.DC", name: "Washington, D.C.", population: 601_723, latitude: 38.9, longitude: -77),
        Area(code: "CA.08", name: "Ontario", population: 12_800_000, latitude: 43.8, longitude: -79.5),
        Area(code: "GB.ENG", name: "England", population: 51_000_000, latitude: 52.2, longitude: -1),
        Area(code: "US.PA.011", name: "Berks County", population: 411_442, latitude: 40.4, longitude: -75.9),
    ]
}
