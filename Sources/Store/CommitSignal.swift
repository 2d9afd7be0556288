import Model
import Synchronization

/// Wakes those who wait for changes that an `EventStore` commits; its copies share it.
///
/// It knows numbers only. They are compared under the lock under which a waiter is put down, so no commit falls between
/// the two.
final class CommitSignal: Sendable {
    private struct Waiter: Sendable {
        var cursor: Int64
        var kinds: Set<EventChange.Kind>
        var continuation: CheckedContinuation<Int64, any Error>
    }

    private struct State: Sendable {
        /// Numbers of the last changes by kind.
        var last: [EventChange.Kind: Int64]
        var waiters: [Int: Waiter] = [:]
        var lastTicket = 0

        func newest(after cursor: Int64, of kinds: Set<EventChange.Kind>) -> Int64? {
            let newest = kinds.compactMap { last[$0] }.max() ?? cursor
            return newest > cursor ? newest : nil
        }
    }

    private let state: Mutex<State>

    /// - Parameter lastChange: Number of the last change that was committed before. Its kind is not known, so it counts
    ///   as each.
    init(lastChange: Int64) {
        var last: [EventChange.Kind: Int64] = [:]
        for kind in EventChange.Kind.allCases { last[kind] = lastChange }
        state = Mutex(State(last: last))
    }

    /// Number of the last change that it was told of.
    var newest: Int64 { state.withLock { $0.last.values.max() ?? 0 } }

    /// How many wait.
    var waiters: Int { state.withLock { $0.waiters.count } }

    /// A transaction has been committed.
    /// - Parameter numbers: Those of its last changes by kind; none: it has changed nothing that is visible.
    func tell(_ numbers: [EventChange.Kind: Int64]) {
        guard !numbers.isEmpty else { return }
        let woken = state.withLock { state -> [(waiter: Waiter, newest: Int64)] in
            state.last.merge(numbers) { max($0, $1) }
            var woken: [(waiter: Waiter, newest: Int64)] = []
            for (ticket, waiter) in state.waiters {
                guard let newest = state.newest(after: waiter.cursor, of: waiter.kinds) else { continue }
                woken.append((waiter, newest))
                state.waiters[ticket] = nil
            }
            return woken
        }
        for (waiter, newest) in woken { waiter.continuation.resume(returning: newest) }
    }

    /// Returns the number of the last change of these kinds once it is above the cursor.
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(after cursor: Int64, for kinds: Set<EventChange.Kind>) async throws -> Int64 {
        let ticket = state.withLock { state -> Int in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int64, any Error>) in
                let outcome = state.withLock { state -> Result<Int64, any Error>? in
                    // The task is marked before `onCancel` takes the lock, so one of the two sees the other.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let newest = state.newest(after: cursor, of: kinds) { return .success(newest) }
                    state.waiters[ticket] = Waiter(cursor: cursor, kinds: kinds, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in state.waiters.removeValue(forKey: ticket) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
