import Model
import Synchronization

/// The work that occupies the serial queues on which all sources depend, and its beginnings.
///
/// Truncation does not count: it may take hours on a large store, in short transactions that let others in.
final class BlockingWork: Sendable {
    /// A piece of work.
    struct Piece: Sendable, Hashable {
        /// Its name, in words.
        var name: String
        /// When it began, as uptime.
        var since: Duration
    }

    private let pieces = Mutex<[Piece]>([])
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: The schedule's clock.
    init(uptime: @escaping @Sendable () -> Duration = { TimeSource.live.now().uptime }) { self.uptime = uptime }

    /// Notes the beginning of work on a serial queue; one piece of a name at a time.
    func begin(_ name: String) {
        let piece = Piece(name: name, since: uptime())
        pieces.withLock { $0.append(piece) }
    }

    /// Notes the end of the work of this name.
    func end(_ name: String) { pieces.withLock { $0.removeAll { $0.name == name } } }

    /// The piece that began first; nil if there is none.
    var oldest: Piece? { pieces.withLock { $0.min { $0.since < $1.since } } }
}
