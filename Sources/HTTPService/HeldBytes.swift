import Synchronization

/// The bytes of one answer: taken for a piece before it is made, and given back when the socket has taken it, at the
/// latest with the last reference.
final class HeldBytes: Sendable {
    /// Answers up to this size need no room: as many as there are connections are little.
    private static let small = 16 << 10
    /// Taken for a piece before its size is known.
    private static let piece = 256 << 10

    private let shares: Shares
    private let client: String
    private let held = Mutex(0)

    init(_ shares: Shares, of client: String) {
        self.shares = shares
        self.client = client
    }

    deinit { set(to: 0) }

    /// Takes room for a piece that is to be made, in place of what was held.
    /// - Returns: Whether there is room; if not, nothing is held.
    func reserve() -> Bool { set(to: min(Self.piece, shares.share)) }

    /// Holds the bytes of a piece that has been made, in place of what was held.
    /// - Parameter isNeeded: Whether the piece cannot be dropped, so that it is counted also without room.
    /// - Returns: Whether there is room; if not, nothing is held.
    @discardableResult
    func set(to count: Int, isNeeded: Bool = false) -> Bool {
        held.withLock { held in
            shares.give(held, of: client)
            held = 0
            guard count > Self.small else { return true }
            guard shares.take(count, for: client, isMade: isNeeded) else { return false }
            held = count
            return true
        }
    }
}
