import Dispatch
import Foundation
import Model
import SQLite
import Synchronization

/// Notices commits of other processes, and that another file has taken the database's place.
///
/// The kernel reports writes to the write-ahead log, and new, moved and removed files in the folder (inotify(7)). While
/// it cannot, as without the folder, SQLite's `data_version` is asked each half second. A folder that is replaced by
/// another one is not reported.
public final class DatabaseWatcher: Sendable {
    /// Calls a function once after a time, on any thread.
    public typealias Timer = @Sendable (_ wait: Duration, _ ring: @escaping @Sendable () -> Void) -> Void

    /// The timer of the machine. It calls on a serial queue of its own.
    public static let machineTimer: Timer = { wait, ring in
        DatabaseWatcher.queue.asyncAfter(deadline: .now() + wait.seconds) { ring() }
    }

    private static let queue = DispatchQueue(label: "visiventd.database")
    private static let interval = Duration.milliseconds(500)

    private let watches: DatabaseWatches
    private let time: Timer
    private let onChange: @Sendable () -> Void
    private let rounds = Mutex(LookRounds())
    /// In use while the kernel does not report.
    private let byHand: Mutex<LookByHand?>
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: (any DispatchSourceRead)?

    /// Starts to watch.
    /// - Parameters:
    ///   - path: The database, which may be missing, as may its folder.
    ///   - time: Times the looks; by default the machine's timer.
    ///   - onChange: Called at an event and 2, 10 and 100 ms after it, on any thread, perhaps on two at once. There may be
    ///     no commit, so it should read the number of the last change. While writes go on, it is called once in 2 ms at
    ///     the most.
    public convenience init(
        path: String, time: @escaping Timer = DatabaseWatcher.machineTimer, onChange: @escaping @Sendable () -> Void
    ) {
        self.init(path: path, usesKernel: true, time: time, onChange: onChange)
    }

    /// Starts to watch; for tests also without the kernel's reports.
    package init(
        path: String, usesKernel: Bool, time: @escaping Timer, onChange: @escaping @Sendable () -> Void
    ) {
        let watches = DatabaseWatches(path: path, usesKernel: usesKernel)
        self.watches = watches
        self.time = time
        self.onChange = onChange
        byHand = Mutex(nil)
        source =
            watches.descriptor < 0
            ? nil : DispatchSource.makeReadSource(fileDescriptor: watches.descriptor, queue: Self.queue)
        source?.setEventHandler(qos: .default, flags: []) { [weak self] in self?.takeEvents() }
        // The descriptor must outlive the source.
        source?.setCancelHandler(qos: .default, flags: []) { withExtendedLifetime(watches) {} }
        source?.resume()
        if !watches.renew() { lookByHand() }
    }

    deinit { source?.cancel() }

    // MARK: - By the kernel

    private func takeEvents() {
        guard watches.takeEvents() else { return }
        // A watch reports only later events, so the look comes second.
        if !watches.renew() { lookByHand() }
        begin()
    }

    private func begin() {
        let (wait, round) = rounds.withLock { ($0.begin(), $0.round) }
        guard let wait else { return }
        set(wait, of: round)
        onChange()
    }

    private func ring(_ round: Int) {
        let (isDue, wait) = rounds.withLock { $0.ring(round) }
        guard isDue else { return }
        if let wait { set(wait, of: round) }
        onChange()
    }

    private func set(_ wait: Duration, of round: Int) {
        time(wait) { [weak self] in self?.ring(round) }
    }

    // MARK: - By hand

    /// Begins to look by hand, unless that goes on already.
    private func lookByHand() {
        let isNew = byHand.withLock { look -> Bool in
            guard look == nil else { return false }
            look = LookByHand(path: watches.path)
            return true
        }
        if isNew { pause() }
    }

    private func pause() {
        time(Self.interval) { [weak self] in self?.pauseIsOver() }
    }

    private func pauseIsOver() {
        if watches.renew() {
            byHand.withLock { $0 = nil }
            return begin()
        }
        let hasChanged = byHand.withLock { $0?.hasChanged() ?? false }
        pause()
        if hasChanged { onChange() }
    }
}

// MARK: - The kernel's watches

/// The watches on a database's write-ahead log and folder; on two folders if a link leads to the database.
private final class DatabaseWatches: Sendable {
    /// Files that come, go or change their names. Files that are closed are not among them, because opening a database
    /// in vain closes one.
    private static let folderEvents = UInt32(
        IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

    /// The non-blocking descriptor of the events; negative if there is none.
    let descriptor: Int32
    let path: String
    /// The numbers of the watches.
    private let numbers = Mutex<Set<Int32>>([])

    init(path: String, usesKernel: Bool) {
        self.path = path
        descriptor = usesKernel ? inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) : -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Takes the events that the kernel has reported; false if there are none.
    func takeEvents() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isTold = false
        while read(descriptor, &buffer, buffer.count) > 0 { isTold = true }
        return isTold
    }

    /// Follows the path anew.
    /// - Returns: Whether all is watched that is there; false without the folder.
    func renew() -> Bool {
        guard descriptor >= 0 else { return false }
        return numbers.withLock { numbers -> Bool in
            var present: Set<Int32> = []
            var isWhole = true
            let resolved = DatabasePath.resolved(path)
            for file in [path, resolved] {
                // A folder has one number, by whatever path it is watched.
                let number = inotify_add_watch(descriptor, DatabasePath.folder(of: file), Self.folderEvents)
                if number >= 0 { present.insert(number) } else { isWhole = false }
            }
            let log = inotify_add_watch(descriptor, resolved + "-wal", UInt32(IN_MODIFY))
            if log >= 0 { present.insert(log) } else if errno != ENOENT { isWhole = false }
            for number in numbers.subtracting(present) { inotify_rm_watch(descriptor, number) }
            numbers = present
            return isWhole
        }
    }
}

// MARK: - data_version

/// Asks SQLite whether another connection has committed (<https://www.sqlite.org/pragma.html#pragma_data_version>).
private struct LookByHand {
    private let path: String
    private var files: DatabaseFiles?
    private var connection: DatabaseFile?
    /// Versions of two connections cannot be compared.
    private var version: Int64?

    init(path: String) {
        self.path = path
        _ = hasChanged()
    }

    /// Whether there has been a commit since the last look, or other files are there.
    mutating func hasChanged() -> Bool {
        let (lastFiles, lastVersion) = (files, version)
        files = DatabaseFiles(path)
        if files != lastFiles || connection == nil {
            connection = try? DatabaseFile(unlinked: DatabasePath.resolved(path))
        }
        version = try? connection?.connection.firstInt64("PRAGMA data_version")
        return files != lastFiles || version != lastVersion
    }
}
