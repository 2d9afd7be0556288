import Daemon
import Engine
import Foundation
import ProcessSupport
import Simulation

/// Both clocks of a machine; the test alone moves them.
final class ManualClock: Sendable {
    private let clock: SimulatedClock
    /// The times to which timers were set, in order of setting.
    let alarms = Facts<Duration>()

    /// Starts at a wall time, with an uptime of a thousand seconds.
    init(at wall: Date = InProcessDaemon.start) {
        clock = SimulatedClock(at: Moment(wall: wall, uptime: .seconds(1000)))
    }

    var now: Moment { clock.now }

    /// The clocks in the form that the daemon takes.
    var time: TimeSource {
        TimeSource(now: { self.now }, timer: { self.timer($0) })
    }

    /// Moves time forward and fires the timers that are due.
    func advance(_ duration: Duration) {
        clock.move(to: now.uptime + duration)
        clock.ring()
    }

    private func timer(_ ring: @escaping @Sendable () -> Void) -> WakeTimer {
        let timer = clock.timer(ring)
        return WakeTimer(
            set: { uptime in
                timer.set(uptime)
                // One whose time has passed rings at once.
                if uptime <= self.now.uptime { self.clock.ring() } else { self.alarms.append(uptime) }
            },
            stop: timer.stop)
    }
}
