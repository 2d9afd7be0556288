public import Model

/// Refuses the later writes of a poll after one of them has failed.
///
/// They would commit validators and state of answers whose events are not stored.
public struct WriteFence: Sendable {
    /// Polls with a failed write, by source. The next poll of the source ends an entry: a source has one poll at a time.
    private var polls: [String: Int] = [:]

    /// Creates a fence that refuses nothing.
    public init() {}

    /// The number of polls whose writes are refused.
    var count: Int { polls.count }

    /// Notes a failed write; one without a poll changes nothing.
    public mutating func failed(_ id: WriteID, _ content: StoreWrite) {
        if let poll = id.poll, let source = content.source { polls[source] = poll }
    }

    /// A transient `writeFailed` in place of the write if an earlier write of its poll failed; nil if it may be made.
    public mutating func refusal(of id: WriteID, _ content: StoreWrite) -> Input? {
        guard let poll = id.poll, let source = content.source, let failed = polls[source] else { return nil }
        guard failed == poll else {
            polls[source] = nil
            return nil
        }
        return .writeFailed(id, "an earlier write of the poll has failed", isTransient: true)
    }
}
