import Foundation
import GRDB
import GRDBSQLite
package import SQLite

/// The database: events, what sources have been told and asked, and what is still to do.
///
/// A value over one connection pool; keep one a file for the life of the process. All calls block, so they stay off
/// the cooperative threads. Writes are serialised; reads run beside them on the last committed state.
public struct EventStore: Sendable {
    /// What the file is opened for.
    public enum Mode: Sendable {
        /// Creates the file (0640, whatever the umask) and brings it to the newest schema.
        case readWrite
        /// Reads only, also beside a running daemon, without write permission, and after a crash.
        case readOnly
    }

    /// Path of the database file, symbolic links followed.
    public let path: String
    private let vfs: String?
    private let pool: DatabasePool
    private let writer: WriterBox
    private let checkpointer = CheckpointerBox()
    /// Told of each commit.
    let signal: CommitSignal

    /// Opens the database at `path`.
    ///
    /// WAL with synchronous=NORMAL: validators and events roll back together, so an older state is a consistent one.
    /// The WAL files stay after the last connection closes, which lets readers without write permission open the file
    /// of a stopped daemon. Foreign keys are not enforced: each deletion names its tables, and the checks would cost a
    /// look-up for every row.
    ///
    /// A file of an older schema is copied before it is migrated (`MigrationCopy`).
    /// - Parameter whenMigrating: Told of the copy and the migration, which take seconds a GB, as they go on.
    public init(
        path: String, mode: Mode = .readWrite, whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws(StoreError) {
        try self.init(path: path, mode: mode, version: Migrations.newest, whenMigrating: whenMigrating)
    }

    /// Opens the database on another disk: an SQLite VFS by name, for simulations. `path` holds no `%`, `?` or `#`.
    package init(path: String, vfs: String) throws(StoreError) {
        try self.init(path: path, version: Migrations.newest, vfs: vfs)
    }

    /// Opens the database and brings it to a schema version; tests make and read old files with it.
    package init(
        path: String, mode: Mode = .readWrite, version: Int, vfs: String? = nil,
        freeBytes: (String) -> Int64? = FreeSpace.bytes,
        whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws(StoreError) {
        let path = vfs == nil ? DatabasePath.resolved(path) : path
        self.path = path
        self.vfs = vfs
        writer = WriterBox()
        if vfs == nil, try !DatabasePath.isThere(path, isWritten: mode == .readWrite), mode == .readOnly {
            try DatabasePath.mustExist(path)
        }
        let opened = try opening(path, mode) { () throws -> (pool: DatabasePool, lastChange: Int64) in
            if mode == .readWrite, vfs == nil { try createFile(at: path) }
            var configuration = Configuration()
            configuration.label = "store"
            configuration.readonly = mode == .readOnly
            configuration.foreignKeysEnabled = false
            configuration.busyMode = .timeout(5)
            configuration.maximumReaderCount = 3
            configuration.prepareDatabase { db in
                let connection = try Connection(db)
                try Migrations.check(connection)
                var keeps: Int32 = 1
                sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
                for function in ShapeFunctions.all { db.add(function: function) }
                guard !db.configuration.readonly else { return }
                // Takes effect before the first table only.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                // The pool does the same, but does not notice a disk that fails just then.
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                // What a provider deletes must not stay readable in free pages.
                try db.execute(sql: "PRAGMA secure_delete = ON")
                try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
                try db.execute(sql: "PRAGMA cache_size = -16384")
            }
            // Debian's SQLite takes URIs without being asked to (SQLITE_USE_URI).
            let pool = try DatabasePool(
                path: vfs.map { "file:\(path)?vfs=\($0)" } ?? path, configuration: configuration)
            let found = try pool.writeWithoutTransaction { db in
                Int(try Connection(db).firstInt64("PRAGMA user_version") ?? 0)
            }
            if mode == .readOnly {
                try Migrations.checkAge(found, version)
            } else if found == 0 || found >= version || vfs != nil {
                try Migrations.migrate(pool, to: version)
            } else {
                let copy = MigrationCopy(database: path, from: found, report: whenMigrating)
                try copy.make(freeBytes: freeBytes)
                whenMigrating(.migrating(from: found, to: version))
                try Migrations.migrate(pool, to: version)
                whenMigrating(.migrated(from: found, to: version))
                copy.removeOlder()
            }
            let lastChange = try pool.writeWithoutTransaction { db in try EventStore.lastChange(Connection(db)) }
            return (pool, lastChange)
        }
        pool = opened.pool
        signal = CommitSignal(lastChange: opened.lastChange)
    }

    /// Closes all connections; later calls fail. Without it they close when the last copy of the store goes away.
    public func close() throws(StoreError) {
        try reporting {
            // Before the last of the pool's, which empties the WAL.
            checkpointer.give(back: nil)
            pool.writeWithoutTransaction { _ in writer.clear() }
            try pool.close()
        }
    }

    /// Brings what is in the write-ahead log into the database and empties its file, which stays, so that whoever opens the
    /// database next need not read it. Where a reader is in the way it does as much as that allows.
    public func emptyLog() {
        let checkpointer = takeCheckpointer()
        _ = checkpointer?.empty()
        giveBack(checkpointer)
    }

    // MARK: - For the parts of the store

    /// A connection for checkpoints, to be given back; nil when it cannot be opened.
    func takeCheckpointer() -> Checkpointer? { checkpointer.take() ?? Checkpointer(path: path, vfs: vfs) }

    /// Keeps the connection for checkpoints until it is needed again or the store is closed.
    func giveBack(_ used: Checkpointer?) { checkpointer.give(back: used) }

    /// Runs `body` on a snapshot of the last committed state.
    package func read<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        try reporting { try pool.read { db in try body(Connection(db)) } }
    }

    /// Runs `body` in one write transaction; what it throws rolls everything back.
    /// - Parameter isDurable: whether the commit waits for the disk (synchronous=FULL).
    func transaction<T>(isDurable: Bool = false, _ body: (Writer) throws -> T) throws(StoreError) -> T {
        try reporting {
            try pool.writeWithoutTransaction { db in
                try mustBeInPlace(Connection(db))
                let writer = try self.writer.get(Connection(db))
                if isDurable { try db.execute(sql: "PRAGMA synchronous = FULL") }
                defer { if isDurable { try? db.execute(sql: "PRAGMA synchronous = NORMAL") } }
                var result: T?
                try db.inTransaction(.immediate) {
                    try writer.begin()
                    result = try body(writer)
                    return .commit
                }
                guard let result else { throw StoreError(.other, "The transaction gave no result") }
                // COMMIT has returned: whoever is woken finds the changes.
                signal.tell(writer.appended)
                return result
            }
        }
    }

    /// Refuses to write a file that no longer goes by its name: nobody would find again what it is given.
    ///
    /// The write-ahead log still goes by the name, and whoever opens another file of that name would take what is in it
    /// for that file's. So it is emptied into the file that it belongs to.
    private func mustBeInPlace(_ connection: Connection) throws {
        var hasMoved: Int32 = 0
        sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved != 0 else { return }
        try? connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        throw StoreError(
            .replaced,
            "The database \(path) was moved, replaced or removed while it was open, and nothing more is written to it; put "
                + "it back, or restart the daemon to go on with what is there now")
    }

    /// Runs `body` on the writing connection outside a transaction: for pragmas, checkpoints, and what is asked so often
    /// that compiling its statements anew would cost most.
    package func maintain<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        try reporting { try pool.writeWithoutTransaction { db in try body(writer.connection ?? Connection(db)) } }
    }
}

extension Connection {
    /// The raw connection behind GRDB's.
    init(_ db: Database) throws {
        guard let handle = db.sqliteConnection else { throw StoreError(.other, "The database has been closed") }
        self.init(handle: handle)
    }
}

/// Holds the prepared statements of the writing connection.
///
/// `@unchecked` because they are reached only on that connection's serial queue, and freed there or after it is gone.
private final class WriterBox: @unchecked Sendable {
    private var writer: Writer?

    func get(_ connection: Connection) throws -> Writer {
        if let writer { return writer }
        let made = try Writer(connection)
        writer = made
        return made
    }

    /// The writer's connection with its compiled statements, once something has been written.
    var connection: Connection? { writer?.connection }

    func clear() { writer = nil }
}

/// Runs what opens the database; its errors name the file.
private func opening<T>(
    _ path: String, _ mode: EventStore.Mode, _ body: () throws -> T
) throws(StoreError) -> T {
    do throws(StoreError) {
        return try reporting(body)
    } catch {
        // SQLite wants to make the log's files, which who only reads may not.
        if mode == .readOnly, error.code == .readOnly {
            throw StoreError(
                .cannotOpen,
                "\(path): The write-ahead log that belongs to the database is not beside it, and only who may write the "
                    + "folder can open it so; start the daemon once")
        }
        throw error.message.contains(path) ? error : StoreError(error.code, "\(path): \(error.message)")
    }
}

/// Creates the file so that its group may read it; SQLite gives the WAL files the same permissions.
private func createFile(at path: String) throws {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o640)
    if descriptor >= 0 {
        _ = fchmod(descriptor, 0o640)
        _ = close(descriptor)
    } else if errno != EEXIST {
        let reason = String(cString: strerror(errno))
        throw StoreError(.cannotOpen, "The database \(path) cannot be created: \(reason)")
    }
}
