/// How long nothing is written after the store has failed: 30 s, doubling with each pause in a row up to 16 minutes.
struct StorePause: Sendable {
    private static let first = Duration.seconds(30)
    private static let maximumDoublings = 5

    /// Pauses in a row.
    private var count = 0

    /// Whether the pause that begins next is of the longest.
    var isLongest: Bool { count >= Self.maximumDoublings }

    /// The store has failed: the end of the pause, as uptime.
    mutating func begin(at now: Moment) -> Duration {
        let end = now.uptime + Self.first * (1 << min(count, Self.maximumDoublings))
        count += 1
        return end
    }

    /// The store works; returns whether it had failed.
    mutating func recover() -> Bool {
        defer { count = 0 }
        return count > 0
    }
}
