import Daemon
import Engine
import Foundation
import Store
import Synchronization

/// Both clocks of a simulated machine, with the timers of its shell.
final class SimulatedClock: Sendable {
    private struct State: Sendable {
        var now: Moment
        /// The base of all moments, so that rounding errors do not add up.
        var origin: Moment
        /// Timers that are set, by number.
        var timers: [Int: (at: Duration, ring: @Sendable () -> Void)] = [:]
        var lastNumber = 0
    }

    private let state: Mutex<State>

    init(at now: Moment) { state = Mutex(State(now: now, origin: now)) }

    var now: Moment { state.withLock { $0.now } }

    /// Uptime of the next ring; nil: none is set.
    var nextRing: Duration? { state.withLock { $0.timers.values.map(\.at).min() } }

    /// Moves both clocks to an uptime; nothing rings.
    func move(to uptime: Duration) {
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
    func ring() {
        let due = state.withLock { state in
            let due = state.timers.filter { $0.value.at <= state.now.uptime }
            for number in due.keys { state.timers[number] = nil }
            return due.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
        }
        for timer in due { timer.value.ring() }
    }

    /// The clocks and the executor in the form that a shell takes. The timers of the shell before are gone.
    func time(on executor: StepExecutor) -> TimeSource {
        state.withLock { $0.timers = [:] }
        var time = TimeSource(now: { self.now }, timer: { self.timer($0) })
        time.queue = { executor.queue($0) }
        time.tasks = executor
        time.truncation = .still
        return time
    }

    private func timer(_ ring: @escaping @Sendable () -> Void) -> WakeTimer {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return WakeTimer(
            set: { uptime in self.state.withLock { $0.timers[number] = (uptime, ring) } },
            stop: { self.state.withLock { $0.timers[number] = nil } })
    }
}
