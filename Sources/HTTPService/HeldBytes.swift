import Synchronization

/// Counts the bytes of answers that are being written, so that slow clients cannot hold all memory together.
final class HeldBytes: Sendable {
    /// Answers below this size are always taken; as many as there are connections are little.
    private static let small = 64 << 10

    private let most: Int
    private let held = Atomic(0)

    init(most: Int) { self.most = most }

    /// Takes the bytes of an answer; `give` gives them back.
    /// - Returns: Whether there is room; if not, nothing is taken.
    func take(_ count: Int) -> Bool {
        let now = held.wrappingAdd(count, ordering: .relaxed).newValue
        if now <= most || count < Self.small { return true }
        give(count)
        return false
    }

    /// Gives taken bytes back.
    func give(_ count: Int) { held.wrappingSubtract(count, ordering: .relaxed) }
}
