import Engine
import Foundation
import Model
import Store
import Synchronization

/// Writes the engine's writes to the store in order, on a serial queue of its own.
///
/// Writes that arrive during a transaction share the next one. If that fails because of the data, each is tried alone,
/// so one cannot spoil the others. After a failed write all later writes of its poll fail, too (`WriteFence`).
package final class StoreWriter: Sendable {
    private let store: EventStore
    private let queue: WorkQueue
    private let work: BlockingWork
    private let watch: ShellWatch
    private let waiting = Mutex<[(id: WriteID, content: StoreWrite)]>([])
    private let load = Mutex(Load())
    private let report: @Sendable (Input) -> Void
    private let fence = Mutex(WriteFence())

    /// Name of the queue's work, for `BlockingWork`.
    private static let workName = "the store's writer"
    /// The most writes in one transaction.
    private static let batch = 256
    /// The most waiting events and withdrawals while another document is decoded.
    private static let maximumItems = 8000
    /// Label of its queue.
    package static let label = "visiventd.store"

    private struct Load {
        var items = 0
        /// What waits for room.
        var waiting: [@Sendable () -> Void] = []
    }

    init(
        store: EventStore, time: TimeSource = .live, work: BlockingWork = BlockingWork(),
        watch: ShellWatch = ShellWatch(), report: @escaping @Sendable (Input) -> Void
    ) {
        self.store = store
        self.work = work
        self.watch = watch
        queue = time.queue(Self.label)
        self.report = report
    }

    /// Whether at most 8000 events and withdrawals wait, so that memory stays bounded. If not, it calls `again` once when
    /// that may be so.
    func hasRoom(orCall again: @escaping @Sendable () -> Void) -> Bool {
        load.withLock { load in
            let isRoom = load.items <= Self.maximumItems
            if !isRoom { load.waiting.append(again) }
            return isRoom
        }
    }

    private func addLoad(_ writes: some Sequence<StoreWrite>, _ sign: Int) {
        let items = writes.reduce(0) { $0 + $1.itemCount }
        let woken = load.withLock { load -> [@Sendable () -> Void] in
            load.items += sign * items
            guard load.items <= Self.maximumItems else { return [] }
            defer { load.waiting = [] }
            return load.waiting
        }
        for again in woken { again() }
    }

    /// Queues a write; its outcome is reported as `Input.wrote` or `.writeFailed`.
    func write(_ id: WriteID, _ content: StoreWrite) {
        addLoad([content], 1)
        let isFirst = waiting.withLock { waiting in
            waiting.append((id, content))
            return waiting.count == 1
        }
        if isFirst { queue.async { self.drain() } }
    }

    /// Runs other work on the store between two transactions.
    func perform<Result: Sendable>(_ task: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [work] in
                work.begin(Self.workName)
                let result = Swift.Result { try task() }
                work.end(Self.workName)
                continuation.resume(with: result)
            }
        }
    }

    private func drain() {
        while true {
            let batch = waiting.withLock { Array($0.prefix(Self.batch)) }
            guard !batch.isEmpty else { return }
            work.begin(Self.workName)
            commit(batch)
            work.end(Self.workName)
            addLoad(batch.lazy.map(\.content), -1)
            let isEmpty = waiting.withLock { waiting in
                waiting.removeFirst(batch.count)
                return waiting.isEmpty
            }
            if isEmpty { return }
        }
    }

    private func commit(_ all: [(id: WriteID, content: StoreWrite)]) {
        let batch = all.filter { write in
            guard let refusal = fence.withLock({ $0.refusal(of: write.id, write.content) }) else { return true }
            report(refusal)
            return false
        }
        guard !batch.isEmpty else { return }
        do throws(StoreError) {
            let results = try store.write(batch.map(\.content))
            for (write, result) in zip(batch, results) {
                watch.wrote(write.id, write.content, .success(result))
                report(.wrote(write.id, result))
            }
        } catch {
            guard batch.count == 1 || error.isTemporary else {
                for write in batch { commit([write]) }
                return
            }
            fence.withLock { fence in for write in batch { fence.failed(write.id, write.content) } }
            for write in batch {
                watch.wrote(write.id, write.content, .failure(error))
                report(.writeFailed(write.id, "\(error)", isTransient: error.isTemporary))
            }
        }
    }
}

extension StoreWrite {
    /// The number of its events and withdrawals.
    fileprivate var itemCount: Int {
        guard case .step(let step) = self, let answer = step.answer else { return 0 }
        return answer.events.count + answer.withdrawals.count
    }
}
