import Dispatch
public import Engine
import Foundation
import Model
package import Store
import Synchronization

/// The clocks and threads of the machine, or those of a test.
public struct TimeSource: Sendable {
    /// Reads both clocks at once; called from any thread.
    public var now: @Sendable () -> Moment
    /// Makes a timer that is not set yet; it calls `ring` on any thread, once for each uptime it is set to, when that
    /// is reached.
    public var timer: @Sendable (_ ring: @escaping @Sendable () -> Void) -> WakeTimer
    /// Makes a serial queue with a label for work that may block.
    package var queue: @Sendable (_ label: String) -> WorkQueue = { .threads($0) }
    /// Runs the shell's tasks; nil, the default: the cooperative threads.
    package var tasks: (any TaskExecutor)?
    /// The clock and the rests of truncation and resets.
    package var truncation = Stopwatch.live

    /// Creates a source of time from its two functions, which any thread may call.
    public init(
        now: @escaping @Sendable () -> Moment,
        timer: @escaping @Sendable (_ ring: @escaping @Sendable () -> Void) -> WakeTimer
    ) {
        self.now = now
        self.timer = timer
    }

    /// The machine's clocks: CLOCK_REALTIME for wall time, and CLOCK_BOOTTIME, which includes suspends, for uptime.
    /// After a suspend its timers may ring up to a minute late.
    public static let live = TimeSource(
        now: { Moment(wall: Date(), uptime: uptime()) },
        timer: { ring in WakeTimer(BootTimer(ring)) })

    /// Starts a task.
    @discardableResult
    package func task(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: tasks) { await operation() }
    }

    /// Returns at the given uptime.
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until uptime: Duration) async throws {
        let (rings, inbox) = AsyncStream.makeStream(of: Void.self)
        let timer = timer { inbox.finish() }
        defer { timer.stop() }
        timer.set(uptime)
        for await _ in rings {}
        try Task.checkCancellation()
    }

    fileprivate static func uptime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// A timer that rings once for each uptime it is set to; it is cancelled with its last copy.
public struct WakeTimer: Sendable {
    /// Sets the uptime of the next ring, which replaces the last one; it rings at once if that has passed. Any thread
    /// may call it.
    public var set: @Sendable (_ uptime: Duration) -> Void
    /// Stops the timer for good: it never rings again, even if it is set. A second call does nothing.
    public var stop: @Sendable () -> Void

    /// Creates a timer from its two functions, which any thread may call.
    public init(set: @escaping @Sendable (_ uptime: Duration) -> Void, stop: @escaping @Sendable () -> Void) {
        self.set = set
        self.stop = stop
    }

    fileprivate init(_ timer: BootTimer) { self.init(set: { timer.set($0) }, stop: { timer.stop() }) }
}

/// A `DispatchSourceTimer` that follows CLOCK_BOOTTIME.
///
/// Dispatch offers Swift no clock that includes suspends, so a long wait is checked once a minute.
private final class BootTimer: Sendable {
    private static let queue = DispatchQueue(label: "visiventd.time")
    private static let longestWait = Duration.seconds(60)

    /// Scheduling and cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceTimer
    /// The uptime of the next ring; nil until it is set again.
    private let due = Mutex<Duration?>(nil)

    init(_ ring: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler { [weak self] in if self?.isTime() == true { ring() } }
        source.activate()
    }

    deinit { source.cancel() }

    func set(_ uptime: Duration) {
        due.withLock { due in
            due = uptime
            schedule(uptime)
        }
    }

    func stop() { source.cancel() }

    private func schedule(_ uptime: Duration) {
        let wait = max(.zero, min(uptime - TimeSource.uptime(), Self.longestWait))
        source.schedule(deadline: .now() + wait.seconds)
    }

    /// Whether the set uptime has come; otherwise the timer is set again.
    private func isTime() -> Bool {
        due.withLock { due in
            guard let next = due else { return false }
            guard next <= TimeSource.uptime() else {
                schedule(next)
                return false
            }
            due = nil
            return true
        }
    }
}
