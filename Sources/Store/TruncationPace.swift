import Foundation
import Model

/// The number of rows for the next truncation transaction: as many as fit into the target time at the pace of the last.
struct TruncationPace: Sendable, Hashable {
    /// The target time of a transaction; another writer waits for one transaction at most.
    static let target = Duration.milliseconds(25)
    /// Rows of the first transaction, which measures the disk.
    static let firstRows = 50
    /// The fewest and the most rows of a transaction.
    static let bounds = 10...5000

    /// Rows for the next transaction.
    private(set) var rows = firstRows

    /// Adapts to a transaction that processed `done` rows in this time: the next one should take `target`, with at most
    /// twice as many rows. A transaction that ran out of rows early is ignored.
    mutating func note(_ done: Int, in took: Duration) {
        guard done > 0, done >= rows || took > Self.target else { return }
        let fitting = took > .zero ? Double(done) * (Self.target / took) : .infinity
        rows = min(max(Int(clamping: min(fitting, Double(rows * 2))), Self.bounds.lowerBound), Self.bounds.upperBound)
    }

    /// The rest after a transaction: a quarter of its time, at most `target`.
    static func rest(after took: Duration) -> Duration { min(took / 4, target) }
}

/// The working time of a transaction.
struct TransactionTime: Sendable {
    private let timing: Stopwatch
    private let start: Duration

    init(_ timing: Stopwatch) {
        self.timing = timing
        start = timing.now()
    }

    var elapsed: Duration { timing.now() - start }
    /// Whether the target time is over.
    var isUp: Bool { elapsed >= TruncationPace.target }
}

extension EventStore {
    /// Runs a transaction that can check its working time, and returns that time. The wait for other writers does not
    /// count.
    func transaction<T>(
        timing: Stopwatch, _ body: (Writer, TransactionTime) throws -> T
    ) throws(StoreError) -> (result: T, took: Duration) {
        var time = TransactionTime(timing)
        let result = try transaction { writer in
            time = TransactionTime(timing)
            return try body(writer, time)
        }
        return (result, time.elapsed)
    }
}

/// The clock and the rests of truncation; simulations and tests have their own. Any thread may call both.
package struct Stopwatch: Sendable {
    /// The time since a fixed moment; it must not go back. Called on the thread of the run.
    package var now: @Sendable () -> Duration
    /// Blocks for this time, 0 or more, so that others can write.
    package var rest: @Sendable (Duration) -> Void

    /// The machine's clock since the first use (`ContinuousClock`, suspends included); rests block the thread.
    package static let live: Stopwatch = {
        let start = ContinuousClock.now
        return Stopwatch(now: { ContinuousClock.now - start }, rest: { Thread.sleep(forTimeInterval: $0.seconds) })
    }()

    /// A clock that stands still, without rests, for simulated time: a transaction's work does not depend on the
    /// machine.
    package static let still = Stopwatch(now: { .zero }, rest: { _ in })
}
