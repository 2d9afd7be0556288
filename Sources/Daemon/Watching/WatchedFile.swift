import Foundation
import SQLite
import Synchronization

/// A file, and the kernel's watches (inotify(7)) on the folders in which it is replaced.
///
/// There are at most two folders: the one that the path names, with links such as Kubernetes' `..data`, and the one
/// that holds the file itself, if a link leads there. Changes further up, such as a replaced folder or link, are not
/// reported; `look` finds them.
final class WatchedFile: Sendable {
    private struct State: Sendable {
        /// The numbers of the watches.
        var watches: Set<Int32> = []
        /// The file at the last look; nil if the path led to no file.
        var facts: Facts?
    }

    /// Facts that change when the file is written, replaced or given other rights.
    private struct Facts: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var mode: UInt32
        /// Last change of content, times or rights, in seconds and nanoseconds.
        var changed: [Int]

        /// Nil if the path leads to nothing that can be reached.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            mode = UInt32(status.st_mode)
            changed = [Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec)]
        }
    }

    /// The watched events of a folder and its files. A creation is not among them, because the file still has to be
    /// written.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    /// The non-blocking descriptor of the events; negative if the kernel has none left.
    let descriptor: Int32
    private let path: String
    private let state = Mutex(State())

    /// Checks the file for the first time; it may be missing.
    init(path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.path = path
        _ = look()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Follows the path anew, and checks the file.
    /// - Returns: Whether the file has changed since the last look: its content, its rights, or its identity or
    ///   existence.
    func look() -> Bool {
        state.withLock { state in
            // A watch reports only later events, so the check comes second.
            watchFolders(&state)
            let facts = Facts(path)
            defer { state.facts = facts }
            return facts != state.facts
        }
    }

    /// Checks the file if the kernel has reported an event.
    /// - Returns: As `look`; false without an event.
    func tellEdit() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isTold = false
        while read(descriptor, &buffer, buffer.count) > 0 { isTold = true }
        return isTold && look()
    }

    private func watchFolders(_ state: inout State) {
        var watches: Set<Int32> = []
        for file in [path, DatabasePath.resolved(path)] {
            // A folder has one number, by whatever path it is watched.
            let number = inotify_add_watch(descriptor, DatabasePath.folder(of: file), Self.events)
            if number >= 0 { watches.insert(number) }
        }
        for number in state.watches.subtracting(watches) { inotify_rm_watch(descriptor, number) }
        state.watches = watches
    }
}
