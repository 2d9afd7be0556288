/// Keeps out of the store what builds on a write that has failed: all later writes of its poll.
///
/// They would commit validators and state of answers whose events are not stored.
public struct WriteFence: Sendable {
    /// Polls of which a write has failed.
    private var polls: Set<Int> = []

    /// Creates a fence that lets everything through.
    public init() {}

    /// A write has failed.
    public mutating func failed(_ id: WriteID) {
        if let poll = id.poll { polls.insert(poll) }
    }

    /// What the engine is told of a write in place of making it; nil: it may be made.
    public func refusal(of id: WriteID) -> Input? {
        guard let poll = id.poll, polls.contains(poll) else { return nil }
        return .writeFailed(id, "an earlier write of the poll has failed", isTransient: true)
    }
}
