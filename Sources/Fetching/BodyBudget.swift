import Synchronization

/// One budget of bytes for all bodies of a fetcher: those that grow, and those that wait for their reader or are read.
///
/// A body takes what it needs as it grows. Where there is no room, it waits, and so does its server. While no whole body
/// is in memory, one body may exceed the budget: otherwise bodies that are half read could wait for each other. The
/// first 256 KiB of a body wait for nobody, so that no large body stops the small ones.
final class BodyBudget: Sendable {
    private struct State: Sendable {
        /// The bytes of all bodies.
        var bytes = 0
        /// The number of whole bodies that have not been released.
        var whole = 0
        /// The number of the last body.
        var last = 0
        /// The number of the body that exceeds the budget; nil if none does.
        var exceeding: Int?
        /// What to call when there may be room, by the number of the body that waits.
        var waiting: [Int: @Sendable () -> Void] = [:]
    }

    /// The bytes of a body that it may always take.
    static let free = 256 << 10

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The budget in bytes.
    init(_ limit: Int) { self.limit = limit }

    /// The bytes of all bodies.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Begins a body, which has no bytes yet.
    func begin() -> BodyShare {
        BodyShare(
            of: self,
            number: state.withLock { state in
                state.last += 1
                return state.last
            })
    }

    /// Takes bytes for a body that has `taken` already. If there is no room it returns false and calls `whenRoom` once,
    /// on any thread, when it is worth another try.
    fileprivate func take(
        _ bytes: Int, after taken: Int, for number: Int, whenRoom: @escaping @Sendable () -> Void
    ) -> Bool {
        state.withLock { state in
            if taken + bytes > Self.free, state.bytes + bytes > limit {
                guard state.whole == 0, state.exceeding ?? number == number else {
                    state.waiting[number] = whenRoom
                    return false
                }
                state.exceeding = number
            }
            state.bytes += bytes
            return true
        }
    }

    /// Ends the growth of a body: it is whole, or, with `bytes` to return, given up.
    fileprivate func end(_ number: Int, isWhole: Bool, returning bytes: Int) {
        change { state in
            if state.exceeding == number { state.exceeding = nil }
            state.waiting[number] = nil
            state.bytes -= bytes
            if isWhole { state.whole += 1 }
        }
    }

    /// Returns the bytes of a whole body.
    fileprivate func release(_ bytes: Int) {
        change { state in
            state.bytes -= bytes
            state.whole -= 1
        }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let calls = state.withLock { state in
            body(&state)
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for call in calls { call() }
    }
}

/// The part of one body in a `BodyBudget`; released with it, or, once it is whole, by `release`.
final class BodyShare: Sendable {
    private let budget: BodyBudget
    private let number: Int
    private let bytes = Mutex(0)
    private let isWhole = Atomic(false)

    fileprivate init(of budget: BodyBudget, number: Int) {
        self.budget = budget
        self.number = number
    }

    deinit {
        if !isWhole.load(ordering: .relaxed) { budget.end(number, isWhole: false, returning: bytes.withLock { $0 }) }
    }

    /// Takes more bytes; if there is no room, it returns false and calls `whenRoom` once when it is worth another try.
    func take(_ more: Int, whenRoom: @escaping @Sendable () -> Void) -> Bool {
        bytes.withLock { bytes in
            guard budget.take(more, after: bytes, for: number, whenRoom: whenRoom) else { return false }
            bytes += more
            return true
        }
    }

    /// Ends the growth. The bytes stay in the budget until `release`.
    func finish() {
        isWhole.store(true, ordering: .relaxed)
        budget.end(number, isWhole: true, returning: 0)
    }

    /// Returns the bytes of the whole body; to be called once.
    func release() { budget.release(bytes.withLock { $0 }) }
}
