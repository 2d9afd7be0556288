import Foundation
import Synchronization

/// Files that this process works on and that are worth nothing before they are whole: a signal that ends it has them
/// removed.
package enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    /// Work on a file begins.
    package static func add(_ path: String) { _ = paths.withLock { $0.insert(path) } }

    /// A file has got its name, or is gone.
    package static func forget(_ path: String) { _ = paths.withLock { $0.remove(path) } }

    /// Removes all of them; for a signal that ends this process in the middle of its work.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { remove(path) }
    }

    /// Removes a file with the journal that SQLite keeps beside it while it is written.
    package static func remove(_ path: String) {
        unlink(path)
        unlink(path + "-journal")
    }
}
