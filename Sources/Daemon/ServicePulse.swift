import Model

/// When the service manager hears of the daemon: its watchdog, and the line of `systemctl status`.
///
/// A value without a clock. The loop of `Poller` asks it after each input and sends what it says. Without a manager it
/// wants nothing and wakes nobody.
struct ServicePulse: Sendable {
    /// What the watchdog is to be told after a tick.
    enum Beat: Sendable, Hashable {
        /// All goes on.
        case alive
        /// Work has not come back for `hangTimeout`: the watchdog is not fed any more. Said once, for the log.
        case hung(BlockingWork.Piece)
    }

    /// How long work may occupy the store or the decoders. Long beyond any sense on purpose: a slow disk, a large reset
    /// or a file system that waits for its server must not bring restarts, which would not help them; a lock or a loop
    /// in this program must not last for ever.
    static let hangTimeout = Duration.seconds(1800)
    /// Least time between two lines of status, so that polls which end together are one.
    static let statusGap = Duration.seconds(2)
    /// Least time between two beats: a watchdog that waits for less must not keep the processor busy.
    static let leastPeriod = Duration.milliseconds(100)

    /// A third of what the manager waits, so that two beats may be late.
    private let period: Duration?
    /// Whether the watchdog wants beats more often than they come.
    let isTooSlow: Bool
    private var nextBeat: Duration
    private var isHung = false
    /// When the line is due; nil: nothing has changed.
    private var statusDue: Duration?
    private var lastStatus: Duration?

    /// - Parameters:
    ///   - watchdog: How long the manager waits; nil: there is no watchdog.
    ///   - uptime: Now.
    init(watchdog: Duration?, at uptime: Duration) {
        period = watchdog.map { max($0 / 3, Self.leastPeriod) }
        isTooSlow = watchdog.map { $0 / 3 < Self.leastPeriod } ?? false
        nextBeat = uptime
    }

    /// A tick has been handled: what the watchdog is to be told, if anything.
    ///
    /// A tick of the schedule's own that comes in the second half of the period stands in for the watchdog's, which
    /// saves a wake-up.
    mutating func beat(oldest work: BlockingWork.Piece?, at uptime: Duration) -> Beat? {
        guard let period, uptime >= nextBeat - period / 2 else { return nil }
        nextBeat = uptime + period
        if let work, uptime - work.since >= Self.hangTimeout {
            defer { isHung = true }
            return isHung ? nil : .hung(work)
        }
        isHung = false
        return .alive
    }

    /// Something has changed of which the status tells.
    mutating func changed(at uptime: Duration) {
        guard statusDue == nil else { return }
        statusDue = max(uptime, lastStatus.map { $0 + Self.statusGap } ?? uptime)
    }

    /// Whether the status is to be sent now; then nothing has changed until the next `changed(at:)`.
    mutating func tellsStatus(at uptime: Duration) -> Bool {
        guard let due = statusDue, due <= uptime else { return false }
        statusDue = nil
        lastStatus = uptime
        return true
    }

    /// When a tick must come: what the schedule wants, or before.
    func wake(before schedule: Duration?) -> Duration? {
        [schedule, period == nil ? nil : nextBeat, statusDue].compactMap { $0 }.min()
    }
}
