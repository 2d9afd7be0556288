import Daemon
import Engine
import Foundation
import ProcessSupport
import Simulation
import Synchronization

/// Both clocks of a machine on which time passes only when the test says so.
final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        var until: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Moment
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state: Mutex<State>
    /// The times for which somebody lay down to sleep, in that order.
    let alarms = Facts<Duration>()

    /// Starts at a wall time, with the machine up for a thousand seconds.
    init(at wall: Date = InProcessDaemon.start) {
        state = Mutex(State(now: Moment(wall: wall, uptime: .seconds(1000))))
    }

    /// What time it is.
    var now: Moment { state.withLock { $0.now } }

    /// The clocks as the daemon takes them.
    var time: TimeSource {
        TimeSource(now: { self.now }, sleep: { until in try await self.sleep(until: until) })
    }

    /// Moves time on and wakes those whose time has come.
    func advance(_ duration: Duration) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            let uptime = state.now.uptime + duration
            state.now = Moment(wall: state.now.wall(at: uptime), uptime: uptime)
            var woken: [(until: Duration, continuation: CheckedContinuation<Void, any Error>)] = []
            for (id, sleeper) in state.sleepers where sleeper.until <= uptime {
                woken.append((sleeper.until, sleeper.continuation))
                state.sleepers[id] = nil
            }
            return woken.sorted { $0.until < $1.until }.map { $0.continuation }
        }
        for continuation in woken { continuation.resume() }
    }

    private func sleep(until uptime: Duration) async throws {
        let id = state.withLock { state -> Int in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state -> Bool? in
                    if state.cancelled.contains(id) { return false }
                    if state.now.uptime >= uptime { return true }
                    state.sleepers[id] = Sleeper(until: uptime, continuation: continuation)
                    return nil
                }
                switch isOver {
                case true?: continuation.resume()
                case false?: continuation.resume(throwing: CancellationError())
                case nil: alarms.append(uptime)
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
