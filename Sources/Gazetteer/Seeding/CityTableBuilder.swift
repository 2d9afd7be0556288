public import Foundation
import GRDBSQLite
import Model
import SQLite

/// Builds a generation of the city table and puts it into place; for one thread at a time.
///
/// Rows go into a file beside the table (`<path>.seeding-…`); memory does not grow with them. `finish()` makes that
/// file the table in one step, and readers keep the generation that they have open. If anything fails or the builder is
/// dropped, the table stays unchanged.
///
/// SQLite sorts in temporary files, whose folder is `SQLITE_TMPDIR`. Set it before the process first uses SQLite: the
/// table's folder is best, since /tmp may be in memory.
public final class CityTableBuilder {
    /// Path of the table, with symbolic links resolved.
    public let path: String
    /// Identifies the new generation: 16 hexadecimal digits, by default random.
    public let generation: String
    /// Called by `finish()`, on its thread, at the start of each phase: `carryingOver` if there is something to keep,
    /// `indexing`, `finishing`. By default it does nothing.
    public var onProgress: (SeedProgress) -> Void = { _ in }

    let connection: Connection
    let kept: Kept
    /// The present table, if `kept` takes something from it.
    private(set) var previous: PreviousTable?
    /// Why the present table could not be read although something was to be kept.
    private(set) var lostTable: String?
    var middles = AreaMiddles()
    var folding = NameFolding()

    private let file: SeedingFile
    private let seeded: Date
    /// Inode of the table at the start; nil: there was none.
    private let inode: UInt64?
    private var insertCity: CityInsertion?
    private var insertAlternate: Statement?
    var insertArea: Statement?
    var insertAreaName: Statement?
    private var lastMaxMindID = CityTableSchema.firstMaxMindID - 1
    private var inputs: [String] = []
    var carriedCities = 0

    /// What is carried over from the present table; nothing if there is none.
    public struct Kept: Sendable, Hashable {
        /// Whether its cities are carried over; a city with the GeoNames id of a new one is replaced.
        public var cities: Bool
        /// The kinds of its areas that are carried over, of those that came from a file; a new area of the same code
        /// goes first.
        public var areas: Set<Place.Kind>

        var keepsAnything: Bool { cities || !areas.isEmpty }

        /// Creates a choice; by default nothing is carried over.
        public init(cities: Bool = false, areas: Set<Place.Kind> = []) {
            self.cities = cities
            self.areas = areas
        }
    }

    /// Begins a generation: creates its file beside the table.
    /// - Parameters:
    ///   - path: Path of the table, which need not exist; its folder must.
    ///   - kept: What to carry over from it; default: nothing.
    ///   - seeded: Seeding time to be stored in the table, to the millisecond.
    ///   - generation: The generation as a number; by default a random one.
    /// - Throws: `GazetteerError`: `cannotWrite`, also if the file at `path` is no city table; `notATable` or
    ///   `unreadable` if cities are to be kept from a table of another version or a damaged one. Areas that cannot be
    ///   kept are lost, which the report says (`SeedReport.lostTable`).
    public init(
        path: String, keeping kept: Kept = Kept(), at seeded: Date,
        generation: UInt64 = .random(in: .min ... .max)
    ) throws(GazetteerError) {
        // A symbolic link stays one: its target is replaced.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        self.path = path
        self.kept = kept
        self.seeded = seeded
        let digits = String(generation, radix: 16)
        self.generation = String(repeating: "0", count: 16 - digits.count) + digits
        try PreviousTable.refuseForeignFile(path)
        inode = CityTable.inode(of: path)
        let file = try SeedingFile(table: path)
        self.file = file
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(file.path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Self.cannotWrite(path, SQLiteError(result: code, detail: ""))
        }
        connection = Connection(handle: opened)
        // `deinit` closes it on an error.
        try begin()
    }

    private func begin() throws(GazetteerError) {
        try writing {
            for pragma in Self.pragmas { try connection.run(pragma) }
            if inode != nil, kept.keepsAnything {
                switch PreviousTable.attached(path, to: connection) {
                case .success(let table): previous = table
                case .failure(let error) where kept.cities: throw error
                case .failure(let error): lostTable = error.message
                }
            }
            try connection.run("BEGIN")
            try execute(CityTableSchema.tables)
            try execute(Self.stagingTables)
            insertCity = try CityInsertion(on: connection.handle)
            insertAlternate = try connection.prepare("INSERT INTO temp.other_name VALUES (?, ?, ?)")
            insertArea = try connection.prepare(
                "INSERT OR IGNORE INTO area VALUES (?, ?, ?, ?, ?, NULL, NULL, ?, NULL)")
            insertAreaName = try connection.prepare("INSERT OR IGNORE INTO area_name VALUES (?, ?, ?, ?)")
            if previous != nil, kept.cities,
                let last = try connection.firstInt64("SELECT max(id) FROM old.city"), last > lastMaxMindID
            {
                lastMaxMindID = last
            }
        }
    }

    // The last reference removes the file, unless it has become the table.
    deinit { close() }

    /// No journal is needed for a file that nobody sees yet. A worker thread sorts while rows are read; with 4 MiB for
    /// each of two threads, sorting 3 million rows is faster than with 16 MiB in one.
    private static let pragmas = [
        "PRAGMA page_size = 4096", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
        "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA cache_size = -4096", "PRAGMA temp_store = FILE",
        "PRAGMA threads = 1", "PRAGMA secure_delete = OFF",
        "PRAGMA application_id = \(CityTableSchema.applicationID)", "PRAGMA user_version = \(CityTableSchema.version)",
    ]

    /// `other_name` collects what is sorted into `alternate`; `replaced` holds the cities that came again.
    private static let stagingTables = """
        CREATE TEMP TABLE other_name (key INTEGER, weight INTEGER, city INTEGER);
        CREATE TEMP TABLE replaced (id INTEGER PRIMARY KEY);
        """

    // MARK: - Rows

    /// Adds a city. Returns false, and adds nothing, if its id is taken, its name has no letter or digit, or the
    /// builder has ended.
    /// - Throws: `GazetteerError` (`cannotWrite`).
    @discardableResult
    public func add(_ city: CityRecord) throws(GazetteerError) -> Bool {
        guard let key = folding.key(city.name) else { return false }
        let id = city.id ?? nextMaxMindID()
        var (name, country, region) = (city.name, city.country, city.region)
        var (district, feature) = (city.district, city.feature)
        let outcome: Result<Bool, GazetteerError> = name.withUTF8 { name in
            country.withUTF8 { country in
                region.withUTF8 { region in
                    district.withUTF8 { district in
                        feature.withUTF8 { feature in
                            let row = CityRow(
                                id: id, key: key, name: name, country: country, region: region, district: district,
                                feature: feature, population: city.population,
                                latitude: Int64(clamping: (city.coordinate.latitude * 1e7).rounded()),
                                longitude: Int64(clamping: (city.coordinate.longitude * 1e7).rounded()))
                            return inserting(row)
                        }
                    }
                }
            }
        }
        guard try outcome.get() else { return false }
        var keys: Set<NameKey> = [key]
        for other in city.otherNames {
            guard let key = folding.key(other), keys.insert(key).inserted else { continue }
            try insertAlternate(key, population: city.population, city: id)
        }
        return true
    }

    /// `String.withUTF8` does not pass typed errors on.
    private func inserting(_ row: CityRow) -> Result<Bool, GazetteerError> {
        do throws(GazetteerError) { return .success(try insert(row)) } catch { return .failure(error) }
    }

    /// Adds a country or division. Returns false, and adds nothing, if its kind has the code already, since the first
    /// of a code counts, or if the builder has ended.
    /// - Throws: `GazetteerError` (`cannotWrite`).
    @discardableResult
    public func add(_ area: AreaRecord) throws(GazetteerError) -> Bool {
        try writing { try insert(area) }
    }

    /// Records, for the operator, an input of the table's cities or of its areas of a kind, such as its name and
    /// format. The table keeps the last 100, carried-over ones included.
    public func note(_ input: String, for kind: Place.Kind) { inputs.append("\(kind.rawValue): \(input)") }

    /// The next id for a city without a GeoNames id.
    func nextMaxMindID() -> Int64 {
        lastMaxMindID += 1
        return lastMaxMindID
    }

    /// Inserts a city; returns false if its id is taken. The texts need to live only during the call.
    func insert(_ row: CityRow) throws(GazetteerError) -> Bool {
        guard let insertCity, try writing({ try insertCity.run(row) }) else { return false }
        middles.add(row)
        return true
    }

    /// Inserts another name of a city; the caller makes sure that the city has it once.
    func insertAlternate(_ key: NameKey, population: Int64, city: Int64) throws(GazetteerError) {
        guard let insertAlternate else { return }
        try writing {
            insertAlternate.bind(key.rawValue)
            insertAlternate.bind(population)
            insertAlternate.bind(city)
            try insertAlternate.run()
        }
    }

    // MARK: - Finishing

    /// Carries over what is kept, creates the indexes, and puts the file into the table's place; call it once. It
    /// blocks its thread for as long as it sorts.
    /// - Returns: The report without `inputs` and `duration`, which the caller knows.
    /// - Throws: `GazetteerError`: `cannotWrite`, also if another seeding has replaced a table meanwhile of which
    ///   something is kept; `unreadable` if the present table cannot be carried over. The table then stays unchanged.
    public func finish() throws(GazetteerError) -> SeedReport {
        var report = SeedReport()
        report.generation = generation
        report.lostTable = lostTable
        if previous != nil {
            onProgress(SeedProgress(phase: .carryingOver))
            try carryOver()
        }
        try writing {
            try finishAreas()
            onProgress(SeedProgress(phase: .indexing))
            try execute(
                "INSERT OR IGNORE INTO alternate SELECT key, weight, city FROM temp.other_name ORDER BY 1, 2 DESC, 3")
            report.cities = try count("city")
            report.alternates = try count("alternate")
            report.areas = try count("area")
            report.carriedCities = carriedCities
            try writeMeta(report)
            try connection.run("COMMIT")
            try execute(CityTableSchema.index)
        }
        onProgress(SeedProgress(phase: .finishing))
        close()
        report.bytes = file.size
        guard !kept.keepsAnything || inode == CityTable.inode(of: path) else {
            throw GazetteerError(
                .cannotWrite,
                "another seeding has replaced \(path) meanwhile, which this one would undo; seed again")
        }
        try file.putInPlace()
        return report
    }

    /// Discards the generation and its file; the table stays unchanged. After a successful `finish()` it does nothing.
    public func abandon() {
        close()
        file.remove()
    }

    /// Removes the files that killed seedings of the table left, not those of running ones, and returns their number.
    /// Files that cannot be removed stay without an error.
    /// - Parameter path: Path of the table; a symbolic link is not followed.
    @discardableResult
    public static func removeLeftovers(at path: String) -> Int { SeedingFile.removeLeftovers(table: path) }

    private func writeMeta(_ report: SeedReport) throws {
        let kinds = (kept.cities ? [Place.Kind.city] : []) + kept.areas
        let carried = (previous?.inputs ?? []).filter { text in kinds.contains { text.hasPrefix("\($0.rawValue): ") } }
        let texts = carried + inputs
        let list = try JSONEncoder().encode(Array(texts.suffix(100)))
        let values = [
            ("generation", generation), ("seeded_ms", "\(seeded.milliseconds)"),
            ("inputs", String(decoding: list, as: UTF8.self)), ("cities", "\(report.cities)"),
            ("alternates", "\(report.alternates)"), ("areas", "\(report.areas)"),
        ]
        for (key, value) in values { try connection.run("INSERT INTO meta VALUES (?, ?)", key, value) }
    }

    private func count(_ table: String) throws -> Int {
        Int(try connection.firstInt64("SELECT count(*) FROM main.\(table)") ?? 0)
    }

    private var isClosed = false

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        insertCity = nil
        insertAlternate = nil
        insertArea = nil
        insertAreaName = nil
        sqlite3_close_v2(connection.handle)
    }

    // MARK: - Errors

    /// Runs several SQL statements.
    private func execute(_ sql: String) throws {
        let code = sqlite3_exec(connection.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(result: code, detail: String(cString: sqlite3_errmsg(connection.handle)))
        }
    }

    private func writing<T>(_ body: () throws -> T) throws(GazetteerError) -> T {
        do {
            return try body()
        } catch let error as GazetteerError {
            throw error
        } catch {
            throw Self.cannotWrite(path, error)
        }
    }

    static func cannotWrite(_ path: String, _ error: any Error) -> GazetteerError {
        let isFull = (error as? SQLiteError)?.result == SQLITE_FULL
        let reason = isFull ? "the disk is full; free some space and seed again" : "\(error)"
        return GazetteerError(.cannotWrite, "no new city table could be written, \(path) stays as it was: \(reason)")
    }
}
