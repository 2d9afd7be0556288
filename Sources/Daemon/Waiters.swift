import Synchronization

/// Callers that wait for an answer, by the key of their question.
final class Waiters<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
    /// Nil once no answer follows any more.
    private let waiting = Mutex<[Key: [CheckedContinuation<Answer, Never>]]?>([:])
    private let last: Answer

    /// - Parameter last: The answer for callers that still wait, or begin to wait, at the end.
    init(last: Answer) { self.last = last }

    /// Waits for the next answer.
    /// - Parameter ask: Asks for the answer; not called once no answer follows any more.
    func wait(for key: Key, asking ask: @Sendable () -> Void) async -> Answer {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                guard waiting != nil else { return false }
                waiting?[key, default: []].append(continuation)
                // Under the lock, so that nobody gets the answer to an earlier question.
                ask()
                return true
            }
            if !isOpen { continuation.resume(returning: last) }
        }
    }

    /// Answers all callers that wait with this key.
    func answer(_ key: Key, with answer: Answer) {
        for waiter in waiting.withLock({ $0?.removeValue(forKey: key) }) ?? [] { waiter.resume(returning: answer) }
    }

    /// Answers the caller alone that has waited longest with this key.
    func answerFirst(_ key: Key, with answer: Answer) {
        let first = waiting.withLock { waiting in
            waiting?[key]?.isEmpty == false ? waiting?[key]?.removeFirst() : nil
        }
        first?.resume(returning: answer)
    }

    /// Ends all waits, present and future, with `last`.
    func close() {
        let left = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? [:]
        }
        for waiter in left.values.joined() { waiter.resume(returning: last) }
    }
}
