import Foundation
import Synchronization

/// Paths of this process's unfinished files, which a terminating signal removes. Safe to use from any thread.
package enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    /// Registers a file that is being written.
    package static func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }

    /// Unregisters a file that has its final name or is gone.
    package static func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

    /// Removes all registered files and their journals; for a signal that ends the process.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { remove(path) }
    }

    /// Removes a file and its rollback journal (`-journal`). Errors are ignored.
    package static func remove(_ path: String) {
        unlink(path)
        unlink(path + "-journal")
    }
}
