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
    /// Bytes that the disk must have free before polls go on; nil while they may begin.
    public var missingSpace: Int64?
    /// A source whose last polls could not be made or stored for no fault of its own, and why; nil when there is none.
    public var setback: String?

    /// Creates a summary.
    public init(
        enabled: Int, failing: [String] = [], nextPoll: Duration? = nil, storePausedUntil: Duration? = nil,
        missingSpace: Int64? = nil, setback: String? = nil
    ) {
        self.enabled = enabled
        self.failing = failing
        self.nextPoll = nextPoll
        self.storePausedUntil = storePausedUntil
        self.missingSpace = missingSpace
        self.setback = setback
    }
}

extension Engine {
    /// How the sources are doing.
    public var summary: EngineSummary {
        let enabled = sources.filter { $0.settings.isEnabled }
        return EngineSummary(
            enabled: enabled.count, failing: enabled.filter { $0.record.failures > 0 }.map { $0.settings.name },
            nextPoll: dues.map { $0.at }.min(), storePausedUntil: storePausedUntil,
            missingSpace: disk.allowsPolls ? nil : disk.resumption,
            setback: enabled.first { $0.setbacks > 0 }.map { "\($0.settings.name): \($0.lastSetback?.message ?? "")" })
    }
}
