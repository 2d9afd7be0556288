import Dispatch
import Engine
import Foundation
import Model
import Store
import Synchronization

/// Writes the engine's writes to the store in order, on a serial queue of its own.
///
/// Writes that arrive during a transaction share the next one. If that fails because of the data, each is tried alone,
/// so one cannot spoil the others. After a failed write all later writes of its poll fail, too (`WriteFence`).
final class StoreWriter: Sendable {
    private let store: EventStore
    private let queue = DispatchQueue(label: "visiventd.store")
    private let work: BlockingWork
    private let waiting = Mutex<[(id: WriteID, content: StoreWrite)]>([])
    private let load = Mutex(Load())
    private let room = DispatchSemaphore(value: 0)
    private let report: @Sendable (Input) -> Void
    private let fence = Mutex(WriteFence())

    /// Name of the queue's work, for `BlockingWork`.
    private static let workName = "the store's writer"
    /// The most writes in one transaction.
    private static let batch = 256
    /// The most waiting events and withdrawals while another document is decoded.
    private static let maximumItems = 8000

    private struct Load {
        var items = 0
        /// Whether `waitForRoom` is waiting.
        var isAwaited = false
    }

    init(
        store: EventStore, work: BlockingWork = BlockingWork(), report: @escaping @Sendable (Input) -> Void
    ) {
        self.store = store
        self.work = work
        self.report = report
    }

    /// Blocks while more than 8000 events and withdrawals wait, so that memory stays bounded. Only one thread may call it.
    func waitForRoom() {
        while true {
            let mustWait = load.withLock { load in
                load.isAwaited = load.items > Self.maximumItems
                return load.isAwaited
            }
            guard mustWait else { return }
            room.wait()
        }
    }

    private func addLoad(_ writes: some Sequence<StoreWrite>, _ sign: Int) {
        let items = writes.reduce(0) { $0 + $1.itemCount }
        let isRoom = load.withLock { load in
            load.items += sign * items
            guard load.isAwaited, load.items <= Self.maximumItems else { return false }
            load.isAwaited = false
            return true
        }
        if isRoom { room.signal() }
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
            for (write, result) in zip(batch, results) { report(.wrote(write.id, result)) }
        } catch {
            guard batch.count == 1 || error.isTemporary else {
                for write in batch { commit([write]) }
                return
            }
            fence.withLock { fence in for write in batch { fence.failed(write.id, write.content) } }
            for write in batch { report(.writeFailed(write.id, "\(error)", isTransient: error.isTemporary)) }
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
