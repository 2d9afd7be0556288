package import Daemon
package import Engine
import Foundation
import Store
import Synchronization

/// Both clocks of a simulated machine, with the timers of its shell. Nothing moves them but the calls below.
package final class SimulatedClock: Sendable {
    private struct State: Sendable {
        var now: Moment
        /// The base of all moments, so that rounding errors do not add up.
        var origin: Moment
        /// Timers that are set, by number.
        var timers: [Int: (at: Duration, ring: @Sendable () -> Void)] = [:]
        var lastNumber = 0
        var stopped: Set<Int> = []
    }

    private let state: Mutex<State>

    /// Begins without a timer.
    package init(at now: Moment) { state = Mutex(State(now: now, origin: now)) }

    /// The present moment.
    package var now: Moment { state.withLock { $0.now } }

    /// Uptime of the next ring; nil: none is set.
    var nextRing: Duration? { state.withLock { $0.timers.values.map(\.at).min() } }

    /// Moves both clocks to an uptime; nothing rings.
    package func move(to uptime: Duration) {
        state.withLock { $0.now = Moment(wall: $0.origin.wall(at: uptime), uptime: uptime) }
    }

    /// Steps the wall clock alone.
    func step(by seconds: TimeInterval) {
        state.withLock { state in
            state.now = Moment(wall: state.now.wall.addingTimeInterval(seconds), uptime: state.now.uptime)
            state.origin = state.now
        }
    }

    /// Rings all timers that are due, in the order of their times and numbers.
    package func ring() {
        let due = state.withLock { state in
            let due = state.timers.filter { $0.value.at <= state.now.uptime }
            for number in due.keys { state.timers[number] = nil }
            return due.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
        }
        for timer in due { timer.value.ring() }
    }

    /// Forgets all timers.
    func reset() { state.withLock { ($0.timers, $0.stopped) = ([:], []) } }

    /// The clocks and the executor in the form that a shell takes.
    func time(on executor: StepExecutor) -> TimeSource {
        var time = TimeSource(now: { self.now }, timer: { self.timer($0) })
        time.queue = { executor.queue($0) }
        time.tasks = executor
        time.truncation = .still
        return time
    }

    /// Makes a timer that `ring` rings.
    package func timer(_ ring: @escaping @Sendable () -> Void) -> WakeTimer {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return WakeTimer(
            set: { uptime in
                self.state.withLock { state in
                    if !state.stopped.contains(number) { state.timers[number] = (uptime, ring) }
                }
            },
            stop: {
                self.state.withLock { state in
                    state.timers[number] = nil
                    state.stopped.insert(number)
                }
            })
    }
}
