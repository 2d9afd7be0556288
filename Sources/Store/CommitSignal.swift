import Model
import Synchronization

/// Wakes the tasks that wait for changes committed by an `EventStore`; copies of the store share one signal.
///
/// It holds change numbers only. Waiters are registered under the lock that guards the numbers, so no commit is missed.
final class CommitSignal: Sendable {
    private struct Waiter: Sendable {
        var cursor: Int64
        var kinds: Set<EventChange.Kind>
        var continuation: CheckedContinuation<Int64, any Error>
    }

    private struct State: Sendable {
        /// The newest change of each kind.
        var last: [EventChange.Kind: Int64]
        var waiters: [Int: Waiter] = [:]
        var lastTicket = 0

        func newest(after cursor: Int64, of kinds: Set<EventChange.Kind>) -> Int64? {
            let newest = kinds.compactMap { last[$0] }.max() ?? cursor
            return newest > cursor ? newest : nil
        }
    }

    private let state: Mutex<State>

    /// - Parameter lastChange: The newest change committed before. Its kind is unknown, so it counts as every kind.
    init(lastChange: Int64) {
        var last: [EventChange.Kind: Int64] = [:]
        for kind in EventChange.Kind.allCases { last[kind] = lastChange }
        state = Mutex(State(last: last))
    }

    /// The newest change signalled.
    var newest: Int64 { newest(of: Set(EventChange.Kind.allCases)) }

    /// The newest change of these kinds signalled; 0 without one.
    func newest(of kinds: Set<EventChange.Kind>) -> Int64 { state.withLock { $0.newest(after: 0, of: kinds) ?? 0 } }

    /// The number of waiting tasks.
    var waiters: Int { state.withLock { $0.waiters.count } }

    /// Signals a committed transaction.
    /// - Parameter changes: Its changes; empty if nothing visible changed.
    func tell(_ changes: [EventChange]) {
        guard !changes.isEmpty else { return }
        let woken = state.withLock { state -> [(waiter: Waiter, newest: Int64)] in
            for change in changes { state.last[change.kind] = max(state.last[change.kind] ?? 0, change.sequence) }
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

    /// Waits for a change of these kinds above the cursor and returns the newest one's number.
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(after cursor: Int64, for kinds: Set<EventChange.Kind>) async throws -> Int64 {
        let ticket = state.withLock { state -> Int in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int64, any Error>) in
                let outcome = state.withLock { state -> Result<Int64, any Error>? in
                    // The task is marked as cancelled before `onCancel` takes the lock, so either this check or
                    // `onCancel` notices.
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
