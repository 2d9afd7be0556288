import Foundation
import GRDBSQLite
import SQLite
import Synchronization

/// Checkpoints the WAL during truncation on a connection of its own, so that writers do not wait for the disk.
///
/// Failures are no errors: the WAL stays larger until the next checkpoint. `@unchecked` because `CheckpointerBox` gives
/// it to one run at a time.
final class Checkpointer: @unchecked Sendable {
    /// The WAL after a checkpoint.
    struct State {
        /// Pages in the WAL.
        var pages: Int
        /// Pages of it that have been copied into the database.
        var moved: Int
    }

    /// How long a checkpoint that restarts the WAL waits for readers, in ms; writers wait as long.
    private static let busyTimeout: Int32 = 50

    private let file: DatabaseFile
    private var handle: OpaquePointer { file.connection.handle }

    /// Opens a connection; nil if that fails.
    init?(path: String, vfs: String?) {
        guard let file = try? DatabaseFile(path: path, vfs: vfs) else { return nil }
        self.file = file
        var keeps: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        // A connection that has read nothing does not know the WAL. This pragma does not load the schema, about 40 kB.
        guard sqlite3_exec(handle, "PRAGMA user_version", nil, nil, nil) == SQLITE_OK else { return nil }
    }

    /// Copies the pages that no reader needs (PASSIVE); no one waits. Nil if it fails.
    func move() -> State? { checkpoint(SQLITE_CHECKPOINT_PASSIVE) }

    /// Copies all pages and lets the next write restart the WAL (RESTART). Writers wait, so little should be left to
    /// copy. A reader in the way makes it give up after 50 ms.
    func beginAnew() -> State? { checkpoint(SQLITE_CHECKPOINT_RESTART) }

    /// Does the same and truncates the WAL file (TRUNCATE).
    func empty() -> State? { checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }

    private func checkpoint(_ mode: Int32) -> State? {
        var (pages, moved): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &moved)
        guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_BUSY, pages >= 0 else { return nil }
        return State(pages: Int(pages), moved: Int(moved))
    }
}

/// Keeps the checkpoint connection from one truncation run to the next.
///
/// Closing a connection that may write takes the PENDING lock for a moment, because sqlite3WalClose checks whether it
/// is the last one. A reader without a busy time-out that opens the file at that moment gets SQLITE_BUSY.
final class CheckpointerBox: Sendable {
    private let checkpointer = Mutex<Checkpointer?>(nil)

    /// The kept connection, removed from the box; nil if there is none.
    func take() -> Checkpointer? {
        checkpointer.withLock { checkpointer in
            defer { checkpointer = nil }
            return checkpointer
        }
    }

    /// Keeps a connection for the next run; nil closes the kept one.
    func give(back used: Checkpointer?) {
        checkpointer.withLock { $0 = used }
    }
}

extension Connection {
    /// Pages that this connection has written to the WAL since the last call.
    func takeWrittenPages() -> Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
        return Int(pages)
    }

    /// Sets the WAL size at which a commit of this connection checkpoints, in pages; SQLite's default is 1000.
    func setAutomaticCheckpoint(pages: Int) { sqlite3_wal_autocheckpoint(handle, Int32(clamping: pages)) }
}
