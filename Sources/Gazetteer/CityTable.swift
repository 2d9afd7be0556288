public import Foundation
import GRDBSQLite
import Model
import SQLite

/// One generation of the city table, open for reading.
///
/// It keeps its file open when a newer generation replaces it, so answers stay consistent; `isCurrent` tells when to
/// open the table again. For one thread at a time.
public final class CityTable {
    /// A city with the looked-up name, and what ranks it; `city(_:)` reads the rest.
    public struct Candidate: Sendable, Hashable {
        /// Row of the city, for `city(_:)`: its GeoNames id, or 1000000000 and above for MaxMind's cities.
        public let row: Int64
        /// Inhabitants; 0: unknown.
        public let population: Int64
        /// ISO 3166-1 alpha-2 code, upper case.
        public let country: String
        /// First-level division, as in `Place.region`; empty if unknown.
        public let region: String
        /// Whether the looked-up name is another name of the city, not its own.
        public let isAlternate: Bool
    }

    /// An area with the looked-up name.
    public struct Area: Sendable, Hashable {
        /// The country or division; `Place.kind` tells which.
        public let place: Place
        /// Whether the name is a code or abbreviation (`US`, `CA`, `Calif.`); false for a name in full.
        public let isCode: Bool
    }

    /// Path of the file, as given to `init`.
    public let path: String
    /// Identifies the seeding that made the table: 16 hexadecimal digits, random, so a later one need not be greater.
    public let generation: String
    /// When the table was seeded, to the millisecond.
    public let seeded: Date
    /// Number of cities, as counted by the seeding.
    public let cityCount: Int
    /// Number of other names of cities, as counted by the seeding; 0: cities are found by their own names only.
    public let alternateCount: Int
    /// Countries by ISO 3166-1 alpha-2 code, upper case; one without cities has no coordinate and is missing.
    public let countries: [String: Place]
    /// First-level divisions by code (`US.CA`). One without cities has its country's coordinate, or is missing with it.
    public let regions: [String: Place]

    private let file: DatabaseFile
    private let connection: Connection
    private let inode: UInt64
    private var areas: [NameKey: [Area]] = [:]
    private let districtCount: Int64
    private let findCities: Statement
    private let findCitiesInCountry: Statement
    private let findCitiesInRegion: Statement
    private let findAlternates: Statement
    private let findPlaces: Statement
    private let findAlternatePlaces: Statement
    private let loadCity: Statement
    private let findDistricts: Statement

    /// Opens the table at `path`; it stays open until the instance is dropped.
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - isMapped: Whether the file is mapped into memory. That is slightly faster, but the process is killed
    ///     (SIGBUS) if the file is truncated, so a daemon must not do it. Default false.
    /// - Throws: `GazetteerError`: `notSeeded` if there is no file; `notATable` for another SQLite database or layout
    ///   version; `unreadable` if the file is damaged, is no SQLite database or may not be read.
    public init(path: String, isMapped: Bool = false) throws(GazetteerError) {
        self.path = path
        guard let inode = Self.inode(of: path) else { throw Self.absence(of: path, errno) }
        self.inode = inode
        file = try Self.open(path)
        connection = file.connection
        do {
            let connection = connection
            try connection.run("PRAGMA mmap_size = \(isMapped ? 1 << 30 : 0)")
            try connection.run("PRAGMA cache_size = -2048")
            let application = try connection.firstInt64("PRAGMA application_id") ?? 0
            let version = try connection.firstInt64("PRAGMA user_version") ?? 0
            guard application == CityTableSchema.applicationID, version == CityTableSchema.version else {
                throw GazetteerError(
                    .notATable, "\(path) is no city table of this version; seed it again: visiventd seed cities FILE")
            }
            let meta = try Self.meta(connection)
            generation = meta["generation"] ?? ""
            seeded = Date(milliseconds: meta["seeded_ms"].flatMap { Int64($0) } ?? 0)
            cityCount = meta["cities"].flatMap { Int($0) } ?? 0
            alternateCount = meta["alternates"].flatMap { Int($0) } ?? 0
            // Tables of older programs lack the column.
            let lacksRadius =
                try connection.firstInt64(
                    "SELECT 1 FROM pragma_table_info('area') WHERE name = 'radius_km'") == nil
            let radius = lacksRadius ? "NULL" : "a.radius_km"
            (countries, regions, areas) = try Self.areas(connection, radius: radius)
            districtCount = try connection.firstInt64("SELECT count(*) FROM area WHERE kind = 'district'") ?? 0
            let columns = "SELECT id, population, country, region FROM city WHERE key = ?"
            findCities = try connection.prepare("\(columns) ORDER BY population DESC LIMIT ?")
            findCitiesInCountry = try connection.prepare(
                "\(columns) AND country = ? ORDER BY population DESC LIMIT ?")
            findCitiesInRegion = try connection.prepare(
                "\(columns) AND country = ? AND region = ? ORDER BY population DESC LIMIT ?")
            findAlternates = try connection.prepare(
                """
                SELECT c.id, c.population, c.country, c.region FROM alternate a JOIN city c ON c.id = a.city
                WHERE a.key = ? ORDER BY a.weight DESC LIMIT ?
                """)
            let all = [
                "id", "population", "country", "region", "latitude", "longitude", "name", "district", "feature",
            ].map { "c.\($0)" }.joined(separator: ", ")
            findPlaces = try connection.prepare(
                "SELECT \(all) FROM city c WHERE c.key = ? ORDER BY c.population DESC LIMIT ?")
            findAlternatePlaces = try connection.prepare(
                """
                SELECT \(all) FROM alternate a JOIN city c ON c.id = a.city
                WHERE a.key = ? ORDER BY a.weight DESC LIMIT ?
                """)
            loadCity = try connection.prepare("SELECT \(all) FROM city c WHERE c.id = ?")
            findDistricts = try connection.prepare(
                """
                SELECT a.code, a.name, a.geoname_id, a.population, a.latitude, a.longitude, \(radius), n.is_code
                FROM area_name n JOIN area a ON a.kind = n.kind AND a.code = n.code
                WHERE n.key = ? AND n.kind = 'district' ORDER BY a.population DESC LIMIT ?
                """)
        } catch let error as GazetteerError {
            throw error
        } catch {
            throw .unreadable(table: path, error)
        }
    }

    /// Whether the file at the path is still the open one; false after another seeding, and if there is none.
    public var isCurrent: Bool { Self.inode(of: path) == inode }

    // MARK: - Names

    /// Cities with the name as their own, most populous first, then those with it as another name, in the same order.
    /// Empty if there are none.
    /// - Parameter limit: The most cities of either group, default 50; a name may have thousands.
    /// - Throws: `GazetteerError` (`unreadable`).
    public func cities(named key: NameKey, limit: Int = 50) throws(GazetteerError) -> [Candidate] {
        try reading {
            findCities.bind(key.rawValue)
            findCities.bind(limit)
            var found = try candidates(findCities, isAlternate: false)
            if alternateCount > 0 {
                findAlternates.bind(key.rawValue)
                findAlternates.bind(limit)
                for candidate in try candidates(findAlternates, isAlternate: true)
                where !found.contains(where: { $0.row == candidate.row }) {
                    found.append(candidate)
                }
            }
            return found
        }
    }

    /// Cities with the name in a country or in one of its first-level divisions, in the same order; empty if there are
    /// none.
    /// - Parameters:
    ///   - country: ISO 3166-1 alpha-2 code, upper case.
    ///   - region: The division, as in `Place.region`; nil: the whole country.
    ///   - limit: The most cities with the name as their own, default 50. Of those with it as another name only the 500
    ///     most populous of the world are searched.
    /// - Throws: `GazetteerError` (`unreadable`).
    public func cities(
        named key: NameKey, in country: String, region: String? = nil, limit: Int = 50
    ) throws(GazetteerError) -> [Candidate] {
        try reading {
            let find = region == nil ? findCitiesInCountry : findCitiesInRegion
            find.bind(key.rawValue)
            find.bind(country)
            if let region { find.bind(region) }
            find.bind(limit)
            var found = try candidates(find, isAlternate: false)
            if alternateCount > 0 {
                findAlternates.bind(key.rawValue)
                findAlternates.bind(500)
                for candidate in try candidates(findAlternates, isAlternate: true)
                where candidate.country == country && (region == nil || candidate.region == region)
                    && !found.contains(where: { $0.row == candidate.row })
                {
                    found.append(candidate)
                }
            }
            return found
        }
    }

    /// Countries and first-level divisions with the name, countries first; codes included. Empty if there are none.
    /// They are in memory, so nothing is read.
    public func areas(named key: NameKey) -> [Area] { areas[key] ?? [] }

    /// Second-level divisions with the name, most populous first; codes included. Empty if there are none.
    /// - Parameter limit: The most divisions, default 50.
    /// - Throws: `GazetteerError` (`unreadable`).
    public func districts(named key: NameKey, limit: Int = 50) throws(GazetteerError) -> [Area] {
        guard districtCount > 0 else { return [] }
        return try reading {
            findDistricts.bind(key.rawValue)
            findDistricts.bind(limit)
            defer { findDistricts.reset() }
            var found: [Area] = []
            while try findDistricts.step() {
                let place = Self.area(findDistricts, kind: .district) { country, region in
                    regions["\(country).\(region)"] ?? countries[country]
                }
                guard let place else { continue }
                found.append(Area(place: place, isCode: findDistricts.int64(7) != 0))
            }
            return found
        }
    }

    /// The city in a row (`Candidate.row`); nil if there is none or it has no valid position.
    /// - Throws: `GazetteerError` (`unreadable`).
    public func city(_ row: Int64) throws(GazetteerError) -> Place? {
        try reading {
            loadCity.bind(row)
            guard try loadCity.step() else { return nil }
            defer { loadCity.reset() }
            return Self.city(loadCity)
        }
    }

    /// The cities with the name, in the order of `cities(named:limit:)`, read whole.
    /// - Parameter limit: The most cities with the name as their own, and of those with it as another name.
    func places(
        named key: NameKey, limit: Int
    ) throws(GazetteerError) -> [(place: Place, isAlternate: Bool)] {
        try reading {
            var found: [(place: Place, isAlternate: Bool)] = []
            for find in alternateCount > 0 ? [findPlaces, findAlternatePlaces] : [findPlaces] {
                find.bind(key.rawValue)
                find.bind(limit)
                defer { find.reset() }
                while try find.step() {
                    guard let place = Self.city(find), !found.contains(where: { $0.place.id == place.id }) else {
                        continue
                    }
                    found.append((place, find === findAlternatePlaces))
                }
            }
            return found
        }
    }

    /// The name of a place for people, with those of its first-level division and its country, neighbours of one name
    /// once: `Anda, Heilongjiang, China`, `Singapore`. A country that the table lacks has its code. Nothing is read.
    public func name(of place: Place) -> String {
        let isArea = place.kind == .region || place.kind == .country
        let region = isArea ? nil : regions["\(place.country).\(place.region)"]?.name
        let country = place.kind == .country ? nil : countries[place.country]?.name ?? place.country
        var names = [place.name]
        for name in [region, country].compactMap({ $0 }) where name != names.last { names.append(name) }
        return names.joined(separator: ", ")
    }

    // MARK: - Rows

    private func candidates(_ find: Statement, isAlternate: Bool) throws -> [Candidate] {
        defer { find.reset() }
        var found: [Candidate] = []
        while try find.step() {
            found.append(
                Candidate(
                    row: find.int64(0), population: find.int64(1), country: find.string(2), region: find.string(3),
                    isAlternate: isAlternate))
        }
        return found
    }

    private func reading<T>(_ body: () throws -> T) throws(GazetteerError) -> T {
        do {
            return try body()
        } catch {
            throw .unreadable(table: path, error)
        }
    }

    private static func meta(_ connection: Connection) throws -> [String: String] {
        let find = try connection.prepare("SELECT key, value FROM meta")
        var meta: [String: String] = [:]
        while try find.step() { meta[find.string(0)] = find.string(1) }
        return meta
    }

    /// Countries and first-level divisions with their names: a few thousand, kept in memory.
    private static func areas(
        _ connection: Connection, radius: String
    ) throws -> (countries: [String: Place], regions: [String: Place], names: [NameKey: [Area]]) {
        var byKind: [Place.Kind: [String: Place]] = [.country: [:], .region: [:]]
        for kind in [Place.Kind.country, .region] {
            let load = try connection.prepare(
                """
                SELECT a.code, a.name, a.geoname_id, a.population, a.latitude, a.longitude, \(radius) FROM area a
                WHERE a.kind = ?
                """)
            load.bind(kind.rawValue)
            while try load.step() {
                let countries = byKind[.country] ?? [:]
                guard let place = area(load, kind: kind, around: { country, _ in countries[country] }) else { continue }
                byKind[kind]?[load.string(0)] = place
            }
        }
        var names: [NameKey: [Area]] = [:]
        let find = try connection.prepare(
            "SELECT key, kind, code, is_code FROM area_name WHERE kind <> 'district' ORDER BY key, kind, code")
        while try find.step() {
            guard let kind = Place.Kind(rawValue: find.string(1)), let place = byKind[kind]?[find.string(2)] else {
                continue
            }
            names[NameKey(rawValue: find.int64(0)), default: []].append(
                Area(place: place, isCode: find.int64(3) != 0))
        }
        return (byKind[.country] ?? [:], byKind[.region] ?? [:], names)
    }

    /// A city from the columns id, population, country, region, latitude, longitude, name, district, feature; nil if it
    /// has no valid position.
    private static func city(_ row: Statement) -> Place? {
        guard let coordinate = coordinate(row, latitude: 4, longitude: 5) else { return nil }
        let id = row.int64(0)
        let isMaxMind = id >= CityTableSchema.firstMaxMindID
        return Place(
            kind: .city, id: isMaxMind ? "maxmind:\(id - CityTableSchema.firstMaxMindID)" : "geonames:\(id)",
            geonameID: isMaxMind ? nil : id, name: row.string(6), country: row.string(2), region: row.string(3),
            district: row.string(7), population: row.int64(1), feature: row.string(8), coordinate: coordinate)
    }

    /// An area from the columns code, name, geoname_id, population, latitude, longitude, radius. An area without cities
    /// gets coordinate and radius of the area around it, by country and region; nil if that has none.
    private static func area(
        _ row: Statement, kind: Place.Kind, around: (_ country: String, _ region: String) -> Place?
    ) -> Place? {
        let code = row.string(0)
        let parts = code.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map { String($0) }
        let region = parts.count > 1 ? parts[1] : ""
        let own = coordinate(row, latitude: 4, longitude: 5)
        let outer = own == nil ? around(parts[0], region) : nil
        guard let coordinate = own ?? outer?.coordinate else { return nil }
        return Place(
            kind: kind, id: "\(kind.rawValue):\(code)", geonameID: row.optionalInt64(2), name: row.string(1),
            country: parts[0], region: region, district: parts.count > 2 ? parts[2] : "",
            population: row.int64(3), coordinate: coordinate, precision: outer?.precision,
            radius: outer.map(\.radius) ?? row.double(6))
    }

    private static func coordinate(_ row: Statement, latitude: Int32, longitude: Int32) -> Coordinate? {
        guard let latitude = row.optionalInt64(latitude), let longitude = row.optionalInt64(longitude) else {
            return nil
        }
        return Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    }

    // MARK: - The file

    static func inode(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The error for a table that cannot be read, by a value of errno(3).
    static func absence(of path: String, _ error: Int32) -> GazetteerError {
        guard error != ENOENT, error != ENOTDIR else {
            return GazetteerError(.notSeeded, "no city table at \(path); seed one with: visiventd seed cities FILE")
        }
        let advice = error == EACCES ? "; use the service's user, or join its group" : ""
        return GazetteerError(
            .unreadable, "the city table \(path) cannot be read: \(String(cString: strerror(error)))\(advice)")
    }

    /// Opens the file of a table, which nobody writes to.
    static func open(_ path: String) throws(GazetteerError) -> DatabaseFile {
        guard access(path, R_OK) == 0 else { throw absence(of: path, errno) }
        do { return try DatabaseFile(immutable: path) } catch {
            let code = (error as? SQLiteError)?.result ?? SQLITE_ERROR
            throw GazetteerError(.unreadable, "the city table \(path) cannot be opened (SQLite result \(code))")
        }
    }
}
