import Foundation
import Model

/// How many rows truncation takes into one transaction: as many as fit into the time it aims at, by what the last ones
/// took.
struct TruncationPace: Sendable, Hashable {
    /// Time a transaction should take; whoever wants to write meanwhile waits for one at most.
    static let target = Duration.milliseconds(25)
    /// Rows of the first transaction, which shows how fast the disk is.
    static let firstRows = 50
    /// Fewest and most rows of a transaction.
    static let bounds = 10...5000

    /// Rows for the next transaction.
    private(set) var rows = firstRows

    /// Takes in that a transaction of `done` rows took so long: the next one is to take `target`, but has at most twice
    /// as many rows. One that was done early for want of rows tells nothing.
    mutating func note(_ done: Int, in took: Duration) {
        guard done > 0, done >= rows || took > Self.target else { return }
        let fitting = took > .zero ? Double(done) * (Self.target / took) : .infinity
        rows = min(max(Int(min(fitting, Double(rows * 2))), Self.bounds.lowerBound), Self.bounds.upperBound)
    }

    /// Room for others after a transaction that took so long: a quarter of it, at most as long as one should take.
    static func rest(after took: Duration) -> Duration { min(took / 4, target) }
}

/// How long a transaction has been at work.
struct TransactionTime: Sendable {
    private let timing: Stopwatch
    private let start: Duration

    init(_ timing: Stopwatch) {
        self.timing = timing
        start = timing.now()
    }

    var elapsed: Duration { timing.now() - start }
    /// Whether it has taken as long as one should.
    var isUp: Bool { elapsed >= TruncationPace.target }
}

extension EventStore {
    /// One transaction that is told when it has taken as long as one should, and the time that it took. Waiting for
    /// others to write is no work.
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

/// The clock and the rests of truncation; simulations and tests bring their own.
package struct Stopwatch: Sendable {
    /// Time since some moment.
    package var now: @Sendable () -> Duration
    /// Lets others go on for so long.
    package var rest: @Sendable (Duration) -> Void

    /// Creates a stopwatch.
    package init(now: @escaping @Sendable () -> Duration, rest: @escaping @Sendable (Duration) -> Void) {
        self.now = now
        self.rest = rest
    }

    /// The machine's.
    package static let live: Stopwatch = {
        let start = ContinuousClock.now
        return Stopwatch(now: { ContinuousClock.now - start }, rest: { Thread.sleep(forTimeInterval: $0.seconds) })
    }()

    /// For simulated time, which stands still meanwhile: what is done in one transaction depends on no machine.
    package static let still = Stopwatch(now: { .zero }, rest: { _ in })
}
