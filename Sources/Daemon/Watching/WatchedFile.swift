import Foundation
import SQLite
import Synchronization

/// A file, and the kernel's watches (inotify(7)) on the folders in which it is replaced.
///
/// There are two folders at the most: the one that the path names, with the links in it, such as Kubernetes' `..data`, and
/// the one that holds the file itself, where a link leads there. Nobody tells of what lies further up: a folder or link
/// that is replaced, or a missing folder that is made. `look` finds it.
final class WatchedFile: Sendable {
    private struct State: Sendable {
        /// The numbers of the watches.
        var watches: Set<Int32> = []
        /// The file at the last look; nil: the path led to none.
        var facts: Facts?
    }

    /// What differs after the file has been written, replaced or given other rights.
    private struct Facts: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var mode: UInt32
        /// Last change of content, times or rights, as seconds and nanoseconds.
        var changed: [Int]

        /// Nil when the path leads to nothing that we may reach.
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

    /// What is told of a folder and what is in it. That a file is created is not: it still has to be written.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    /// Where the kernel tells of events, without blocking; negative when it has none left to give.
    let descriptor: Int32
    private let path: String
    private let state = Mutex(State())

    /// Looks at the file for the first time; it may be missing.
    init(path: String) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.path = path
        _ = look()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Follows the path anew, and looks at the file.
    /// - Returns: Whether it has changed since the last look: its content, its rights, or which file it is, if any.
    func look() -> Bool {
        state.withLock { state in
            // A watch tells of what comes after it, so the look comes second.
            watchFolders(&state)
            let facts = Facts(path)
            defer { state.facts = facts }
            return facts != state.facts
        }
    }

    /// Looks at the file if the kernel has told anything since the last time.
    /// - Returns: As `look` does; false when it has not.
    func tellEdit() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isTold = false
        while read(descriptor, &buffer, buffer.count) > 0 { isTold = true }
        return isTold && look()
    }

    private func watchFolders(_ state: inout State) {
        var watches: Set<Int32> = []
        for file in [path, DatabasePath.resolved(path)] {
            // One folder has one number, by whatever path.
            let number = inotify_add_watch(descriptor, DatabasePath.folder(of: file), Self.events)
            if number >= 0 { watches.insert(number) }
        }
        for number in state.watches.subtracting(watches) { inotify_rm_watch(descriptor, number) }
        state.watches = watches
    }
}
