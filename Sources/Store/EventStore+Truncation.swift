public import Foundation
import Model
public import SQLite

/// The result of a truncation run, perhaps an unfinished one.
public struct TruncationResult: Sendable, Hashable {
    /// Events removed, by one of their sources (the first by name); empty name: no source.
    public var events: [String: Int] = [:]
    /// Tombstones written for events that the horizon alone would let in again.
    public var tombstones = 0
    /// Entries removed from the change log: those older than 30 days, or beyond the newest million.
    public var changes = 0
    /// Answers of geocoding services removed, places and "no such place".
    public var answers = 0
    /// Orphaned rows removed from the geocode queue and its jobs.
    public var orphans = 0
    /// Pages of the database file returned to the file system.
    public var pages = 0
    /// The time from start to end by the run's clock, rests included.
    public var duration = Duration.zero
    /// The longest time for which the run kept other writers waiting; about 25 ms is aimed at.
    public var longestTransaction = Duration.zero
    /// The size of the WAL at the end, in bytes; 0 if it is empty.
    public var walBytes = 0
    /// Whether a reader keeps the WAL above 32 MiB at the end, or has ended the run by keeping it above 86 MiB.
    public var isWALHeld = false
    /// That reader; nil if there is none or the system does not tell.
    public var walReader: WALReader?
    /// Whether every step was finished; false if `willContinue` or the WAL ended the run.
    public var isComplete = true

    /// All events removed, the sum of `events`.
    public var total: Int { events.values.reduce(0, +) }

    /// Creates the result of a run that has done nothing.
    public init() {}
}

/// Bounds of truncation; times in milliseconds.
enum Truncation {
    static let day: Int64 = 86_400_000
    /// The age at which events without a source expire.
    static let orphanAge: Int64 = 72 * 3_600_000
    /// The most expired rows held in memory.
    static let gathered = 100_000
    static let keptChanges: Int64 = 1_000_000
    static let keptChangesAge = 30 * day
    static let keptWithdrawals = 90 * day
    static let keptTombstones = 30 * day
    /// How long the correction of an event's place is kept while the event is gone.
    static let keptCorrections = 90 * day
    static let keptValidators = 30 * day
    /// The validators of a source that stay however old they are, and the most that stay.
    static let (fewestValidators, mostValidators) = (100, 10_000)
    static let keptAnswers = 1_000_000
    /// The rows of deliveries, and of what was told, that stay, and for how long.
    static let keptTold = 200_000
    static let keptToldAge = 90 * day
    static let keptUsage = 400 * day
    /// One page in this many stays free, because new events would take it again.
    static let freePages = 20
}

extension EventStore {
    /// Removes the events that none of their sources keeps any longer. Blocks until the run ends; one run at a time.
    ///
    /// First each source's horizon moves to `now` less its `max_age`, never back, so that removed events stay away.
    /// Then expired events go, roughly the oldest first. At the end the run prunes old changes, withdrawals,
    /// tombstones, validators, geocoding answers and orphans of the queue, returns free pages and empties the WAL.
    ///
    /// Each transaction takes about 25 ms. Between two, other writes get their turn, the WAL is checkpointed and
    /// `willContinue` is asked. If a reader keeps the WAL from shrinking, the run ends before the WAL reaches 128 MB.
    /// The next run does the rest.
    /// - Parameters:
    ///   - now: A trusted wall time, from which ages count.
    ///   - willContinue: Returns false to end the run early.
    /// - Throws: `StoreError`; what earlier transactions removed stays removed, and the next run does the rest.
    public func truncate(
        asOf now: Date, willContinue: @escaping () -> Bool = { true }
    ) throws(StoreError) -> TruncationResult {
        try truncate(asOf: now, timing: .live, willContinue: willContinue)
    }

    /// Does the same by another clock; `Stopwatch.still` for simulated time.
    package func truncate(
        asOf now: Date, timing: Stopwatch, willContinue: @escaping () -> Bool = { true }
    ) throws(StoreError) -> TruncationResult {
        let run = TruncationRun(of: self, at: now.milliseconds, timing: timing, willContinue: willContinue)
        try run.run()
        return run.result
    }
}
