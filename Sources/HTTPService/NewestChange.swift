import Store
import Synchronization

/// The newest change that a look at the database has found, for requests that need no more than that.
final class NewestChange: Sendable {
    private let found = Mutex<ChangeMark?>(nil)

    /// The change; nil before the first look, and after one that failed.
    var mark: ChangeMark? { found.withLock { $0 } }

    func note(_ mark: ChangeMark?) { found.withLock { $0 = mark } }
}
