/// Decides by the free space what still may be done: first paid reads stop, then polls.
///
/// What has stopped goes on only an eighth above the size at which it stopped, so that it does not flutter.
struct DiskJudge: Sendable {
    /// What has changed.
    enum Change: Sendable, Hashable {
        case paidReadsStopped, pollsStopped, pollsResumed, paidReadsResumed
    }

    /// The floor in bytes; 0: there is none.
    var floor: Int64
    /// Whether reads that cost money may be made.
    private(set) var allowsPaidReads = true
    /// Whether polls may begin.
    private(set) var allowsPolls = true

    /// The free space in bytes at which polls go on.
    var resumption: Int64 { floor + floor / 8 }

    init(floor: Int64) { self.floor = floor }

    /// Takes the free space in bytes; returns what that changes, in order.
    mutating func observe(free: Int64) -> [Change] {
        var changes: [Change] = []
        if allowsPaidReads, free < 2 * floor {
            allowsPaidReads = false
            changes.append(.paidReadsStopped)
        }
        if allowsPolls, free < floor {
            allowsPolls = false
            changes.append(.pollsStopped)
        }
        if !allowsPolls, free >= resumption {
            allowsPolls = true
            changes.append(.pollsResumed)
        }
        if !allowsPaidReads, free >= 2 * floor + floor / 4 {
            allowsPaidReads = true
            changes.append(.paidReadsResumed)
        }
        return changes
    }
}
