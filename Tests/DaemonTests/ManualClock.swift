import Daemon
import Engine
import Foundation
import ProcessSupport
import Simulation
import Synchronization

/// Both clocks of a machine; the test alone moves them.
final class ManualClock: Sendable {
    private struct State: Sendable {
        var now: Moment
        /// Running timers, by number.
        var timers: [Int: (at: Duration, ring: @Sendable () -> Void)] = [:]
        var lastNumber = 0
        var stopped: Set<Int> = []
    }

    private let state: Mutex<State>
    /// The times to which timers were set, in order of setting.
    let alarms = Facts<Duration>()

    /// Starts at a wall time, with an uptime of a thousand seconds.
    init(at wall: Date = InProcessDaemon.start) {
        state = Mutex(State(now: Moment(wall: wall, uptime: .seconds(1000))))
    }

    var now: Moment { state.withLock { $0.now } }

    /// The clocks in the form that the daemon takes.
    var time: TimeSource {
        TimeSource(now: { self.now }, timer: { self.timer($0) })
    }

    /// Moves time forward and fires the timers that are due.
    func advance(_ duration: Duration) {
        let due = state.withLock { state in
            let uptime = state.now.uptime + duration
            state.now = Moment(wall: state.now.wall(at: uptime), uptime: uptime)
            let due = state.timers.filter { $0.value.at <= uptime }
            for number in due.keys { state.timers[number] = nil }
            return due.values.sorted { $0.at < $1.at }
        }
        for timer in due { timer.ring() }
    }

    private func timer(_ ring: @escaping @Sendable () -> Void) -> WakeTimer {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return WakeTimer(
            set: { uptime in
                let isDue = self.state.withLock { state in
                    precondition(!state.stopped.contains(number), "a timer that was stopped is set")
                    guard state.now.uptime < uptime else { return true }
                    state.timers[number] = (uptime, ring)
                    return false
                }
                if isDue { ring() } else { self.alarms.append(uptime) }
            },
            stop: {
                self.state.withLock { state in
                    state.timers[number] = nil
                    state.stopped.insert(number)
                }
            })
    }
}
