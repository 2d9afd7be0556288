import Foundation
import Synchronization

/// What a request may still cost: CPU time over all its read transactions and the Swift code between them, until it is
/// cancelled.
///
/// SQLite looks at it while a statement runs. Code that loops over items asks by `EventStore.checkBudget`.
public final class ReadBudget: Sendable {
    private struct State: Sendable {
        var spent = Duration.zero
        /// The clock at the beginning of the present turn; nil between two turns.
        var begin: Duration?
        /// What `spent` last told of the present turn, and the time then.
        var told: (spent: Duration, at: Duration)?
        var isCancelled = false
        var whenCancelled: (@Sendable () -> Void)?
    }

    private let most: Duration
    private let clock: @Sendable () -> Duration
    /// Runs at least as fast as `clock`, and takes no system call.
    private let wall: @Sendable () -> Duration
    /// The budget of which this one is a part.
    private let whole: ReadBudget?
    private let state: Mutex<State>

    /// Creates a budget of CPU time.
    /// - Parameter clock: Returns the CPU time of the calling thread; counts from any moment. Nil, the default: that of the
    ///   system.
    public convenience init(_ most: Duration, clock: (@Sendable () -> Duration)? = nil) {
        self.init(
            most, clock: clock ?? { Self.time(of: CLOCK_THREAD_CPUTIME_ID) },
            wall: clock ?? { Self.time(of: CLOCK_MONOTONIC) }, whole: nil)
    }

    private init(
        _ most: Duration, clock: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Duration,
        whole: ReadBudget?
    ) {
        self.most = most
        self.clock = clock
        self.wall = wall
        self.whole = whole
        // A part is spent by the thread that makes it, in the turn of the whole.
        state = Mutex(State(begin: whole == nil ? nil : clock()))
    }

    /// clock_gettime(2)
    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Ends the request: what waits for a thread is refused, and what runs ends at the next look.
    public func cancel() {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            state.isCancelled = true
            defer { state.whenCancelled = nil }
            return state.whenCancelled
        }
        body?()
    }

    /// Whether the request was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } || whole?.isCancelled == true }

    /// Throws `StoreError`: `tooCostly` if the time is spent, `interrupted` after `cancel`.
    public func check() throws(StoreError) {
        if isOver { throw overrun }
    }

    // MARK: - For the store

    /// Calls back once on cancellation, at once if it has come. A later call takes the place of this one.
    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.whenCancelled = body
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// Runs `body` as a turn: its time on this thread counts. One turn at a time.
    package func spending<T>(_ body: () throws -> T) rethrows -> T {
        state.withLock { $0.begin = clock() }
        defer {
            state.withLock { state in
                if let begin = state.begin { state.spent += clock() - begin }
                (state.begin, state.told) = (nil, nil)
            }
        }
        return try body()
    }

    /// Half of what is left, for work that may fail without failing the request. For the present turn.
    func half() -> ReadBudget { ReadBudget((most - spent) / 2, clock: clock, wall: wall, whole: self) }

    /// Whether the time is spent or the request was cancelled.
    var isOver: Bool {
        if let whole, whole.isOver { return true }
        return state.withLock { $0.isCancelled } || spent > most
    }

    /// Whether half of the time is spent.
    var isHalfSpent: Bool { isCancelled || spent > most / 2 }

    /// The error of a request whose budget is over.
    var overrun: StoreError {
        if isCancelled { return StoreError(.interrupted, "The request has ended") }
        return StoreError(
            .tooCostly,
            "The query was given up after \((whole?.most ?? most).compact); ask for less, such as a shorter time or a "
                + "smaller area")
    }

    /// At most a tenth of a millisecond too little: reading a thread's clock is a system call, and each event is a look.
    private var spent: Duration {
        state.withLock { state in
            guard let begin = state.begin else { return state.spent }
            let now = wall()
            if let told = state.told, now - told.at < .microseconds(100) { return told.spent }
            let spent = state.spent + clock() - begin
            state.told = (spent, now)
            return spent
        }
    }
}

extension EventStore {
    /// Throws `StoreError` if the budget of the request is spent (`tooCostly`) or the request has ended (`interrupted`).
    /// To be called in each loop over items; without a budget it does nothing.
    public func checkBudget() throws(StoreError) { try budget?.check() }

    /// Whether half of the request's budget is spent; false without a budget.
    public var isHalfSpent: Bool { budget?.isHalfSpent ?? false }

    /// Runs `body` with half of the budget that is left, so that the request can go on when it costs more.
    public func withHalfBudget<T>(_ body: (EventStore) throws(StoreError) -> T) throws(StoreError) -> T {
        try body(budget.map { within($0.half()) } ?? self)
    }
}
