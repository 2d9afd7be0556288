import Model
import Synchronization

/// What occupies the serial queues on which all sources depend, and since when.
///
/// Truncation is not among it: it may take hours on a large store, in transactions that let others in.
final class BlockingWork: Sendable {
    /// One piece of it.
    struct Piece: Sendable, Hashable {
        /// What is done, in words.
        var name: String
        /// When it began, as uptime.
        var since: Duration
    }

    private let pieces = Mutex<[Piece]>([])
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: The schedule's clock.
    init(uptime: @escaping @Sendable () -> Duration = { TimeSource.live.now().uptime }) { self.uptime = uptime }

    /// Work begins on a serial queue; one piece of a name at a time.
    func begin(_ name: String) {
        let piece = Piece(name: name, since: uptime())
        pieces.withLock { $0.append(piece) }
    }

    /// It has come back.
    func end(_ name: String) { pieces.withLock { $0.removeAll { $0.name == name } } }

    /// The piece that has taken longest so far.
    var oldest: Piece? { pieces.withLock { $0.min { $0.since < $1.since } } }
}
