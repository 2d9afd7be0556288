public import Foundation
import GRDBSQLite
public import Model
import SQLite
public import Store

/// The SQLite file with the pictures that events and volcanoes name, beside the database. One daemon writes it; others
/// only read, and need not find it.
///
/// The file is opened for each call, so no connection outlives it. It has a rollback journal, which is removed with each
/// commit, and deleted pictures are overwritten, so nothing of an erased event stays in it. All calls block.
public struct PictureStore: Sendable {
    /// The path of the file.
    public let path: String
    /// The hosts whose pictures are kept.
    public let hosts: PictureHosts
    /// The most bytes of all pictures.
    public let maximumBytes: Int
    /// The most requests of a day (UTC).
    public let requestsPerDay: Int
    /// The most pictures whose links are kept, those of points of interest aside: the ones that were named last.
    var mostLinks = 20_000

    /// The value of `PRAGMA user_version`.
    private static let version: Int64 = 2
    /// How long an attempt that nothing was stored for waits.
    static let attempt: Int64 = 3_600_000
    /// Longer than any wait that the lane asks for.
    static let longestWait: Int64 = 9 * 86_400_000
    /// Never due by itself.
    static let never = Int64.max

    /// Names the file beside a database, which need not exist.
    public init(
        beside database: String, hosts: PictureHosts = PictureHosts(), maximumBytes: Int = 200_000_000,
        requestsPerDay: Int = 500
    ) {
        path = DatabasePath.resolved(database) + "-pictures"
        self.hosts = hosts
        self.maximumBytes = maximumBytes
        self.requestsPerDay = requestsPerDay
    }

    // MARK: - The file

    /// Creates the file (0640) if there is none, and makes a new one in place of one of another version or a damaged one.
    /// - Returns: Whether a file was replaced.
    /// - Throws: `StoreError`.
    @discardableResult
    public func prepare() throws(StoreError) -> Bool {
        let isThere = access(path, F_OK) == 0
        let found = try? write { try $0.firstInt64("PRAGMA user_version") }
        guard found != Self.version else { return false }
        try renew()
        return isThere
    }

    /// Makes a new file in place of what is there. Throws `StoreError`.
    public func renew() throws(StoreError) {
        remove()
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw StoreError(
                .cannotOpen, "The file of pictures \(path) cannot be created: \(String(cString: strerror(errno)))")
        }
        _ = fchmod(descriptor, 0o640)
        _ = close(descriptor)
        try write { connection in
            try connection.execute(
                """
                CREATE TABLE picture (
                  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, link TEXT NOT NULL, named_ms INTEGER NOT NULL,
                  due_ms INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0, asked_ms INTEGER, outcome TEXT,
                  etag TEXT, last_modified TEXT, size INTEGER NOT NULL DEFAULT 0, type TEXT, body BLOB);
                CREATE INDEX picture_order ON picture (named_ms, due_ms);
                CREATE INDEX picture_due ON picture (due_ms);
                CREATE INDEX picture_size ON picture (named_ms, size) WHERE size > 0;
                CREATE TABLE naming (
                  event TEXT NOT NULL PRIMARY KEY, picture INTEGER NOT NULL, named_ms INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX naming_picture ON naming (picture, named_ms);
                CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                PRAGMA user_version = \(Self.version);
                """)
        }
    }

    /// Whether SQLite finds no fault in the file (`PRAGMA quick_check`); reads all of it.
    public var isWhole: Bool {
        let found = try? read { connection -> String? in
            try connection.prepare("PRAGMA quick_check(1)").first { $0.text(0) }
        }
        return found == "ok"
    }

    /// Removes the file, if there is one; errors are ignored.
    public func remove() { UnfinishedFiles.remove(path) }

    /// Runs work in one transaction that writes.
    func write<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        try naming {
            let file = try DatabaseFile(path: path)
            return try withExtendedLifetime(file) {
                let connection = file.connection
                // Polls wait for their writes meanwhile.
                sqlite3_busy_timeout(connection.handle, 250)
                try connection.run("PRAGMA auto_vacuum = FULL")
                try connection.run("PRAGMA secure_delete = ON")
                try connection.run("BEGIN IMMEDIATE")
                do {
                    let result = try body(connection)
                    try connection.run("COMMIT")
                    return result
                } catch {
                    try? connection.run("ROLLBACK")
                    throw error
                }
            }
        }
    }

    private func read<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        try naming {
            let file = try DatabaseFile(readOnly: path)
            return try withExtendedLifetime(file) {
                sqlite3_busy_timeout(file.connection.handle, 1_000)
                return try body(file.connection)
            }
        }
    }

    /// Runs `body`, whose errors of SQLite concern this file and not the database. What `body` reads of the database
    /// reports by itself.
    private func naming<T>(_ body: () throws -> T) throws(StoreError) -> T {
        do { return try body() } catch {
            guard var found = error as? SQLiteError else { throw StoreError(error) }
            found.subject = "The file of pictures \(path)"
            var fault = StoreError(found)
            if [.corrupt, .notADatabase].contains(fault.code) {
                // It is made anew, so there is nothing to restore.
                fault.message = "\(found.subject) is damaged or no SQLite database"
            }
            throw fault
        }
    }

    // MARK: - Asking

    /// Takes the due picture that the newest event names, counts its request, and puts it off by an hour.
    /// - Parameter now: Wall time.
    /// - Throws: `StoreError`.
    public func take(at now: Date) throws(StoreError) -> PictureChoice {
        try write { connection in
            let time = now.milliseconds
            let requests = try Self.requests(on: Self.day(of: time), connection)
            guard requests < requestsPerDay else {
                return .none(until: Date(milliseconds: (Self.day(of: time) + 1) * 86_400_000))
            }
            // A clock that was wrong must not put them off for longer than failures do.
            try connection.run(
                "UPDATE picture SET due_ms = 0 WHERE due_ms > ? AND due_ms < ?", time + Self.longestWait, Self.never)
            let find = try connection.prepare(
                """
                SELECT key, link, etag, last_modified, size, failures FROM picture INDEXED BY picture_order
                WHERE due_ms <= ? ORDER BY named_ms DESC, due_ms LIMIT 1
                """, time)
            let found = try find.first {
                var job = PictureJob(key: $0.string(0), link: $0.string(1), failures: Int($0.int64(5)))
                if $0.int64(4) > 0 { job.validators = Validators(etag: $0.text(2), lastModified: $0.text(3)) }
                return job
            }
            guard let job = found else {
                let next = try connection.firstInt64("SELECT min(due_ms) FROM picture WHERE due_ms < ?", Self.never)
                return .none(until: next.map { Date(milliseconds: $0) })
            }
            try connection.run(
                "UPDATE picture SET due_ms = ?, asked_ms = ? WHERE key = ?", time + Self.attempt, time, job.key)
            try Self.count(requests + 1, on: Self.day(of: time), connection)
            return .job(job)
        }
    }

    /// Stores what becomes of a picture. One that nothing names any more stays away. Beyond the size, pictures whose
    /// last naming is the oldest go first.
    /// - Parameter now: Wall time.
    /// - Throws: `StoreError`.
    public func settle(_ settlement: PictureSettlement, at now: Date) throws(StoreError) {
        try write { connection in
            let day = Self.day(of: now.milliseconds)
            if settlement.redirects > 0 {
                try Self.count(try Self.requests(on: day, connection) + settlement.redirects, on: day, connection)
            }
            var words: String?
            var failures = "0"
            switch settlement.outcome {
            case .kept(let content, let validators):
                try connection.run(
                    "UPDATE picture SET etag = ?, last_modified = ?, size = ?, type = ?, body = ? WHERE key = ?",
                    validators.etag, validators.lastModified, content.data.count, content.format.rawValue, content.data,
                    settlement.key)
            case .unchanged(let validators):
                try connection.run(
                    "UPDATE picture SET etag = ?, last_modified = ? WHERE key = ? AND size > 0", validators.etag,
                    validators.lastModified, settlement.key)
            case .gone(let reason):
                words = reason
                try Self.empty(settlement.key, connection)
            case .failed(let reason):
                words = reason
                failures = "failures + 1"
            case .postponed: failures = "failures"
            }
            try connection.run(
                "UPDATE picture SET due_ms = ?, outcome = ?, failures = \(failures) WHERE key = ?",
                settlement.due.milliseconds, words, settlement.key)
            try makeRoom(connection)
        }
    }

    private func makeRoom(_ connection: Connection) throws {
        var bytes = try Self.bytes(connection)
        while bytes > maximumBytes {
            let find = try connection.prepare(
                "SELECT key, size FROM picture WHERE size > 0 ORDER BY named_ms, size LIMIT 1")
            guard let (key, size) = try find.first({ ($0.string(0), $0.int64(1)) }) else { return }
            try Self.empty(key, connection)
            // It would only push others out; a new event asks for it again.
            try connection.run("UPDATE picture SET due_ms = ?, outcome = 'no room' WHERE key = ?", Self.never, key)
            bytes -= size
        }
    }

    /// Removes the picture of a key; its link stays.
    private static func empty(_ key: String, _ connection: Connection) throws {
        try connection.run(
            "UPDATE picture SET body = NULL, type = NULL, size = 0, etag = NULL, last_modified = NULL WHERE key = ?",
            key)
    }

    private static func bytes(_ connection: Connection) throws -> Int64 {
        try connection.firstInt64("SELECT coalesce(sum(size), 0) FROM picture WHERE size > 0") ?? 0
    }

    // MARK: - Reading

    /// The kept picture of a key; nil without one, and without a file.
    /// - Throws: `StoreError` if the file is there and cannot be read.
    public func picture(_ key: String) throws(StoreError) -> PictureContent? {
        guard PictureKey.isKey(key), access(path, F_OK) == 0 else { return nil }
        return try read { connection -> PictureContent? in
            let find = try connection.prepare("SELECT type, body FROM picture WHERE key = ? AND size > 0", key)
            return try find.first { row in
                PictureFormat(rawValue: row.string(0)).map { PictureContent(format: $0, data: row.data(1)) }
            }
        }
    }

    /// The figures as of a wall time.
    /// - Throws: `StoreError`, also without a file.
    public func statistics(at now: Date) throws(StoreError) -> PictureStatistics {
        try read { connection in
            var figures = PictureStatistics()
            let find = try connection.prepare(
                """
                SELECT count(*), coalesce(sum(size > 0), 0), coalesce(sum(size), 0), coalesce(sum(asked_ms IS NULL), 0),
                  coalesce(sum(outcome IS NOT NULL), 0) FROM picture
                """)
            if try find.step() {
                figures.named = Int(find.int64(0))
                figures.kept = Int(find.int64(1))
                figures.bytes = find.int64(2)
                figures.waiting = Int(find.int64(3))
                figures.failed = Int(find.int64(4))
            }
            let count = try connection.prepare(
                """
                SELECT outcome, count(*) FROM picture WHERE outcome IS NOT NULL
                GROUP BY outcome ORDER BY count(*) DESC, outcome LIMIT 10
                """)
            figures.reasons = try count.dictionary { ($0.string(0), Int($0.int64(1))) }
            figures.requestsToday = try Self.requests(on: Self.day(of: now.milliseconds), connection)
            return figures
        }
    }

    // MARK: - Counting

    private static func day(of milliseconds: Int64) -> Int64 {
        Int64(clamping: (Double(milliseconds) / 86_400_000).rounded(.down))
    }

    /// The requests that were counted on a day.
    private static func requests(on day: Int64, _ connection: Connection) throws -> Int {
        guard let value = try value("requests", connection) else { return 0 }
        let parts = value.split(separator: " ").compactMap { Int64($0) }
        return parts.count == 2 && parts[0] == day ? Int(parts[1]) : 0
    }

    private static func count(_ requests: Int, on day: Int64, _ connection: Connection) throws {
        try set("requests", "\(day) \(requests)", connection)
    }

    static func value(_ name: String, _ connection: Connection) throws -> String? {
        try connection.prepare("SELECT value FROM meta WHERE name = ?", name).first { $0.text(0) }
    }

    static func set(_ name: String, _ value: String, _ connection: Connection) throws {
        try connection.run("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value)
    }
}
