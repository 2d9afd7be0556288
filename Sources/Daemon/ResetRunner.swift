import Engine
import Model
import Store
import Synchronization

/// Forgets sources' state, or their events too, while others are polled.
final class ResetRunner: Sendable {
    private let store: EventStore
    private let writer: StoreWriter
    private let report: @Sendable (Input) -> Void
    /// Those who wait until no poll of their source writes any more.
    private let waiters = Waiters<String, Void>(last: ())
    private let isStopping = Mutex(false)

    /// - Parameters:
    ///   - writer: Runs the work between the polls' writes.
    ///   - report: Tells the engine of a reset.
    init(store: EventStore, writer: StoreWriter, report: @escaping @Sendable (Input) -> Void) {
        self.store = store
        self.writer = writer
        self.report = report
    }

    /// Forgets a source's state, or its events too; a poll of it under way is given up first.
    ///
    /// It takes one short piece of work after the other, between which others write; the source itself is not polled
    /// before the last. How a reset that is ended in the middle leaves the source says `SourceReset`.
    /// - Returns: How many events have gone.
    /// - Throws: `StoreError`; `Failure` when the daemon stops meanwhile.
    func run(_ source: String, includingEvents: Bool) async throws -> Int {
        defer { report(.resetDone(source: source)) }
        await waiters.wait(for: source) { [report] in report(.abandon(source: source)) }
        var reset = SourceReset(of: source, includingEvents: includingEvents)
        while !reset.isComplete {
            guard !isStopping.withLock({ $0 }) else {
                throw Failure(.ours, .stopping, "the daemon is stopping, and the reset is not complete: repeat it")
            }
            reset = try await writer.perform { [store, reset] in
                var next = reset
                try next.step(in: store)
                return next
            }
        }
        return reset.removed
    }

    /// No poll of the source writes any more.
    func begin(_ source: String) { waiters.answer(source, with: ()) }

    /// The resets under way end after their next piece of work.
    func stop() { isStopping.withLock { $0 = true } }

    /// Polling has ended: nobody waits for it any more.
    func close() { waiters.close() }
}
