import Dispatch
public import Engine
import Foundation
import Model
import Synchronization

/// The clocks of the machine, or those of a test.
public struct TimeSource: Sendable {
    /// What time it is.
    public var now: @Sendable () -> Moment
    /// Makes a timer; it calls `ring` each time that what it was set to has come.
    public var timer: @Sendable (_ ring: @escaping @Sendable () -> Void) -> WakeTimer

    /// Creates a source of time.
    public init(
        now: @escaping @Sendable () -> Moment,
        timer: @escaping @Sendable (_ ring: @escaping @Sendable () -> Void) -> WakeTimer
    ) {
        self.now = now
        self.timer = timer
    }

    /// The machine's own clocks: CLOCK_REALTIME, and CLOCK_BOOTTIME, which goes on during a suspend.
    public static let live = TimeSource(
        now: { Moment(wall: Date(), uptime: uptime()) },
        timer: { ring in WakeTimer(BootTimer(ring)) })

    /// Returns when the machine has been up for the given time; throws when the task is cancelled.
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

/// A timer that rings once for each time it is set to; it is cancelled when its last copy goes.
public struct WakeTimer: Sendable {
    /// Has it ring when the machine has been up for so long, at once where that is past, instead of what was set before.
    public var set: @Sendable (_ uptime: Duration) -> Void
    /// It does not ring any more, for good.
    public var stop: @Sendable () -> Void

    /// Creates a timer.
    public init(set: @escaping @Sendable (_ uptime: Duration) -> Void, stop: @escaping @Sendable () -> Void) {
        self.set = set
        self.stop = stop
    }

    fileprivate init(_ timer: BootTimer) { self.init(set: { timer.set($0) }, stop: { timer.stop() }) }
}

/// A `DispatchSourceTimer` that keeps the time of CLOCK_BOOTTIME.
///
/// Dispatch offers Swift no clock that goes on during a suspend, so a long wait is looked at once a minute.
private final class BootTimer: Sendable {
    private static let queue = DispatchQueue(label: "visiventd.time")
    private static let longestWait = Duration.seconds(60)

    /// Scheduling and cancelling a dispatch source is safe from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceTimer
    /// When it rings; nil: not before it is set again.
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

    /// Whether what was set has come; else it waits on.
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
