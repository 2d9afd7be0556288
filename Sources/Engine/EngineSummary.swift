/// How the sources are doing, in a few numbers.
public struct EngineSummary: Sendable, Hashable {
    /// Sources that are enabled.
    public var enabled: Int
    /// Names of those whose last poll failed, in the configured order.
    public var failing: [String]
    /// When the next poll is due, as uptime; nil when none is, or all sources are being polled.
    public var nextPoll: Duration?
    /// Until when nothing is polled because the store cannot be written, as uptime; nil when it can.
    public var storePausedUntil: Duration?

    /// Creates a summary.
    public init(enabled: Int, failing: [String] = [], nextPoll: Duration? = nil, storePausedUntil: Duration? = nil) {
        self.enabled = enabled
        self.failing = failing
        self.nextPoll = nextPoll
        self.storePausedUntil = storePausedUntil
    }
}

extension Engine {
    /// How the sources are doing.
    public var summary: EngineSummary {
        let enabled = sources.filter { $0.settings.isEnabled }
        return EngineSummary(
            enabled: enabled.count, failing: enabled.filter { $0.record.failures > 0 }.map { $0.settings.name },
            nextPoll: dues.map { $0.at }.min(), storePausedUntil: storePausedUntil)
    }
}
