import Glibc
import Synchronization

/// A limit of the CPU time that one document may take. It is checked at each item, and within an item at every few
/// elements, so that the decoding of any document ends.
///
/// It is in force for all that runs within `$current.withValue`. Readers that meet it fail with `too_slow`; decoders
/// that walk through what a reader has returned stop early.
public final class WorkLimit: Sendable {
    /// The limit in force; nil, the default: none.
    @TaskLocal public static var current: WorkLimit?

    /// The limit.
    public let limit: Duration
    private let usage: @Sendable () -> Duration
    private let end: Duration
    private let checks = Atomic(0)
    private let exceeded = Atomic(false)

    /// How many checks come to one look at the clock, which costs a system call.
    private static let sample = 16

    /// Begins a limit on the thread that does the work.
    /// - Parameter usage: The CPU time used so far; default: the calling thread's.
    public init(_ limit: Duration, usage: @escaping @Sendable () -> Duration = WorkLimit.threadTime) {
        self.limit = limit
        self.usage = usage
        end = usage() + limit
    }

    /// Whether a check has found the limit exceeded.
    public var isExceeded: Bool { exceeded.load(ordering: .relaxed) }

    /// Whether the limit in force is exceeded; every 16th call looks at the clock. False without a limit.
    public static var isExceeded: Bool { current?.check() ?? false }

    private func check() -> Bool {
        if isExceeded { return true }
        let count = checks.add(1, ordering: .relaxed).oldValue
        if count % Self.sample == 0, usage() > end { exceeded.store(true, ordering: .relaxed) }
        return isExceeded
    }

    /// The CPU time of the calling thread (clock_gettime(3), CLOCK_THREAD_CPUTIME_ID).
    public static func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
