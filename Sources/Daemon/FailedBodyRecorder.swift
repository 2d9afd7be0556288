import Engine
import Foundation
import Model
import Store
import Synchronization

/// Stores the last body that failed, for `visiventd decode --last-failure`.
final class FailedBodyRecorder: Sendable {
    private let store: EventStore
    private let writer: StoreWriter
    private let log: PollLog
    private let time: TimeSource
    /// The task that stores the latest body.
    private let latest = Mutex<Task<Void, Never>?>(nil)

    init(store: EventStore, writer: StoreWriter, log: PollLog, time: TimeSource) {
        self.store = store
        self.writer = writer
        self.log = log
        self.time = time
    }

    /// Stores the body of a scrubbed failure, if it has one, in place of its source's last one.
    func keep(_ failure: Failure, of order: FetchOrder) {
        guard let excerpt = failure.excerpt, !excerpt.isEmpty else { return }
        let source = order.source
        let at = time.now().wall
        latest.withLock { last in
            last = time.task { [writer, store, log, before = last] in
                await before?.value
                do {
                    try await writer.perform {
                        try store.keepFailedBody(
                            source: source, url: order.url, at: at, failure: failure, body: excerpt)
                    }
                } catch {
                    log.cannotKeepBody(source: source, error)
                }
            }
        }
    }

    /// Returns when all bodies are stored.
    func finish() async { await latest.withLock { $0 }?.value }
}
