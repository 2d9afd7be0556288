/// The schedule of look-ups in the city table: one at a time, as soon as events may wait.
///
/// A failed look-up is repeated after a minute. Once an hour a look-up first reopens questions, because kept answers
/// expire; without new events it begins for that alone.
struct LookUpSchedule: Sendable {
    /// The wait after a failed look-up.
    static let retryInterval = Duration.seconds(60)
    /// How often questions are reopened.
    static let reopenInterval = Duration.seconds(3600)
    /// How long reopening waits for a look-up that is needed anyway.
    static let reopenDelay = Duration.seconds(60)

    /// The look-up under way: when it began, as uptime, and whether it reopens questions.
    private var current: (since: Duration, reopening: Bool)?
    /// Whether events may have arrived since it began.
    private var isWanted = false
    /// When questions were last reopened, as uptime.
    private var lastReopening: Duration?
    /// When the next look-up begins if nothing else asks for one, as uptime.
    private var due: Duration?

    /// When time alone begins a look-up, as uptime; nil during a look-up.
    var nextWake: Duration? { current == nil ? due : nil }

    /// Requests a look-up.
    mutating func want() { isWanted = true }

    /// Begins a look-up if one is due.
    /// - Returns: Whether to reopen questions first; nil if no look-up begins.
    mutating func begin(at now: Moment) -> Bool? {
        let isDue = due.map { $0 <= now.uptime } ?? false
        guard current == nil, isWanted || isDue else { return nil }
        let reopening = lastReopening.map { now.uptime - $0 >= Self.reopenInterval } ?? true
        current = (now.uptime, reopening)
        isWanted = false
        return reopening
    }

    /// Ends the look-up under way.
    mutating func end(hasFailed: Bool, at now: Moment) {
        guard let (since, reopening) = current else { return }
        current = nil
        if reopening, !hasFailed { lastReopening = since }
        due =
            hasFailed
            ? now.uptime + Self.retryInterval : lastReopening.map { $0 + Self.reopenInterval + Self.reopenDelay }
    }
}
