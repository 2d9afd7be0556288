import Dispatch
import Foundation
import Model

extension ServiceManager {
    /// Runs the opening of the database, which may take long: a migration, a copy before it, a new full text.
    ///
    /// Meanwhile a thread of its own asks the manager for more time, as long as the process gets anywhere: it has used
    /// the processor since the last look. An opening that hangs runs into the manager's time-out (`TimeoutStartSec=`).
    ///
    /// - Parameters:
    ///   - interval: How often it looks; what it asks for is six times that.
    ///   - work: What blocks the calling thread.
    public func whileStarting<Result>(
        every interval: Duration = .seconds(20), _ work: () throws -> Result
    ) rethrows -> Result {
        guard isPresent else { return try work() }
        let done = DispatchSemaphore(value: 0)
        defer { done.signal() }
        Thread.detachNewThread { [self] in
            var before = Self.processorTime
            while done.wait(timeout: .now() + interval.seconds) == .timedOut {
                let now = Self.processorTime
                // Looking takes microseconds; reading and writing a database takes at least milliseconds.
                if now - before > .milliseconds(2) { extendStart(by: max(interval * 6, .seconds(1))) }
                before = now
            }
        }
        return try work()
    }

    /// What all threads of the process have used.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
