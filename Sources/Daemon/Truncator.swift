import Engine
import Foundation
import Store
import Synchronization

/// Runs truncation on a queue of its own, beside the polls' writes.
final class Truncator: Sendable {
    private let store: EventStore
    private let log: PollLog
    private let timing: Stopwatch
    private let watch: ShellWatch
    private let report: @Sendable (Input) -> Void
    private let queue: WorkQueue
    private let isStopping = Mutex(false)

    /// - Parameter report: Takes `Input.truncated` after each run.
    init(
        store: EventStore, time: TimeSource, log: PollLog, watch: ShellWatch,
        report: @escaping @Sendable (Input) -> Void
    ) {
        self.store = store
        self.log = log
        self.watch = watch
        self.report = report
        timing = time.truncation
        queue = time.queue("visiventd.truncate")
    }

    /// Starts to remove the events that have expired as of a time.
    func run(asOf: Date) {
        queue.async { [self] in
            do throws(StoreError) {
                log.truncated(try store.truncate(asOf: asOf, timing: timing) { self.isStopping.withLock { !$0 } })
                watch.truncated(asOf, nil)
            } catch {
                log.truncationFailed(error)
                watch.truncated(asOf, error)
            }
            report(.truncated)
        }
    }

    /// Ends the run under way soon, and later runs at once; the next start removes the rest.
    func stop() { isStopping.withLock { $0 = true } }
}
