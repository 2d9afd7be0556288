import Dispatch
import Engine
import Foundation
import Store
import Synchronization

/// Runs truncation on a queue of its own, beside the polls' writes.
final class Truncator: Sendable {
    private let store: EventStore
    private let log: PollLog
    private let report: @Sendable (Input) -> Void
    private let queue = DispatchQueue(label: "visiventd.truncate")
    private let isStopping = Mutex(false)

    /// - Parameter report: Is told of the end of each run.
    init(store: EventStore, log: PollLog, report: @escaping @Sendable (Input) -> Void) {
        self.store = store
        self.log = log
        self.report = report
    }

    /// Begins to remove what has expired as of a time.
    func run(asOf: Date) {
        queue.async { [self] in
            do throws(StoreError) {
                log.truncated(try store.truncate(asOf: asOf) { self.isStopping.withLock { !$0 } })
            } catch {
                log.truncationFailed(error)
            }
            report(.truncated)
        }
    }

    /// The run under way ends soon; the next one removes the rest.
    func stop() { isStopping.withLock { $0 = true } }
}
