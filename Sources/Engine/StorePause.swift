/// The pause after a store failure: 30 s, doubled with each pause in a row, up to 16 minutes.
struct StorePause: Sendable {
    private static let first = Duration.seconds(30)
    private static let maximumDoublings = 5

    /// Pauses in a row.
    private var count = 0

    /// Whether the next pause has the longest length.
    var isLongest: Bool { count >= Self.maximumDoublings }

    /// Begins a pause; returns its end, as uptime.
    mutating func begin(at now: Moment) -> Duration {
        let end = now.uptime + Self.first * (1 << min(count, Self.maximumDoublings))
        count += 1
        return end
    }

    /// Notes that the store works; returns whether it had failed before.
    mutating func recover() -> Bool {
        defer { count = 0 }
        return count > 0
    }
}
