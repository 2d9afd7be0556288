import Synchronization

/// How many requests have been answered, by status, since the program began; for `/metrics`.
public final class RequestCounts: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    /// Begins with none.
    public init() {}

    /// Counts an answer by its status, which is one of the few that this program gives.
    public func count(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }

    /// The numbers so far, by status; a status that was never given is missing.
    public var all: [Int: Int] { counts.withLock { $0 } }
}
