/// Refuses the later writes of a poll after one of them has failed.
///
/// They would commit validators and state of answers whose events are not stored.
public struct WriteFence: Sendable {
    /// Polls with a failed write.
    private var polls: Set<Int> = []

    /// Creates a fence that refuses nothing.
    public init() {}

    /// Notes a failed write; one without a poll changes nothing.
    public mutating func failed(_ id: WriteID) {
        if let poll = id.poll { polls.insert(poll) }
    }

    /// A transient `writeFailed` in place of the write if an earlier write of its poll failed; nil if it may be made.
    public func refusal(of id: WriteID) -> Input? {
        guard let poll = id.poll, polls.contains(poll) else { return nil }
        return .writeFailed(id, "an earlier write of the poll has failed", isTransient: true)
    }
}
