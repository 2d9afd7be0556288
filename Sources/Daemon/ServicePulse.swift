import Model

/// Decides when the service manager gets watchdog messages and status lines.
///
/// A value without a clock. `ServiceReporter` asks it after each input of `Poller`. Without a manager it wants nothing
/// and causes no wake-up.
struct ServicePulse: Sendable {
    /// A message about the watchdog after a tick.
    enum Beat: Sendable, Hashable {
        /// The watchdog is fed.
        case alive
        /// Work has not ended for `hangTimeout`, so the watchdog is no longer fed. Returned once, for the log.
        case hung(BlockingWork.Piece)
    }

    /// How long work may occupy the store or the decoders. It is very long on purpose: a restart does not help against
    /// a slow disk, a large reset or a stalled file server, but it ends a deadlock or an endless loop.
    static let hangTimeout = Duration.seconds(1800)
    /// Least time between two status lines, so that polls that end together cause one.
    static let statusGap = Duration.seconds(2)
    /// Least time between two beats, so that a short watchdog does not keep the processor busy.
    static let leastPeriod = Duration.milliseconds(100)

    /// Time between two beats: a third of the manager's time-out, so that two may be late.
    private let period: Duration?
    /// Whether the watchdog needs beats more often than `leastPeriod` allows.
    let isTooSlow: Bool
    private var nextBeat: Duration
    private var isHung = false
    /// When the next status line is due; nil if nothing has changed.
    private var statusDue: Duration?
    private var lastStatus: Duration?

    /// - Parameters:
    ///   - watchdog: The manager's time-out; nil: there is no watchdog.
    ///   - uptime: Now.
    init(watchdog: Duration?, at uptime: Duration) {
        period = watchdog.map { max($0 / 3, Self.leastPeriod) }
        isTooSlow = watchdog.map { $0 / 3 < Self.leastPeriod } ?? false
        nextBeat = uptime
    }

    /// Handles a tick; returns the message about the watchdog, nil if none is due.
    ///
    /// A tick of the schedule in the second half of the period replaces the watchdog's own, which saves a wake-up.
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

    /// Notes a change of the status.
    mutating func changed(at uptime: Duration) {
        guard statusDue == nil else { return }
        statusDue = max(uptime, lastStatus.map { $0 + Self.statusGap } ?? uptime)
    }

    /// Whether to send the status line now; if so, the change counts as reported.
    mutating func tellsStatus(at uptime: Duration) -> Bool {
        guard let due = statusDue, due <= uptime else { return false }
        statusDue = nil
        lastStatus = uptime
        return true
    }

    /// The uptime by which a tick must come, at the latest `schedule`; nil if none is needed.
    func wake(before schedule: Duration?) -> Duration? {
        [schedule, period == nil ? nil : nextBeat, statusDue].compactMap { $0 }.min()
    }
}
