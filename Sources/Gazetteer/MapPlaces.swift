import Foundation
import GRDBSQLite
public import Model
import SQLite
import Synchronization

/// The cities of the city table by population, for the labels of a map and for its search field, and those
/// around a point (`cities(around:)`).
///
/// The file is opened anew for each answer, so that another seeding counts at once. The largest cities of a generation
/// are kept in memory; only a small box that has few of them is looked for in the whole table, which has no index of
/// positions.
public final class MapPlaces: Sendable {
    /// A city.
    public struct City: Sendable, Hashable {
        let row: Int64
        /// Its own name.
        public let name: String
        /// ISO 3166-1 alpha-2 code, upper case.
        public let country: String
        /// Inhabitants; 0: unknown.
        public let population: Int64
        /// The position, WGS 84 degrees.
        public let coordinate: Coordinate
    }

    /// The cities found.
    public struct Answer: Sendable, Hashable {
        /// The cities, the most populous first.
        public var cities: [City]
        /// Whether there are more, or smaller ones have not been looked for.
        public var isCut: Bool
        /// Whose data the table has, in the words that its publishers ask for.
        public var attribution: String
        /// Identifies the seeding (`CityTable.generation`).
        public var generation: String
    }

    /// The largest cities of a generation.
    struct Largest: Sendable {
        var generation: String
        var attribution: String
        /// Whether the table has no others.
        var areAll: Bool
        var cities: [City]
        /// The folded names of the cities.
        var names: [[UInt8]]
        /// The names of the countries by ISO 3166-1 alpha-2 code.
        var countries: [String: String]
    }

    private let path: String
    private let most: Int
    private let kept = Mutex<Largest?>(nil)
    /// The answers of `cities(around:)` for the points asked for last.
    let recent = Mutex(RecentCities())

    /// The time for one answer, and for reading the largest cities.
    private static let budget = Duration.seconds(2)
    /// The largest box that is looked for in the whole table, in square degrees: a window at zoom 7.
    private static let widestScan = 100.0

    /// Creates a reader of the table at `path`, which need not exist; nothing is opened yet.
    /// - Parameter most: The most cities kept in memory; 5000 by default, which is about a megabyte.
    public init(path: String, keeping most: Int = 5000) {
        self.path = path
        self.most = most
    }

    /// The cities in a box whose name begins with a text, or that have it as another name. Blocks: some milliseconds,
    /// and for a small box a second for three million cities, 2 s at most.
    ///
    /// Sections of cities (`PPLX` at GeoNames) are found by their whole name only. Of names that begin with the text,
    /// those of the kept cities are found.
    /// - Parameters:
    ///   - box: The box; nil: the whole Earth.
    ///   - beginning: The beginning of a name, folded as `NameFolding` does; nil: any name. Without a letter or digit
    ///     it is the beginning of none.
    ///   - limit: The most cities, 1 or more.
    /// - Throws: `GazetteerError`: `notSeeded`, `notATable`, `unreadable`.
    public func cities(in box: BoundingBox?, beginning: String? = nil, limit: Int) throws -> Answer {
        try reading { connection -> Answer in
            let largest = try self.largest(connection)
            var found: [City] = []
            var isCut = !largest.areAll
            if let beginning {
                let folded = NameFolding.folded(beginning)
                if !folded.isEmpty {
                    for (city, name) in zip(largest.cities, largest.names)
                    where name.starts(with: folded.utf8) && box?.contains(city.coordinate) ?? true {
                        found.append(city)
                    }
                    let rows = Set(found.map { $0.row })
                    found += try Self.named(NameKey(folded: folded.utf8), in: box, limit: limit + 1, connection)
                        .filter { !rows.contains($0.row) }
                }
            } else {
                found = largest.cities.filter { box?.contains($0.coordinate) ?? true }
                if let box, !largest.areAll, found.count < limit, box.squareDegrees <= Self.widestScan,
                    let all = try Self.all(in: box, limit: limit + 1, connection)
                {
                    found = all
                    isCut = false
                }
            }
            found.sort { ($1.population, $0.row) < ($0.population, $1.row) }
            return Answer(
                cities: Array(found.prefix(limit)), isCut: isCut || found.count > limit,
                attribution: largest.attribution, generation: largest.generation)
        }
    }

    // MARK: - Rows

    static let columns = "c.id, c.population, c.country, c.latitude, c.longitude, c.name"
    /// The order of the answer; sections of cities are no labels.
    private static let byPopulation = "c.feature IS NOT 'PPLX' ORDER BY c.population DESC, c.id LIMIT ?"

    /// The kept cities, read anew for another generation.
    func largest(_ connection: Connection) throws -> Largest {
        let find = try connection.prepare("SELECT value FROM meta WHERE key = 'generation'")
        let generation = try find.step() ? find.string(0) : ""
        return try kept.withLock { kept -> Largest in
            if let kept, kept.generation == generation { return kept }
            let find = try connection.prepare("SELECT \(Self.columns) FROM city c WHERE \(Self.byPopulation)")
            find.bind(most + 1)
            let cities = try Self.cities(find)
            let suppliers = try CityTable.suppliers(connection).map { $0.attribution }
            let made = Largest(
                generation: generation, attribution: suppliers.joined(separator: "; "), areAll: cities.count <= most,
                cities: Array(cities.prefix(most)),
                names: cities.prefix(most).map { Array(NameFolding.folded($0.name).utf8) },
                countries: try Self.countries(connection))
            kept = made
            return made
        }
    }

    /// The most populous cities of the whole table in a box; nil if reading it takes too long.
    private static func all(in box: BoundingBox, limit: Int, _ connection: Connection) throws -> [City]? {
        let find = try connection.prepare(
            "SELECT \(columns) FROM city c WHERE \(condition(box)) AND \(byPopulation)")
        bind(box, to: find)
        find.bind(limit)
        do {
            return try cities(find)
        } catch let error as SQLiteError where error.result == SQLITE_INTERRUPT {
            return nil
        }
    }

    /// The cities with the name as their own or as another one.
    private static func named(
        _ key: NameKey, in box: BoundingBox?, limit: Int, _ connection: Connection
    ) throws -> [City] {
        let place = box.map { " AND \(condition($0))" } ?? ""
        var found: [City] = []
        for source in [
            "city c WHERE c.key = ?\(place) ORDER BY c.population DESC LIMIT ?",
            "alternate a CROSS JOIN city c ON c.id = a.city WHERE a.key = ?\(place) ORDER BY a.weight DESC LIMIT ?",
        ] {
            let find = try connection.prepare("SELECT \(columns) FROM \(source)")
            find.bind(key.rawValue)
            if let box { bind(box, to: find) }
            find.bind(limit)
            let rows = Set(found.map { $0.row })
            found += try cities(find).filter { !rows.contains($0.row) }
        }
        return found
    }

    /// Takes south, north, west and east in whole 1e-7ths.
    static func condition(_ box: BoundingBox) -> String {
        let other = box.crossesAntimeridian ? "OR" : "AND"
        return "c.latitude BETWEEN ? AND ? AND (c.longitude >= ? \(other) c.longitude <= ?)"
    }

    static func bind(_ box: BoundingBox, to find: Statement) {
        find.bind(Int64(clamping: (box.south * 1e7).rounded(.up)))
        find.bind(Int64(clamping: (box.north * 1e7).rounded(.down)))
        find.bind(Int64(clamping: (box.west * 1e7).rounded(.up)))
        find.bind(Int64(clamping: (box.east * 1e7).rounded(.down)))
    }

    private static func cities(_ find: Statement) throws -> [City] {
        var cities: [City] = []
        try forEachCity(of: find) { cities.append($0) }
        return cities
    }

    /// Hands on the cities of a statement with `columns` one by one; those without a valid position are left out.
    static func forEachCity(of find: Statement, _ take: (City) -> Void) throws {
        while try find.step() {
            let (latitude, longitude) = (Double(find.int64(3)) / 1e7, Double(find.int64(4)) / 1e7)
            guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { continue }
            take(
                City(
                    row: find.int64(0), name: find.string(5), country: find.string(2), population: find.int64(1),
                    coordinate: coordinate))
        }
    }

    private static func countries(_ connection: Connection) throws -> [String: String] {
        let find = try connection.prepare("SELECT code, name FROM area WHERE kind = 'country'")
        var names: [String: String] = [:]
        while try find.step() { names[find.string(0)] = find.string(1) }
        return names
    }

    // MARK: - The file

    /// Opens the table for `body`, whose statements are interrupted when the time is spent.
    func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        let file = try CityTable.open(path)
        defer { withExtendedLifetime(file) {} }
        let handle = file.connection.handle
        // A result other than 0 interrupts the statement.
        let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let end = context?.assumingMemoryBound(to: SuspendingClock.Instant.self) else { return 0 }
            return SuspendingClock.now >= end.pointee ? 1 : 0
        }
        var end = SuspendingClock.now.advanced(by: Self.budget)
        return try withUnsafeMutablePointer(to: &end) { end in
            sqlite3_progress_handler(handle, 1000, look, end)
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            do {
                let connection = file.connection
                let application = try connection.firstInt64("PRAGMA application_id") ?? 0
                let version = try connection.firstInt64("PRAGMA user_version") ?? 0
                guard application == CityTableSchema.applicationID, version == CityTableSchema.version else {
                    throw GazetteerError(.notATable, "\(path) is no city table of this version; seed it again")
                }
                // The largest cities are sorted without a file.
                try connection.run("PRAGMA temp_store = MEMORY")
                return try body(connection)
            } catch let error as SQLiteError {
                throw GazetteerError.unreadable(table: path, error)
            }
        }
    }
}

extension BoundingBox {
    /// Width times height.
    fileprivate var squareDegrees: Double {
        (crossesAntimeridian ? east + 360 - west : east - west) * (north - south)
    }
}
