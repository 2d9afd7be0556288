import Foundation
import Synchronization

/// Paths of this process's unfinished files, for a command that a signal ends before any `deinit` can remove them: it
/// calls `removeAll`.
///
/// Safe to use from any thread, but not from a handler of signal(2), because it takes a lock.
package enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    /// Registers the path of a file that is being written; a second time changes nothing.
    package static func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }

    /// Unregisters a file that has its final name or is gone; it stays on the disk. An unknown path changes nothing.
    package static func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

    /// Removes all registered files and their journals; errors are ignored, and the paths stay registered.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { remove(path) }
    }

    /// Removes a file and its rollback journal (`-journal`), registered or not. Errors are ignored.
    package static func remove(_ path: String) {
        unlink(path)
        unlink(path + "-journal")
    }
}
