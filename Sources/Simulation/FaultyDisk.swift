import CFaultDisk

/// A disk in memory behind SQLite's VFS interface that fails on demand and forgets what was not synced.
///
/// It holds files by their full path and never touches real ones. What a loss of power leaves of unsynced writes
/// follows what SQLite's unix VFS promises of ext4; `faultdisk.h` has the rules. SQL's clock and SQLite's waiting are
/// the disk's too: `now` stands still until it is set, and nobody sleeps.
///
/// `@unchecked` because the disk locks itself.
public final class FaultyDisk: @unchecked Sendable {
    /// What SQLite asks of a disk; the numbers are those of `faultdisk.h`.
    public enum Operation: Int32, CaseIterable, Sendable {
        /// Opening or creating a file.
        case open = 0
        /// Deleting a file.
        case delete
        /// Reading a part of a file.
        case read
        /// Writing a part of a file.
        case write
        /// Bringing a file's writes to the disk.
        case sync
        /// Cutting a file off.
        case truncate
        /// Taking a lock on a file, or the writer's lock of a WAL.
        case lock
        /// Mapping a part of the WAL-index (the `-shm` file).
        case map
    }

    /// How an operation fails; where that makes no sense (a busy read) it is an I/O error.
    public enum Fault: Int32, CaseIterable, Sendable {
        /// SQLITE_IOERR; a write may have been done in part.
        case ioError = 1
        /// SQLITE_FULL from a write, done in part.
        case full
        /// SQLITE_BUSY from a lock, as if another process held it.
        case busy
        /// SQLITE_CANTOPEN from an open.
        case cannotOpen
        /// The process dies in the middle of the operation, as by `killProcess`.
        case kill
        /// The power goes in the middle of the operation, as by `losePower`.
        case powerLoss

        /// Whether the disk is dead afterwards.
        public var isDeath: Bool { self == .kill || self == .powerLoss }
    }

    private let disk: OpaquePointer

    /// Creates an empty disk.
    /// - Parameters:
    ///   - seed: Decides what losses of power leave, and how much of a failing write is done.
    ///   - isDefault: Whether every database that this process opens from now on, without naming a VFS, lies on this
    ///     disk; a newer default disk takes its place. SQLite's own generator starts anew from `seed` then.
    public init(seed: UInt64, isDefault: Bool = true) {
        disk = faultdisk_create(seed, isDefault)
    }

    /// Files that are still open keep their bytes; the disk goes with the last of them.
    deinit { faultdisk_release(disk) }

    /// Name of the VFS for `sqlite3_open_v2` or `file:/path?vfs=name`, unique among living disks.
    public var name: String { String(cString: faultdisk_name(disk)) }

    // MARK: - Faults

    /// Lets `times` operations of a kind fail after `after` more have passed; takes the place of what was set for that
    /// kind before.
    /// - Parameter times: `Int.max`: until cleared.
    public func fail(_ operation: Operation, with fault: Fault, after: Int = 0, times: Int = 1) {
        faultdisk_fail(disk, operation.rawValue, fault.rawValue, Int64(after), Int64(times))
    }

    /// Lets all operations succeed again; `capacity` stays.
    public func clearFaults() { faultdisk_clear_faults(disk) }

    /// Bytes of all files together, beyond which writes give SQLITE_FULL; nil, the default: no limit.
    public var capacity: Int? {
        get {
            let bytes = faultdisk_capacity(disk)
            return bytes < 0 ? nil : Int(bytes)
        }
        set { faultdisk_set_capacity(disk, newValue.map { Int64($0) } ?? -1) }
    }

    // MARK: - Deaths

    /// Every open file is dead from now on, and what was not synced is kept, lost or torn by the seed.
    ///
    /// Operations on dead files are I/O errors; closing one works and changes nothing. Nothing can be opened before
    /// `revive`. WAL-index and locks are gone, so the next to open a database recovers it.
    public func losePower() { faultdisk_lose_power(disk) }

    /// Every open file is dead from now on, as by `losePower`, but all writes survive in the page cache, as after
    /// kill -9; what was not synced can still be lost with the power.
    public func killProcess() { faultdisk_kill_process(disk) }

    /// Lets files be opened again; close the dead ones first (`openFiles` is 0 then).
    public func revive() { faultdisk_revive(disk) }

    /// Whether the process has died and has not been revived.
    public var isDead: Bool { faultdisk_is_dead(disk) }

    // MARK: - What there is

    /// SQL's clock in milliseconds since 1970; 0 at the start.
    public var now: Int64 {
        get { faultdisk_now(disk) }
        set { faultdisk_set_now(disk, newValue) }
    }

    /// Files now open, dead ones included.
    public var openFiles: Int { Int(faultdisk_open_files(disk)) }

    /// Bytes of all files together.
    public var usedBytes: Int { Int(faultdisk_used(disk)) }

    /// Bytes of the file at a full path (`…-wal` for the WAL); nil: there is none.
    public func size(of path: String) -> Int? {
        let bytes = faultdisk_size(disk, path)
        return bytes < 0 ? nil : Int(bytes)
    }

    /// Brings a file to the disk and gives it another name, in place of what has it: SQLite renames nothing, but who
    /// makes databases for others does.
    public func rename(_ path: String, to other: String) { faultdisk_rename(disk, path, other) }

    /// Removes a file, if it is there.
    public func remove(_ path: String) { faultdisk_remove(disk, path) }

    // MARK: - What has happened

    /// How often each operation was asked of living files, failed ones included.
    public var counts: [Operation: Int] { byOperation(faultdisk_count) }

    /// How often each operation failed by `fail`.
    public var firedByOperation: [Operation: Int] { byOperation(faultdisk_fired) }

    /// How many operations failed by `fail`.
    public var firedFaults: Int { firedByOperation.values.reduce(0, +) }

    /// Writes beyond `capacity`.
    public var fullWrites: Int { Int(faultdisk_get_tally(disk).full) }

    /// Losses of power.
    public var powerLosses: Int { Int(faultdisk_get_tally(disk).power_losses) }

    /// Deaths of the process alone.
    public var kills: Int { Int(faultdisk_get_tally(disk).kills) }

    /// Unsynced writes that survived losses of power whole.
    public var writesKept: Int { Int(faultdisk_get_tally(disk).writes_kept) }

    /// Unsynced writes and truncations that losses of power undid.
    public var writesLost: Int { Int(faultdisk_get_tally(disk).writes_lost) }

    /// Unsynced writes of which losses of power left some sectors.
    public var writesTorn: Int { Int(faultdisk_get_tally(disk).writes_torn) }

    /// Bytes that losses of power undid.
    public var bytesLost: Int { Int(faultdisk_get_tally(disk).bytes_lost) }

    private func byOperation(_ count: (OpaquePointer, Int32) -> Int64) -> [Operation: Int] {
        Dictionary(uniqueKeysWithValues: Operation.allCases.map { ($0, Int(count(disk, $0.rawValue))) })
    }
}
