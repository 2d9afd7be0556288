import Synchronization

/// Pauses that leave nothing behind when they are cancelled.
///
/// A `Task.sleep` that is cancelled keeps memory until its time has come, on a page that nothing else may need. So one is
/// asked for only where none ends before, is never cancelled, and serves all whose time has come when it ends.
final class SleepQueue: Sendable {
    private struct Sleeper {
        let until: Duration
        let continuation: UnsafeContinuation<Void, any Error>
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// Those that wait, by numbers of their own.
        var sleepers: [UInt64: Sleeper] = [:]
        /// The times at which the sleepers are looked at.
        var alarms: Set<Duration> = []

        /// The next time to look at them, if none comes by then.
        mutating func newAlarm() -> Duration? {
            guard let first = sleepers.values.lazy.map(\.until).min(), alarms.allSatisfy({ $0 > first }) else {
                return nil
            }
            alarms.insert(first)
            return first
        }
    }

    private let time: TimeSource
    private let state = Mutex(State())

    /// - Parameter time: Its pauses are those that keep memory.
    init(_ time: TimeSource) { self.time = time }

    /// Returns when the machine has been up for the given time; throws when the task is cancelled.
    func sleep(until: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let alarm: Duration? = state.withLock { state in
                    // Here, since a cancellation from now on finds it in the queue.
                    guard !Task.isCancelled else {
                        continuation.resume(throwing: CancellationError())
                        return nil
                    }
                    state.sleepers[number] = Sleeper(until: until, continuation: continuation)
                    return state.newAlarm()
                }
                if let alarm { set(alarm) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func set(_ alarm: Duration) {
        Task.detached {
            try? await self.time.sleep(alarm)
            self.ring(alarm)
        }
    }

    private func ring(_ alarm: Duration) {
        let now = time.now().uptime
        let (woken, next) = state.withLock { state in
            state.alarms.remove(alarm)
            let woken = state.sleepers.filter { $0.value.until <= now }
            for number in woken.keys { state.sleepers[number] = nil }
            return (woken.values, state.newAlarm())
        }
        for sleeper in woken { sleeper.continuation.resume() }
        if let next { set(next) }
    }
}
