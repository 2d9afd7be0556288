import Model

/// A short summary of the state of all sources, for the status line; a snapshot that does not follow the engine.
public struct EngineSummary: Sendable, Hashable {
    /// The number of enabled sources; 0 or more.
    public var enabled: Int
    /// Names of the enabled sources whose last poll failed; in configured order until a reload adds or removes
    /// sources. A poll that failed on our side does not count.
    public var failing: [String] = []
    /// When the next poll is due, as uptime; nil if no source is enabled or all are being polled.
    public var nextPoll: Duration?
    /// The uptime until which polls pause because the store cannot be written; nil if they do not.
    public var storePausedUntil: Duration?
    /// The free bytes at which polls resume; nil unless they pause for lack of disk space.
    public var missingSpace: Int64?
    /// The first source whose last polls failed on our side, and the reason, as `NAME: REASON`; nil if there is none.
    public var setback: String?
    /// How far wall time is from that of the server that answered last, in whole seconds (server minus ours); nil
    /// unless they differ by more than 600 s.
    public var clockError: Int?
}

extension Engine {
    /// The present state of all enabled sources; computed anew at each call, in time linear in their number.
    public var summary: EngineSummary {
        let enabled = sources.filter { $0.settings.isEnabled }
        return EngineSummary(
            enabled: enabled.count, failing: enabled.filter { $0.record.failures > 0 }.map { $0.settings.name },
            nextPoll: dues.map { $0.at }.min(), storePausedUntil: storePausedUntil,
            missingSpace: disk.allowsPolls ? nil : disk.resumption,
            setback: enabled.first { $0.setbacks > 0 }.map { "\($0.settings.name): \($0.lastSetback?.message ?? "")" },
            clockError: clock.error.map { Int(clamping: $0.rounded()) })
    }

    /// The enabled sources that are due during a pause that their host asked for (Retry-After), with the host and the
    /// uptime of its end. In no fixed order after a reload.
    public func hostPauses(at now: Moment) -> [(source: String, host: String, until: Duration)] {
        sources.compactMap { source -> (source: String, host: String, until: Duration)? in
            let host = Origin(source.settings.url).host
            guard source.settings.isEnabled, source.poll == nil,
                let until = hosts[host]?.pauseEnd(for: .configured), until > now.uptime, until >= source.due
            else { return nil }
            return (source.settings.name, host, until)
        }
    }
}
