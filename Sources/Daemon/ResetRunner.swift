import Engine
import Model
import Store
import Synchronization

/// Removes the state of sources, or their events, too, while others are polled.
final class ResetRunner: Sendable {
    private let store: EventStore
    private let writer: StoreWriter
    private let time: TimeSource
    private let report: @Sendable (Input) -> Void
    /// Callers that wait until no poll of their source writes any more.
    private let waiters = Waiters<String, Void>(last: ())
    private let isStopping = Mutex(false)

    /// - Parameters:
    ///   - writer: Runs the work between the polls' writes.
    ///   - time: The clocks.
    ///   - report: Takes the inputs for the engine.
    init(store: EventStore, writer: StoreWriter, time: TimeSource, report: @escaping @Sendable (Input) -> Void) {
        self.store = store
        self.writer = writer
        self.time = time
        self.report = report
    }

    /// Removes a source's state, or its events, too; a poll of it under way is abandoned first.
    ///
    /// The work is done in short pieces, between which others write. The source is not polled before the last one.
    /// `SourceReset` tells what an interrupted reset leaves.
    /// - Returns: The number of events removed.
    /// - Throws: `StoreError`; `Failure` if the daemon stops meanwhile.
    func run(_ source: String, includingEvents: Bool) async throws -> Int {
        defer { report(.resetDone(source: source)) }
        await waiters.wait(for: source) { [report] in report(.abandon(source: source)) }
        var reset = SourceReset(of: source, includingEvents: includingEvents, at: time.now().wall)
        while !reset.isComplete {
            guard !isStopping.withLock({ $0 }) else {
                throw Failure(.ours, .stopping, "the daemon is stopping, and the reset is not complete: repeat it")
            }
            reset = try await writer.perform { [store, time, reset] in
                var next = reset
                try next.step(in: store, timing: time.truncation)
                return next
            }
        }
        return reset.removed
    }

    /// Starts the resets of the source: no poll of it writes any more.
    func begin(_ source: String) { waiters.answer(source, with: ()) }

    /// Ends the resets under way after their next piece of work.
    func stop() { isStopping.withLock { $0 = true } }

    /// Ends all waits, because polling has ended.
    func close() { waiters.close() }
}
