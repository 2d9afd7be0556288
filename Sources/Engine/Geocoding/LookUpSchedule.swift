/// When events are looked up in the city table: as soon as some may wait, one look-up after the other.
///
/// A look-up that has failed is repeated after a minute. Each hour one reopens questions first, because kept answers
/// expire; where no other comes then, it is begun for that alone.
struct LookUpSchedule: Sendable {
    /// How soon a look-up is repeated that has failed.
    static let retryInterval = Duration.seconds(60)
    /// How often questions are reopened; and how long a look-up is waited for that reopens them.
    static let reopenInterval = Duration.seconds(3600)
    static let reopenDelay = Duration.seconds(60)

    /// The look-up under way: when it began, as uptime, and whether it reopens questions.
    private var current: (since: Duration, reopening: Bool)?
    /// Whether events may have come since it began.
    private var isWanted = false
    /// When questions were reopened last, as uptime.
    private var lastReopening: Duration?
    /// When the next look-up begins if nothing else asks for one, as uptime.
    private var due: Duration?

    /// When time alone begins a look-up, as uptime.
    var nextWake: Duration? { current == nil ? due : nil }

    /// Events may wait.
    mutating func want() { isWanted = true }

    /// Begins a look-up if it is time for one.
    /// - Returns: Whether questions are to be reopened first; nil: no look-up begins.
    mutating func begin(at now: Moment) -> Bool? {
        let isDue = due.map { $0 <= now.uptime } ?? false
        guard current == nil, isWanted || isDue else { return nil }
        let reopening = lastReopening.map { now.uptime - $0 >= Self.reopenInterval } ?? true
        current = (now.uptime, reopening)
        isWanted = false
        return reopening
    }

    /// The look-up under way is over.
    mutating func end(hasFailed: Bool, at now: Moment) {
        guard let (since, reopening) = current else { return }
        current = nil
        if reopening, !hasFailed { lastReopening = since }
        due =
            hasFailed
            ? now.uptime + Self.retryInterval : lastReopening.map { $0 + Self.reopenInterval + Self.reopenDelay }
    }
}
