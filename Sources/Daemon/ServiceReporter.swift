import Engine
import Model

/// Feeds the service manager's watchdog and updates its status line when `ServicePulse` says so.
struct ServiceReporter {
    private let manager: ServiceManager
    private let work: BlockingWork
    private let log: PollLog
    private var pulse: ServicePulse

    /// - Parameters:
    ///   - work: The watchdog is fed only while this work goes on.
    ///   - uptime: Now.
    init(_ manager: ServiceManager, work: BlockingWork, log: PollLog, at uptime: Duration) {
        self.manager = manager
        self.work = work
        self.log = log
        pulse = ServicePulse(watchdog: manager.watchdog, at: uptime)
        if pulse.isTooSlow { log.watchdogIsTooShort() }
    }

    /// Sends the messages that are due after an input.
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

    /// The uptime by which a tick must come, at the latest `schedule`; nil if none is needed.
    func wake(before schedule: Duration?) -> Duration? { pulse.wake(before: schedule) }
}
