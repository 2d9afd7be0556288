import Synchronization

/// A growing list of observed facts, safe to use from any thread. Tests wait for a fact on it, never for a time.
public final class Facts<Element: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable ([Element]) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var elements: [Element] = []
        var waiters: [Int: Waiter] = [:]
        var cancelled: Set<Int> = []
        var lastID = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Creates an empty, unfinished list.
    public init() {}

    /// All facts so far, in the order of their arrival.
    public var all: [Element] { state.withLock { $0.elements } }

    /// Appends a fact and resumes the waiters whose condition it meets.
    public func append(_ element: Element) {
        let met = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            state.elements.append(element)
            let elements = state.elements
            var met: [CheckedContinuation<Bool, Never>] = []
            for (id, waiter) in state.waiters where waiter.isMet(elements) {
                met.append(waiter.continuation)
                state.waiters[id] = nil
            }
            return met
        }
        for continuation in met { continuation.resume(returning: true) }
    }

    /// Ends the list: all waiters resume with false, and later ones whose condition is not met do so at once.
    public func finish() {
        let left = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            state.isOver = true
            let left = state.waiters.values.map(\.continuation)
            state.waiters = [:]
            return left
        }
        for continuation in left { continuation.resume(returning: false) }
    }

    /// Waits until the list meets a condition, which may be at once.
    /// - Parameter isMet: Called with all facts, now and after each one, with a lock held: it must not use the list.
    /// - Returns: True if the condition is met; false once the list has finished without meeting it, or if the task was
    ///   cancelled (a test's time limit).
    public func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        let id = state.withLock { state -> Int in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer = state.withLock { state -> Bool? in
                    if isMet(state.elements) { return true }
                    if state.isOver || state.cancelled.contains(id) { return false }
                    state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                state.cancelled.insert(id)
                return state.waiters.removeValue(forKey: id)?.continuation
            }
            waiting?.resume(returning: false)
        }
    }
}
