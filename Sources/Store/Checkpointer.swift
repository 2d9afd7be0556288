import Foundation
import GRDBSQLite
import SQLite
import Synchronization

/// Keeps the WAL small while truncation writes much: brings it into the database on a connection of its own, so that
/// those who write do not wait for the disk meanwhile.
///
/// Nothing that goes wrong here is an error: the WAL only stays larger until the next time.
///
/// `@unchecked` because one run at a time has it (`CheckpointerBox`).
final class Checkpointer: @unchecked Sendable {
    /// What is in the WAL after a checkpoint.
    struct State {
        /// Pages in it.
        var pages: Int
        /// How many of them are in the database, too.
        var moved: Int
    }

    /// How long a checkpoint that begins the WAL anew waits for readers, in ms; those who write wait as well.
    private static let busyTimeout: Int32 = 50

    private let handle: OpaquePointer

    /// Opens a connection; nil when that cannot be done.
    init?(path: String, vfs: String?) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            return nil
        }
        self.handle = handle
        var keeps: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        // A connection that has read nothing does not know of the WAL yet; this reads without the schema, some 40 kB.
        guard sqlite3_exec(handle, "PRAGMA user_version", nil, nil, nil) == SQLITE_OK else { return nil }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Moves what no reader needs; nobody waits for it. Nil when it failed.
    func move() -> State? { checkpoint(SQLITE_CHECKPOINT_PASSIVE) }

    /// Moves all and lets the next write begin the WAL anew. For a WAL of which little is left to be moved: those who
    /// write wait for it. It gives up after 50 ms where a reader is in the way.
    func beginAnew() -> State? { checkpoint(SQLITE_CHECKPOINT_RESTART) }

    /// The same, and empties the WAL's file.
    func empty() -> State? { checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }

    private func checkpoint(_ mode: Int32) -> State? {
        var (pages, moved): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &moved)
        guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_BUSY, pages >= 0 else { return nil }
        return State(pages: Int(pages), moved: Int(moved))
    }
}

/// Keeps the connection for checkpoints from one run of truncation to the next.
///
/// Closing a connection that may write takes the PENDING lock for a moment (sqlite3WalClose looks whether it is the
/// last one), and a reader who opens the file just then and waits for nothing is told that the database is locked.
final class CheckpointerBox: Sendable {
    private let checkpointer = Mutex<Checkpointer?>(nil)

    /// The connection kept, which no other run gets meanwhile; nil when there is none.
    func take() -> Checkpointer? {
        checkpointer.withLock { checkpointer in
            defer { checkpointer = nil }
            return checkpointer
        }
    }

    /// Keeps a connection for the next run.
    func give(back used: Checkpointer?) {
        checkpointer.withLock { $0 = used }
    }
}

extension Connection {
    /// Pages that this connection has written into the WAL since it was asked last.
    func takeWrittenPages() -> Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
        return Int(pages)
    }

    /// Pages in the WAL from which on each commit of this connection moves them; SQLite's default is 1000.
    func setAutomaticCheckpoint(pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(clamping: pages)) }
}
