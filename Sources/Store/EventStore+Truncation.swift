public import Foundation
import Model
public import SQLite

/// What truncation did, or would do.
public struct TruncationResult: Sendable, Hashable {
    /// Events removed, by one of the sources that showed them (the alphabetically first).
    public var events: [String: Int] = [:]
    /// Tombstones left for events that would come back past the horizon.
    public var tombstones = 0
    /// Entries pruned from the change log.
    public var changes = 0
    /// Answers of geocoding services forgotten: places and "no such place".
    public var answers = 0
    /// Items of the geocode queue removed because nobody waits for them.
    public var orphans = 0
    /// Pages given back to the file system.
    public var pages = 0
    /// Time from the beginning to the end.
    public var duration = Duration.zero
    /// The longest time in which nobody else could write.
    public var longestTransaction = Duration.zero
    /// Bytes of the WAL at the end.
    public var walBytes = 0
    /// Whether the WAL has grown beyond what is usual and cannot shrink, because somebody reads what is in it.
    public var isWALHeld = false
    /// Who that is, as far as the system tells.
    public var walReader: WALReader?
    /// Whether everything expired has been dealt with; false when `willContinue` or the WAL ended it early.
    public var isComplete = true

    /// Events removed in all.
    public var total: Int { events.values.reduce(0, +) }

    /// Creates an empty result.
    public init() {}
}

/// Bounds of truncation, in milliseconds where they are times.
enum Truncation {
    static let day: Int64 = 86_400_000
    /// Age of events without any source.
    static let orphanAge: Int64 = 72 * 3_600_000
    /// Expired rows gathered at a time, which bounds memory.
    static let gathered = 100_000
    static let keptChanges: Int64 = 1_000_000
    static let keptChangesAge = 30 * day
    static let keptWithdrawals = 90 * day
    static let keptTombstones = 30 * day
    static let keptValidators = 30 * day
    static let keptAnswers = 1_000_000
    static let keptUsage = 400 * day
    /// Of so many pages one stays free, since what comes next needs it.
    static let freePages = 20
}

extension EventStore {
    /// Removes events that are older than every one of their sources says they are kept.
    ///
    /// First each source's horizon moves to `now` less its `max_age` (never back), so what goes does not come back.
    /// Then expired events go, oldest rows first. At the end old changes, withdrawals, tombstones, validators, answers
    /// of geocoding services and items of the queue that nobody waits for are pruned, free pages returned and the WAL
    /// emptied.
    ///
    /// All of it goes in transactions of about 25 ms, between which other writes get their turn, the WAL is brought
    /// into the database and `willContinue` is asked. Where a reader keeps the WAL from shrinking, truncation ends
    /// before it has 128 MB. What is left is for the next run.
    /// - Parameter now: a wall time that is trusted; ages count back from it.
    public func truncate(
        asOf now: Date, willContinue: @escaping () -> Bool = { true }
    ) throws(StoreError) -> TruncationResult {
        try truncate(asOf: now, timing: .live, willContinue: willContinue)
    }

    /// The same by another clock.
    package func truncate(
        asOf now: Date, timing: Stopwatch, willContinue: @escaping () -> Bool = { true }
    ) throws(StoreError) -> TruncationResult {
        let run = TruncationRun(of: self, at: now.milliseconds, timing: timing, willContinue: willContinue)
        try run.run()
        return run.result
    }
}
