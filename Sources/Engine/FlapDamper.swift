/// Spares the log a source, or a service, that fails and recovers again and again.
///
/// The beginning of a failure is told unless the last one was told less than `leastTime` ago; then it is told once that
/// time is over, if it still lasts. The end is told of a failure whose beginning was. What is left out is counted.
struct FlapDamper: Sendable, Hashable {
    /// Least time between the beginnings of failures that are told: 30 minutes.
    static let leastTime = Duration.seconds(1800)

    /// When a beginning was last told, as uptime; nil: never since the start.
    private var lastTold: Duration?
    /// Whether the failure under way was told. One from before the start was.
    private var isTold = true
    /// Failures since `lastTold` that were not told, the one under way included.
    private var untold = 0

    /// Notes a failure.
    /// - Parameter isNew: Whether there was none before it.
    /// - Returns: How many failures were left out before this one, which is to be told; nil if it is not.
    mutating func failed(isNew: Bool, at uptime: Duration) -> Int? {
        if isNew {
            isTold = false
            untold += 1
        }
        let isTooSoon = lastTold.map { uptime - $0 < Self.leastTime } ?? false
        guard !isTold, !isTooSoon else { return nil }
        let leftOut = untold - 1
        (lastTold, isTold, untold) = (uptime, true, 0)
        return leftOut
    }

    /// Notes the end of a failure. Returns whether it is to be told.
    mutating func recovered() -> Bool {
        defer { isTold = true }
        return isTold
    }
}
