import Dispatch
import Foundation
import Synchronization

/// Notices edits of a file (inotify(7)): written in place, replaced by a rename, or reached through a symbolic link that
/// now leads elsewhere.
///
/// It watches the folders of the file and, if that is a link, of what it leads to: a watch on the file itself would stay
/// with the old one when an editor or a seeding replaces it. In between it needs no time at all.
final class FileWatcher: Sendable {
    /// Cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Begins to watch; `onEdit` may be called more often than the file changes, and when it has come back as it was.
    /// - Throws: `DaemonError.cannotWatch`.
    init(path: String, onEdit: @escaping @Sendable () -> Void) throws(DaemonError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw .cannotWatch(path, String(cString: strerror(errno))) }
        guard let first = Self.watch(path, with: descriptor) else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw .cannotWatch(path, reason)
        }
        let watched = Mutex(first)
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "visiventd.watch"))
        source.setEventHandler(qos: .default, flags: []) {
            let names = Self.names(from: descriptor, ofLinks: Self.isLink(path))
            guard watched.withLock({ !$0.isDisjoint(with: names) }) else { return }
            // A link may lead elsewhere now.
            if let next = Self.watch(path, with: descriptor) { watched.withLock { $0 = next } }
            onEdit()
        }
        source.setCancelHandler(qos: .default, flags: []) { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Watches the folders; a folder that is watched already stays so. Returns the names to look for in them.
    private static func watch(_ path: String, with descriptor: Int32) -> Set<String>? {
        let file = URL(fileURLWithPath: path)
        var names: Set<String> = []
        for place in [file.standardizedFileURL, file.resolvingSymlinksInPath()] {
            let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)
            guard inotify_add_watch(descriptor, place.deletingLastPathComponent().path, events) >= 0 else { return nil }
            names.insert(place.lastPathComponent)
        }
        return names
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The names of the files that events wait for. A file that has just been created still has to be written; a link
    /// has all that it will have.
    private static func names(from descriptor: Int32, ofLinks countsCreation: Bool) -> [String] {
        var names: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return names }
            var start = 0
            // Each is a header, whose last field is the length of the name that follows, padded with zeros.
            while start + MemoryLayout<inotify_event>.size <= count {
                let header = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self) }
                start += MemoryLayout<inotify_event>.size
                let end = min(start + Int(header.len), count)
                if countsCreation || header.mask & UInt32(IN_CREATE) == 0 {
                    names.append(String(decoding: buffer[start..<end].prefix { $0 != 0 }, as: UTF8.self))
                }
                start = end
            }
        }
    }
}
