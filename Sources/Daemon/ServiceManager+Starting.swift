import Dispatch
import Foundation
import Model

extension ServiceManager {
    /// Runs work that opens the database and may take long: a migration with its copy, or a new full-text index.
    /// Without a manager it only runs the work.
    ///
    /// Meanwhile a thread asks the manager for more time, from the first second on, as long as the process uses the
    /// processor. An opening that hangs runs into the manager's time-out (`TimeoutStartSec=`).
    ///
    /// - Parameters:
    ///   - interval: How often the use is checked, above zero; default 20 s. Each request asks for six intervals, at
    ///     least 1 s.
    ///   - work: The work; it runs on the calling thread, and its result or error is passed on.
    public func whileStarting<Result>(
        every interval: Duration = .seconds(20), _ work: () throws -> Result
    ) rethrows -> Result {
        guard isPresent else { return try work() }
        let done = DispatchSemaphore(value: 0)
        defer { done.signal() }
        Thread.detachNewThread { [self] in
            var (before, pause) = (Self.processorTime, min(interval, .seconds(1)))
            while done.wait(timeout: .now() + pause.seconds) == .timedOut {
                pause = interval
                let now = Self.processorTime
                // A check takes microseconds, work on a database at least milliseconds.
                if now - before > .milliseconds(2) { extendStart(by: max(interval * 6, .seconds(1))) }
                before = now
            }
        }
        return try work()
    }

    /// The processor time that all threads of the process have used.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
