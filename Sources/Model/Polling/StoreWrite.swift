public import Foundation

/// One thing to be written; several may share a transaction, each succeeds or fails by itself.
public enum StoreWrite: Sendable {
    /// A poll is about to make its first request.
    case begin(PollBeginning)
    /// A request of a poll was answered or given up, or the poll ended.
    case step(PollStep)
    /// Paid reads are about to be made; written with synchronous=FULL.
    case reserve(Reservation)
    /// Paid reads that were reserved are given back, because nothing can have used them. Nothing else of the source
    /// changes, so a work list that is stored stays.
    case giveBack(Reservation)
    /// Another configuration is about to come into force; these are all its sources.
    case reconcile([SourceSettings])
}

/// What came of a `StoreWrite`, in the same order.
public enum StoreResult: Sendable {
    /// Of `begin`: the source as it was stored before this attempt.
    case begun(SourceRecord)
    /// Of `step`.
    case stepped(StepResult)
    /// Of `reserve`: whether the reads are within the cap.
    case reserved(Bool)
    /// Of `giveBack`.
    case gaveBack
    /// Of `reconcile`: all sources as they are stored, also those no longer configured.
    case reconciled([SourceRecord])
}

/// A poll about to make its first request: stored before the request, so a crash loop never hammers a host.
public struct PollBeginning: Sendable, Hashable {
    /// The source's name.
    public var source: String
    /// Wall time of the attempt.
    public var at: Date
    /// When the source is due again if nothing more is heard of this poll.
    public var nextDue: Date
    /// Why then.
    public var dueReason: DueReason
    /// Filter settings and decoder version; validators stored under another one are not returned.
    public var fingerprint: String

    /// Creates a beginning.
    public init(source: String, at: Date, nextDue: Date, dueReason: DueReason = .interval, fingerprint: String) {
        self.source = source
        self.at = at
        self.nextDue = nextDue
        self.dueReason = dueReason
        self.fingerprint = fingerprint
    }
}

/// One answered or abandoned request of a poll, written in one transaction with everything that belongs to it.
public struct PollStep: Sendable {
    /// The source's name.
    public var source: String
    /// Wall time.
    public var at: Date
    /// Whether wall time is trusted; otherwise first-seen times written now are provisional.
    public var isClockTrusted: Bool
    /// What the feed made of the response; nil when nothing came (304, failure).
    public var answer: FeedAnswer?
    /// Which new events are accepted.
    public var filter: Filter
    /// Filter settings and decoder version, stored with the validators.
    public var fingerprint: String
    /// Validators to store now, by URL: those of chains that are complete. An empty value deletes the URL's.
    public var validators: [String: Validators]
    /// Feed state to store now; nil leaves it as it is.
    public var state: FeedState?
    /// What the poll still has to ask; nil: nothing.
    public var work: WorkList?
    /// Paid reads to settle: reserved and really used.
    public var settlement: Settlement?
    /// New URL after a permanent redirect (301, 308), shown in `status`: the asked URL and the new one.
    public var moved: Moved?
    /// How the poll ended, or that its stream is open; nil while nothing can be said.
    public var end: PollEnd?

    /// Creates a step.
    public init(
        source: String, at: Date, isClockTrusted: Bool = true, answer: FeedAnswer? = nil, filter: Filter = Filter(),
        fingerprint: String, validators: [String: Validators] = [:], state: FeedState? = nil, work: WorkList? = nil,
        settlement: Settlement? = nil, moved: Moved? = nil, end: PollEnd? = nil
    ) {
        self.source = source
        self.at = at
        self.isClockTrusted = isClockTrusted
        self.answer = answer
        self.filter = filter
        self.fingerprint = fingerprint
        self.validators = validators
        self.state = state
        self.work = work
        self.settlement = settlement
        self.moved = moved
        self.end = end
    }

    /// Paid reads: what was reserved for a request and what it cost.
    public struct Settlement: Sendable, Hashable {
        /// Reads reserved before.
        public var reserved: Int
        /// Reads really made.
        public var used: Int

        /// Creates a settlement.
        public init(reserved: Int, used: Int) {
            self.reserved = reserved
            self.used = used
        }
    }

    /// A permanent redirect.
    public struct Moved: Sendable, Hashable {
        /// The URL that was asked, without query.
        public var from: String
        /// The URL it has moved to, without query.
        public var to: String

        /// Creates a redirect.
        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }
}

/// How a poll ended.
public struct PollEnd: Sendable, Hashable {
    /// Nil for a success; a poll of several chains succeeds if one of them does.
    public var failure: Failure?
    /// Failures of single chains (topics) within a success, worded for `status`.
    public var partialFailures: [String]
    /// When the source is due again.
    public var nextDue: Date
    /// Why then.
    public var dueReason: DueReason
    /// Failed polls in a row, this one included.
    public var failures: Int
    /// The interval the server asked for, shown in `status`.
    public var requestedInterval: Duration?
    /// What the documents held in place of events, worded for `status`: the most frequent issue. Empty where they held
    /// events, or nothing odd; nil where none was read (304, failure), so that what is known stays.
    public var remark: String?

    /// Creates an end.
    public init(
        failure: Failure?, partialFailures: [String] = [], nextDue: Date, dueReason: DueReason, failures: Int,
        requestedInterval: Duration? = nil
    ) {
        self.failure = failure
        self.partialFailures = partialFailures
        self.nextDue = nextDue
        self.dueReason = dueReason
        self.failures = failures
        self.requestedInterval = requestedInterval
    }
}

/// What a step did to the stored events.
public struct StepResult: Sendable, Hashable {
    /// Events stored for the first time.
    public var new = 0
    /// Events with a new revision.
    public var changed = 0
    /// Events seen again without a difference.
    public var unchanged = 0
    /// Events withdrawn.
    public var withdrawn = 0
    /// Rows merged into another because they turned out to be one event.
    public var merged = 0
    /// Items refused, by reason: decoder issues that cost the item, filters, age.
    public var refused: [String: Int] = [:]
    /// Whether the body was ignored because it is not newer than the last one (promise of snapshots).
    public var wasStale = false

    /// Creates an empty result.
    public init() {}

    /// Adds another step's counts.
    public mutating func add(_ other: StepResult) {
        new += other.new
        changed += other.changed
        unchanged += other.unchanged
        withdrawn += other.withdrawn
        merged += other.merged
        refused.merge(other.refused, uniquingKeysWith: +)
        wasStale = wasStale || other.wasStale
    }
}

/// Paid reads about to be made, or to be given back.
public struct Reservation: Sendable, Hashable {
    /// The source's name.
    public var source: String
    /// Wall time; the cap counts by calendar month (UTC).
    public var at: Date
    /// How many reads at the most.
    public var reads: Int
    /// Reads allowed in a month; does not matter where they are given back.
    public var monthlyCap: Int

    /// Creates a reservation.
    public init(source: String, at: Date, reads: Int, monthlyCap: Int) {
        self.source = source
        self.at = at
        self.reads = reads
        self.monthlyCap = monthlyCap
    }
}
