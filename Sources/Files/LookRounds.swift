/// When to look for a commit after the kernel has reported a write: at once, and 2, 10 and 100 ms later, because the
/// report may come before the commit is visible.
struct LookRounds {
    /// The waits between the looks of a round.
    private static let waits: [Duration] = [.milliseconds(2), .milliseconds(8), .milliseconds(90)]

    /// The number of the present round, or of the last one.
    private(set) var round = 0
    /// The index of the wait that is running; nil: no round.
    private var running: Int?
    private var isTold = false

    /// The kernel has reported a write.
    /// - Returns: The wait to begin, and a look is due; nil if the next look comes within 2 ms.
    mutating func begin() -> Duration? {
        guard running != 0 else {
            isTold = true
            return nil
        }
        round += 1
        running = 0
        return Self.waits[0]
    }

    /// A wait of a round is over.
    /// - Returns: Whether a look is due, which it is not for an earlier round; and the next wait, if there is one.
    mutating func ring(_ round: Int) -> (isDue: Bool, wait: Duration?) {
        guard round == self.round, let index = running else { return (false, nil) }
        running = isTold ? 0 : index + 1 < Self.waits.count ? index + 1 : nil
        isTold = false
        return (true, running.map { Self.waits[$0] })
    }
}
