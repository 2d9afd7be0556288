public import Engine
import Foundation

/// The clocks of the machine, or those of a test.
public struct TimeSource: Sendable {
    /// What time it is.
    public var now: @Sendable () -> Moment
    /// Returns when the machine has been up for the given time; throws when the task is cancelled.
    public var sleep: @Sendable (_ uptime: Duration) async throws -> Void

    /// Creates a source of time.
    public init(
        now: @escaping @Sendable () -> Moment, sleep: @escaping @Sendable (_ uptime: Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's own clocks: CLOCK_REALTIME, and CLOCK_BOOTTIME, which goes on during a suspend.
    public static let live = {
        let pauses = TimeSource(
            now: { Moment(wall: Date(), uptime: uptime()) },
            sleep: { until in
                let wait = until - uptime()
                if wait > .zero { try await Task.sleep(for: wait, tolerance: .zero, clock: .continuous) }
            })
        let queue = SleepQueue(pauses)
        return TimeSource(now: pauses.now, sleep: { try await queue.sleep(until: $0) })
    }()

    private static func uptime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
