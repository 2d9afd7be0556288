import Engine
import Model

/// Feeds the service manager's watchdog and keeps its line of status up to date, when `ServicePulse` says so.
struct ServiceReporter {
    private let manager: ServiceManager
    private let work: BlockingWork
    private let log: PollLog
    private var pulse: ServicePulse

    /// - Parameters:
    ///   - work: What must come back for the watchdog to be fed.
    ///   - uptime: Now.
    init(_ manager: ServiceManager, work: BlockingWork, log: PollLog, at uptime: Duration) {
        self.manager = manager
        self.work = work
        self.log = log
        pulse = ServicePulse(watchdog: manager.watchdog, at: uptime)
        if pulse.isTooSlow { log.watchdogIsTooShort() }
    }

    /// An input has been handled: tells the manager, where it wants to know.
    mutating func handled(_ input: Input, _ effects: [Effect], at uptime: Duration, status: @autoclosure () -> String) {
        guard manager.isPresent else { return }
        if effects.contains(where: \.changesSummary) { pulse.changed(at: uptime) }
        if case .tick = input {
            switch pulse.beat(oldest: work.oldest, at: uptime) {
            case .alive?: manager.alive()
            case .hung(let piece)?: log.hung(piece, for: uptime - piece.since)
            case nil: break
            }
        }
        if pulse.tellsStatus(at: uptime) { manager.status(status()) }
    }

    /// When a tick must come: what the schedule wants, or before.
    func wake(before schedule: Duration?) -> Duration? { pulse.wake(before: schedule) }
}
