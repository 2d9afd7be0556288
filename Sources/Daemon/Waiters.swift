import Synchronization

/// Those who wait for an answer, by what they have asked about.
final class Waiters<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
    /// Nil once there are no answers any more.
    private let waiting = Mutex<[Key: [CheckedContinuation<Answer, Never>]]?>([:])
    private let last: Answer

    /// - Parameter last: What those are told who wait when there are no answers any more.
    init(last: Answer) { self.last = last }

    /// Waits for the next answer.
    /// - Parameter ask: Asks for it, unless there are no answers any more.
    func wait(for key: Key, asking ask: @Sendable () -> Void) async -> Answer {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                guard waiting != nil else { return false }
                waiting?[key, default: []].append(continuation)
                // Under the lock, so that nobody is answered who has not asked yet.
                ask()
                return true
            }
            if !isOpen { continuation.resume(returning: last) }
        }
    }

    /// Answers all who wait for it.
    func answer(_ key: Key, with answer: Answer) {
        for waiter in waiting.withLock({ $0?.removeValue(forKey: key) }) ?? [] { waiter.resume(returning: answer) }
    }

    /// Ends all waits; none begins any more.
    func close() {
        let left = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? [:]
        }
        for waiter in left.values.joined() { waiter.resume(returning: last) }
    }
}
