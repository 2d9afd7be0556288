public import Foundation

/// The times at which a source is polled: an anchor and every multiple of the interval after it.
public struct Grid: Sendable, Hashable {
    /// The first time, as uptime; may be past.
    public var anchor: Duration
    /// Time from one poll to the next, above zero.
    public var interval: Duration

    /// The first time of the grid after `time`, never `time` itself. Missed times collapse into one, and the times do
    /// not drift.
    public func next(after time: Duration) -> Duration {
        guard time >= anchor else { return anchor }
        // The quotient is a Double, so it may be a little too small.
        var candidate = anchor + interval * Int(clamping: (time - anchor) / interval)
        while candidate <= time { candidate += interval }
        return candidate
    }
}

/// A poll or a truncation that `visiventd check` predicts.
public struct Forecast: Sendable, Hashable {
    /// Its wall time, if the clock does not step.
    public var at: Date
    /// The source's name; nil for a truncation. A stream has one forecast, its opening.
    public var source: String?
}

extension Engine {
    /// Predicts the polls of enabled sources and the truncations within `length` (without its end), by time, if
    /// nothing fails. At equal times sources come in alphabetical order before the truncation.
    public func forecast(for length: Duration, at now: Moment) -> [Forecast] {
        let end = now.uptime + length
        func times(first: Duration, every interval: Duration, _ source: String?) -> [Forecast] {
            sequence(first: first) { $0 + interval }.prefix { $0 < end }.map {
                Forecast(at: now.wall(at: $0), source: source)
            }
        }
        var entries = sources.filter(\.settings.isEnabled).flatMap { source in
            // A stream is opened once.
            times(
                first: max(source.due, now.uptime), every: source.feed.stream == nil ? source.grid.interval : length,
                source.settings.name)
        }
        entries += times(first: now.uptime + truncation.first, every: truncation.interval, nil)
        return entries.sorted { ($0.at, $0.source ?? "~") < ($1.at, $1.source ?? "~") }
    }
}

/// When truncation runs; values are not checked.
public struct TruncationPlan: Sendable, Hashable {
    /// Time from the start to the first run; default 300 s. A reload does not repeat it.
    public var first: Duration
    /// Time between runs; default 1 h.
    public var interval: Duration

    /// Creates a plan; by default 300 s after the start and then every hour.
    public init(first: Duration = .seconds(300), interval: Duration = .seconds(3600)) {
        self.first = first
        self.interval = interval
    }
}
