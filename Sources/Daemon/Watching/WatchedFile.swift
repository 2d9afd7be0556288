import Foundation
import SQLite
import Settings
import Synchronization

/// A file, or the files of a configuration, and the kernel's watches (inotify(7)) on the folders in which they are
/// replaced.
///
/// A file has at most two folders: the one that the path names, with links such as Kubernetes' `..data`, and the one
/// that holds the file itself, if a link leads there. Changes further up, such as a replaced folder or link, and new
/// links are not reported; `look` finds them.
final class WatchedFile: Sendable {
    private struct State: Sendable {
        /// The numbers of the watches.
        var watches: Set<Int32> = []
        /// The files at the last look, by path; without those that could not be reached.
        var facts: [String: Facts] = [:]
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

    /// The watched events of a folder and its files.
    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_CREATE)

    /// The non-blocking descriptor of the events; negative if the kernel has none left.
    let descriptor: Int32
    private let path: String
    /// The folder of the fragments, which may be missing; nil: there are none.
    private let fragments: String?
    private let state = Mutex(State())

    /// Checks the file for the first time; it may be missing.
    /// - Parameter watchesFragments: Whether it is a configuration, with the files of `conf.d` beside it.
    init(path: String, watchesFragments: Bool = false) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        self.path = path
        fragments = watchesFragments ? SettingsFiles.folder(beside: path) : nil
        _ = look()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Follows the paths anew, and checks the files.
    /// - Returns: Whether a file has changed since the last look: its content, its rights, or its identity or
    ///   existence.
    func look() -> Bool {
        state.withLock { state in
            var watches: Set<Int32> = []
            var files = [path]
            // A watch reports only later events, so the check comes second.
            if let fragments {
                watch(fragments, &watches)
                files += (try? SettingsFiles.fragments(beside: path)) ?? []
            }
            for file in files {
                watch(DatabasePath.folder(of: file), &watches)
                watch(DatabasePath.folder(of: DatabasePath.resolved(file)), &watches)
            }
            for number in state.watches.subtracting(watches) { inotify_rm_watch(descriptor, number) }
            state.watches = watches
            var facts: [String: Facts] = [:]
            for file in files { facts[file] = Facts(file) }
            defer { state.facts = facts }
            return facts != state.facts
        }
    }

    /// Checks the file if the kernel has reported an event.
    /// - Returns: As `look`; false without an event.
    func tellEdit() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isTold = false
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return isTold && look() }
            isTold = Self.mayTellEdit(buffer[..<count]) || isTold
        }
    }

    /// Whether one of the kernel's events may be an edit. A created file still has to be written; a created folder may
    /// be `conf.d`.
    private static func mayTellEdit(_ events: ArraySlice<UInt8>) -> Bool {
        events.withUnsafeBytes { events in
            var offset = 0
            // An event is watch, mask, cookie and length, of 4 bytes each, then a name of that length.
            while offset + 16 <= events.count {
                let mask = events.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                if mask & UInt32(IN_CREATE) == 0 || mask & UInt32(IN_ISDIR) != 0 { return true }
                offset += 16 + Int(events.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            }
            return false
        }
    }

    /// Watches a folder, which has one number, by whatever path it is watched.
    private func watch(_ folder: String, _ watches: inout Set<Int32>) {
        let number = inotify_add_watch(descriptor, folder, Self.events)
        if number >= 0 { watches.insert(number) }
    }
}
