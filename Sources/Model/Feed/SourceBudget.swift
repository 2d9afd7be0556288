public import Foundation

/// Rows and bytes of a source in the database.
///
/// A row is an event, one of its kept revisions, a withdrawal of an event that nobody has shown, or a tombstone. Bytes
/// are those of the texts, and what the file needs for their keys and indexes on average.
public struct StoredAmount: Sendable, Hashable {
    /// The number of rows.
    public var rows: Int
    /// The number of bytes.
    public var bytes: Int

    /// Creates an amount; by default nothing. A negative one tells what has gone.
    public init(rows: Int = 0, bytes: Int = 0) {
        self.rows = rows
        self.bytes = bytes
    }

    /// Adds another amount.
    public static func += (a: inout Self, b: Self) {
        a.rows += b.rows
        a.bytes += b.bytes
    }

    /// The sum of two amounts.
    public static func + (a: Self, b: Self) -> Self { Self(rows: a.rows + b.rows, bytes: a.bytes + b.bytes) }

    /// The amount with the other sign: what goes where the amount came.
    public static prefix func - (a: Self) -> Self { Self(rows: -a.rows, bytes: -a.bytes) }

    /// Whether both numbers are below a limit.
    public func isBelow(_ limit: Self) -> Bool { rows < limit.rows && bytes < limit.bytes }

    /// The greater of the two numbers' shares of a limit; 1 at the limit. The limit's numbers are above 0.
    func share(of limit: Self) -> Double {
        max(Double(rows) / Double(limit.rows), Double(bytes) / Double(limit.bytes))
    }
}

/// The most that a source may add to the database; beyond it new events wait.
///
/// The defaults clear what sources bring at their start or at their best: USGS's `all_month` has 12 000 events, with
/// texts and keys 2.7 kB each: 32 MB; an archive of news has 1 000 articles a day of 3 kB, in 30 days 90 MB; a stream
/// has 50 messages a second of 1.5 kB, in an hour 180 000 and 270 MB. In all there is room for 16 days at the limit, or
/// for ten years of `all_month` with its revisions.
public struct SourceBudget: Sendable, Hashable {
    /// The most in one day (UTC); default 200 000 rows and 512 MiB.
    public var daily: StoredAmount
    /// The most in all; default 5 000 000 rows and 8 GiB. Revisions and erasures may use as much again.
    public var total: StoredAmount

    /// Creates a budget; by default that above. The numbers must be above 0, which is not checked.
    public init(
        daily: StoredAmount = StoredAmount(rows: 200_000, bytes: 512 << 20),
        total: StoredAmount = StoredAmount(rows: 5_000_000, bytes: 8 << 30)
    ) {
        self.daily = daily
        self.total = total
    }
}

/// What a source has used of its budget.
public struct SourceUse: Sendable, Hashable {
    /// The budget as it was last configured.
    public var budget: SourceBudget
    /// What the database holds of the source.
    public var total: StoredAmount
    /// What was added on `day`.
    public var ofDay: StoredAmount
    /// The day of the last addition: days since 1970 (UTC).
    public var day: Int64

    /// Creates a use with these values; by default nothing is used of the default budget.
    public init(
        budget: SourceBudget = SourceBudget(), total: StoredAmount = StoredAmount(),
        ofDay: StoredAmount = StoredAmount(), day: Int64 = 0
    ) {
        self.budget = budget
        self.total = total
        self.ofDay = ofDay
        self.day = day
    }

    /// The day of a wall time: days since 1970 (UTC).
    public static func day(of time: Date) -> Int64 { time.milliseconds / 86_400_000 }

    /// What was added on the day of a wall time.
    public func today(at time: Date) -> StoredAmount { day == Self.day(of: time) ? ofDay : StoredAmount() }

    /// Whether new events may be stored at a wall time.
    public func hasRoom(at time: Date) -> Bool { total.isBelow(budget.total) && today(at: time).isBelow(budget.daily) }

    /// Whether revisions and erasures may add to what is stored: they may use as much again as `budget.total`.
    public var hasReserve: Bool {
        total.isBelow(StoredAmount(rows: budget.total.rows * 2, bytes: budget.total.bytes * 2))
    }

    /// How much of the budget is used at a wall time: the greatest share of a limit; 1 or more: new events wait.
    public func share(at time: Date) -> Double {
        max(total.share(of: budget.total), today(at: time).share(of: budget.daily))
    }
}
