/// Stops paid reads below twice the floor of free space, and polls below the floor.
///
/// Each resumes at an eighth above its limit, so that it does not flutter.
struct DiskJudge: Sendable {
    /// A change of what is allowed.
    enum Change: Sendable, Hashable {
        case paidReadsStopped, pollsStopped, pollsResumed, paidReadsResumed
    }

    /// The least free space for polls, in bytes; 0: no limit.
    var floor: Int64
    /// Whether reads that cost money may be made.
    private(set) var allowsPaidReads = true
    /// Whether polls may begin.
    private(set) var allowsPolls = true

    /// The free space in bytes at which polls resume.
    var resumption: Int64 { floor + floor / 8 }

    init(floor: Int64) { self.floor = floor }

    /// Takes the free space in bytes; returns the changes in order.
    mutating func observe(free: Int64) -> [Change] {
        [
            turn(\.allowsPaidReads, to: false, when: free < 2 * floor, .paidReadsStopped),
            turn(\.allowsPolls, to: false, when: free < floor, .pollsStopped),
            turn(\.allowsPolls, to: true, when: free >= resumption, .pollsResumed),
            turn(\.allowsPaidReads, to: true, when: free >= 2 * floor + floor / 4, .paidReadsResumed),
        ].compactMap { $0 }
    }

    private mutating func turn(
        _ flag: WritableKeyPath<DiskJudge, Bool>, to value: Bool, when isTime: Bool, _ change: Change
    ) -> Change? {
        guard isTime, self[keyPath: flag] != value else { return nil }
        self[keyPath: flag] = value
        return change
    }
}
