import Files
import Foundation
import GRDB
import GRDBSQLite
// Who asks the store speaks in the values of Records.
@_exported public import Records
package import SQLite
import Synchronization

/// The database of events, of the sources' state, and of the work still to do.
///
/// A value over one connection pool; keep one for each file while the process lives. All calls block, so keep them off
/// the cooperative threads. Writes are serialised; reads run beside them on the last committed state.
public struct EventStore: Sendable {
    /// How the file is opened: to write, which one program may, or only to read.
    public enum Mode: Sendable {
        /// Creates the file if needed (0640, whatever the umask) and migrates it to the newest schema.
        case readWrite
        /// Reads only, also beside a running daemon and after a crash. The file must exist with the newest schema, else
        /// opening throws `cannotOpen` or `olderSchema`. Without write permission to the folder the WAL files must be
        /// there (`cannotOpen`); the daemon leaves them. Writing throws `readOnly`.
        case readOnly
    }

    /// The absolute path of the database file, with symbolic links followed; with a VFS the path as given.
    public let path: String
    private let vfs: String?
    private let pool: DatabasePool
    private let writer: WriterBox
    private let checkpointer = CheckpointerBox()
    private let statements = ReadStatements()
    /// The bounds of each read; nil: none.
    private let bounds: ReadBounds?
    /// What the request that reads may cost; nil: anything.
    private(set) var budget: ReadBudget?
    /// Signals each commit.
    let signal: CommitSignal
    /// The number of this opening of a file in this process: the same for all copies of the store, another one after
    /// the file was opened again.
    package let generation = Self.generations.add(1, ordering: .relaxed).newValue

    private static let generations = Atomic(0)

    /// Opens the database at `path`.
    ///
    /// The WAL mode with synchronous=NORMAL may lose the last commits in a loss of power, but validators and events are
    /// lost together, so the older state is consistent. The WAL files stay after the last connection closes, so readers
    /// without write permission can open the file of a stopped daemon. Foreign keys are not enforced, since each check
    /// costs a look-up; each deletion names its tables.
    ///
    /// A file of an older schema is copied before it is migrated (`MigrationCopy`).
    /// - Parameters:
    ///   - mode: Read and write by default.
    ///   - whenMigrating: Called with the steps of copy and migration, which take seconds a GB.
    /// - Throws: `StoreError`, such as `cannotOpen`, `notADatabase` or `newerSchema`; `olderSchema` for `readOnly`
    ///   only.
    public init(
        path: String, mode: Mode = .readWrite, whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws(StoreError) {
        try self.init(path: path, mode: mode, version: Migrations.newest, whenMigrating: whenMigrating)
    }

    /// Opens the database through an SQLite VFS of this name, for simulations; without a copy before a migration.
    /// `path` must not contain `%`, `?` or `#`. Throws `StoreError`.
    package init(path: String, vfs: String) throws(StoreError) {
        try self.init(path: path, version: Migrations.newest, vfs: vfs)
    }

    /// Opens the database and migrates it to a schema version, 1…`Migrations.newest`; for tests with old files. Throws
    /// like `init(path:mode:whenMigrating:)`; `full` if `freeBytes` says that copy and migration have no room.
    package init(
        path: String, mode: Mode = .readWrite, version: Int, vfs: String? = nil, bounds: ReadBounds? = nil,
        freeBytes: (String) -> Int64? = FreeSpace.bytes,
        whenMigrating: @escaping (MigrationStep) -> Void = { _ in }
    ) throws(StoreError) {
        let path = vfs == nil ? DatabasePath.resolved(path) : path
        self.path = path
        self.vfs = vfs
        self.bounds = bounds
        writer = WriterBox()
        let statements = self.statements
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
            configuration.maximumReaderCount = bounds?.readers ?? 3
            configuration.prepareDatabase { db in
                let connection = try Connection(db)
                statements.begin(connection.handle)
                try Migrations.check(connection)
                var keeps: Int32 = 1
                sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
                for function in ShapeFunctions.all { db.add(function: function) }
                try bounds?.prepare(connection)
                guard !db.configuration.readonly else { return }
                // Has an effect before the first table only.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                // The pool does the same, but does not notice a disk error at that moment.
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                // Text that a provider deletes must not stay readable in free pages.
                try db.execute(sql: "PRAGMA secure_delete = ON")
                try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
                try db.execute(sql: "PRAGMA cache_size = -16384")
            }
            // Debian's SQLite accepts URIs by default (SQLITE_USE_URI).
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
                let growth = try pool.writeWithoutTransaction { db in
                    try Migrations.growth(of: path, from: found, on: Connection(db))
                }
                try copy.make(leaving: growth, freeBytes: freeBytes)
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

    /// Closes all connections; later calls fail with `other`. Without this call they close with the last copy of the
    /// store. Throws `StoreError`.
    public func close() throws(StoreError) {
        try reporting {
            // The pool's last connection empties the WAL, so it must be the last of all.
            checkpointer.give(back: nil)
            pool.writeWithoutTransaction { _ in writer.clear() }
            statements.clear()
            try pool.close()
        }
    }

    /// Checkpoints the write-ahead log and truncates its file, so that the next program need not read it. Blocks, does
    /// as much as readers allow and reports no error.
    public func emptyLog() {
        let checkpointer = takeCheckpointer()
        _ = checkpointer?.empty()
        giveBack(checkpointer)
    }

    // MARK: - Connections and transactions

    /// A connection for checkpoints, to be given back; nil if it cannot be opened.
    func takeCheckpointer() -> Checkpointer? { checkpointer.take() ?? Checkpointer(path: path, vfs: vfs) }

    /// Keeps the connection for the next checkpoint, or until the store is closed.
    func giveBack(_ used: Checkpointer?) { checkpointer.give(back: used) }

    /// Runs `body` in a read transaction on the last committed state. Blocks; up to three reads run at once, or as many
    /// as the bounds say. An error of `body` comes out as a `StoreError`.
    package func read<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        do throws(StoreError) {
            return try reporting {
                try pool.unsafeRead { db in
                    let handle = try Connection(db).handle
                    let connection = Connection(handle: handle, pool: statements.pool(of: handle))
                    // GRDB's own transaction compiles its statements anew, which takes longer than a small query.
                    return try connection.inReadTransaction {
                        guard let bounds else { return try body(connection) }
                        return try bounds.run(on: connection, within: budget, body)
                    }
                }
            }
        } catch {
            // The file was not too new when it was opened. A further connection finds this before the bounds do.
            if case .newerSchema = error.code { bounds?.noteMove() }
            throw error
        }
    }

    /// The store for a request with a budget, which bounds each read where the store has bounds.
    package func within(_ budget: ReadBudget) -> EventStore {
        var store = self
        store.budget = budget
        return store
    }

    /// Runs `body` in one write transaction; an error rolls everything back.
    /// - Parameter isDurable: Whether the commit waits for the disk (synchronous=FULL).
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
                    try writer.storeUse()
                    try writer.endStep()
                    return .commit
                }
                guard let result else { throw StoreError(.other, "The transaction gave no result") }
                // COMMIT has returned, so woken readers find the changes.
                signal.tell(writer.appended)
                writer.appended = []
                return result
            }
        }
    }

    /// Refuses to write to a file that has lost its name, since no one would find the data again.
    ///
    /// The write-ahead log keeps the name, and SQLite would apply it to another file of that name. So it is emptied
    /// into the file that it belongs to.
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

    /// Runs `body` on the writing connection outside a transaction. For pragmas, checkpoints and frequent queries,
    /// because this connection keeps compiled statements. Blocks while others write; an error of `body` comes out as a
    /// `StoreError`.
    package func maintain<T>(_ body: (Connection) throws -> T) throws(StoreError) -> T {
        try reporting { try pool.writeWithoutTransaction { db in try body(writer.connection ?? Connection(db)) } }
    }
}

extension Connection {
    /// Runs `body` on one snapshot of the database.
    fileprivate func inReadTransaction<T>(_ body: () throws -> T) throws -> T {
        try run("BEGIN")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // An interrupted statement may have ended it.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Wraps the connection of GRDB.
    init(_ db: Database) throws {
        guard let handle = db.sqliteConnection else { throw StoreError(.closed, "The database has been closed") }
        self.init(handle: handle)
    }
}

/// Holds the writing connection's prepared statements.
///
/// `@unchecked` because they are used only on that connection's serial queue, and freed there or after it is gone.
private final class WriterBox: @unchecked Sendable {
    private var writer: Writer?

    func get(_ connection: Connection) throws -> Writer {
        if let writer { return writer }
        let made = try Writer(connection)
        writer = made
        return made
    }

    /// The writing connection with its compiled statements; nil before the first write.
    var connection: Connection? { writer?.connection }

    func clear() { writer = nil }
}

/// Holds the compiled statements of the reading connections.
///
/// `@unchecked` because each pool is used only on its connection's serial queue, and freed there or after it is gone.
private final class ReadStatements: @unchecked Sendable {
    private let lock = NSLock()
    private var pools: [OpaquePointer: StatementPool] = [:]

    /// Begins with no statements for a connection that has just been opened: one that was closed may have had its address.
    func begin(_ connection: OpaquePointer) { lock.withLock { pools[connection] = StatementPool() } }

    /// The statements of an open connection; nil after `clear`.
    func pool(of connection: OpaquePointer) -> StatementPool? { lock.withLock { pools[connection] } }

    func clear() { lock.withLock { pools = [:] } }
}

/// Opens the database; errors name the file.
private func opening<T>(
    _ path: String, _ mode: EventStore.Mode, _ body: () throws -> T
) throws(StoreError) -> T {
    do throws(StoreError) {
        return try reporting(body)
    } catch {
        // SQLite must create the log's files, but a reader may not be allowed to.
        if mode == .readOnly, error.code == .readOnly {
            throw StoreError(
                .cannotOpen,
                "\(path): The write-ahead log that belongs to the database is not beside it, and only who may write the "
                    + "folder can open it so; start the daemon once")
        }
        throw error.message.contains(path) ? error : StoreError(error.code, "\(path): \(error.message)")
    }
}

/// Creates the file readable by its group; SQLite gives the WAL files the same permissions.
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
