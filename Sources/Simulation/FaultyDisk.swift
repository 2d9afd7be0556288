import CFaultDisk

/// A disk in memory behind SQLite's VFS interface. It fails on demand and may forget what was not synced.
///
/// It holds files by their full path and never touches real ones. A loss of power leaves unsynced writes within the
/// promises of SQLite's unix VFS for ext4; `faultdisk.h` has the rules. The disk also provides SQL's clock, which only
/// `now` moves, and SQLite's waiting: no call sleeps.
///
/// `@unchecked` because the disk has a lock of its own.
public final class FaultyDisk: @unchecked Sendable {
    /// An operation that SQLite asks of a disk; the numbers are those of `faultdisk.h`.
    public enum Operation: Int32, CaseIterable, Sendable {
        /// Opening or creating a file; it can fail by `ioError`, `full` or `cannotOpen`.
        case open = 0
        /// Deleting a file; it is durable at once.
        case delete
        /// Reading part of a file.
        case read
        /// Writing part of a file; the only operation that can be `full` halfway.
        case write
        /// Syncing a file: what was written before survives a loss of power.
        case sync
        /// Truncating a file; not durable before a sync.
        case truncate
        /// Taking a lock on a file, or the writer's lock of a WAL. Releasing a lock never fails.
        case lock
        /// Mapping part of the WAL-index (the `-shm` file).
        case map
    }

    /// How an operation fails. A fault that an operation cannot have (a busy read) is an I/O error.
    public enum Fault: Int32, CaseIterable, Sendable {
        /// SQLITE_IOERR; a write may have been done in part.
        case ioError = 1
        /// SQLITE_FULL from a write, done in part; SQLITE_CANTOPEN from an open.
        case full
        /// SQLITE_BUSY from a lock, as if another process held it.
        case busy
        /// SQLITE_CANTOPEN from an open.
        case cannotOpen
        /// The process dies during the operation, as by `killProcess`.
        case kill
        /// The power fails during the operation, as by `losePower`.
        case powerLoss

        /// Whether the disk is dead afterwards, until `revive`.
        public var isDeath: Bool { self == .kill || self == .powerLoss }
    }

    private let disk: OpaquePointer

    /// Creates an empty disk without limit, with its clock at 0; it never fails before `fail`.
    /// - Parameters:
    ///   - seed: Decides what a loss of power leaves, and how much of a failing write is done.
    ///   - isDefault: Whether databases that this process opens later without naming a VFS are on this disk, until a
    ///     newer default disk takes its place. SQLite's random generator then starts anew from `seed`.
    public init(seed: UInt64, isDefault: Bool = true) {
        disk = faultdisk_create(seed, isDefault)
    }

    /// The VFS's name is free at once; the memory is freed with the last open file.
    deinit { faultdisk_release(disk) }

    /// Name of the VFS for `sqlite3_open_v2` or `file:/path?vfs=name`, unique among existing disks.
    public var name: String { String(cString: faultdisk_name(disk)) }

    // MARK: - Faults

    /// Makes `times` operations of a kind fail after `after` more have passed. It replaces the previous setting for
    /// that kind.
    /// - Parameters:
    ///   - after: 0 or more; 0: the next one fails.
    ///   - times: 1 or more; `Int.max`: all until cleared.
    public func fail(_ operation: Operation, with fault: Fault, after: Int = 0, times: Int = 1) {
        faultdisk_fail(disk, operation.rawValue, fault.rawValue, Int64(after), Int64(times))
    }

    /// Removes all faults set by `fail`; `capacity` stays.
    public func clearFaults() { faultdisk_clear_faults(disk) }

    /// Bytes of all files together, without the WAL-index, beyond which writes return SQLITE_FULL; nil, the default: no
    /// limit.
    public var capacity: Int? {
        get {
            let bytes = faultdisk_capacity(disk)
            return bytes < 0 ? nil : Int(bytes)
        }
        set { faultdisk_set_capacity(disk, newValue.map { Int64($0) } ?? -1) }
    }

    // MARK: - Deaths

    /// Kills every open file; the seed decides which unsynced writes are kept, lost or torn.
    ///
    /// Operations on dead files are I/O errors; unlocking and closing work and change nothing. No file can be opened
    /// before `revive`. WAL-index and locks are gone, so the next connection recovers the database.
    public func losePower() { faultdisk_lose_power(disk) }

    /// Kills every open file like `losePower`, but all writes survive in the page cache, as after kill -9. A later loss
    /// of power may still lose them.
    public func killProcess() { faultdisk_kill_process(disk) }

    /// Allows files to be opened again; does nothing on a living disk. Dead files stay dead: close them before, so
    /// that `openFiles` is 0.
    public func revive() { faultdisk_revive(disk) }

    /// Whether the process or the power has died, without a `revive` since.
    public var isDead: Bool { faultdisk_is_dead(disk) }

    // MARK: - State

    /// SQL's clock in milliseconds since 1970, initially 0; only setting it moves it.
    public var now: Int64 {
        get { faultdisk_now(disk) }
        set { faultdisk_set_now(disk, newValue) }
    }

    /// Number of open files, dead ones included.
    public var openFiles: Int { Int(faultdisk_open_files(disk)) }

    /// Bytes of all files together, as the process sees them; the WAL-index is not counted.
    public var usedBytes: Int { Int(faultdisk_used(disk)) }

    /// Bytes of the file at a full path (`…-wal` for the WAL); nil: no such file.
    public func size(of path: String) -> Int? {
        let bytes = faultdisk_size(disk, path)
        return bytes < 0 ? nil : Int(bytes)
    }

    /// Syncs the file at a full path and renames it, replacing a file of the new name; a missing file is ignored.
    /// SQLite never renames, but the code that copies databases does.
    public func rename(_ path: String, to other: String) { faultdisk_rename(disk, path, other) }

    /// Removes the file at a full path; a missing one is ignored.
    public func remove(_ path: String) { faultdisk_remove(disk, path) }

    // MARK: - Counts since the disk was created

    /// Operations of each kind on a living disk, failed ones included; every kind is a key.
    public var counts: [Operation: Int] { byOperation(faultdisk_count) }

    /// Operations of each kind that failed by `fail`; every kind is a key.
    public var firedByOperation: [Operation: Int] { byOperation(faultdisk_fired) }

    /// Operations of all kinds that failed by `fail`, the sum of `firedByOperation`.
    public var firedFaults: Int { firedByOperation.values.reduce(0, +) }

    /// Writes that failed because they went beyond `capacity`.
    public var fullWrites: Int { Int(faultdisk_get_tally(disk).full) }

    /// Losses of power, by `losePower` and by `fail`.
    public var powerLosses: Int { Int(faultdisk_get_tally(disk).power_losses) }

    /// Deaths of the process, by `killProcess` and by `fail`.
    public var kills: Int { Int(faultdisk_get_tally(disk).kills) }

    /// Unsynced writes that losses of power left whole.
    public var writesKept: Int { Int(faultdisk_get_tally(disk).writes_kept) }

    /// Unsynced writes and truncations that losses of power undid.
    public var writesLost: Int { Int(faultdisk_get_tally(disk).writes_lost) }

    /// Unsynced writes that losses of power left in part.
    public var writesTorn: Int { Int(faultdisk_get_tally(disk).writes_torn) }

    /// Bytes that losses of power undid.
    public var bytesLost: Int { Int(faultdisk_get_tally(disk).bytes_lost) }

    private func byOperation(_ count: (OpaquePointer, Int32) -> Int64) -> [Operation: Int] {
        Dictionary(uniqueKeysWithValues: Operation.allCases.map { ($0, Int(count(disk, $0.rawValue))) })
    }
}
