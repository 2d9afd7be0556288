public import Foundation

/// A request to the store. Several may share a transaction; each succeeds or fails independently.
public enum StoreWrite: Sendable {
    /// A poll will make its first request.
    case begin(PollBeginning)
    /// A request of a poll was answered or given up, or the poll ended.
    case step(PollStep)
    /// Paid reads will be made; written with synchronous=FULL.
    case reserve(Reservation)
    /// Unused reserved reads are returned. Nothing else of the source changes, so its stored work list stays.
    case giveBack(Reservation)
    /// Another configuration will come into force; these are all its sources.
    case reconcile([SourceSettings])
}

/// The result of a `StoreWrite`.
public enum StoreResult: Sendable {
    /// The source as stored before this attempt.
    case begun(SourceRecord)
    /// The counts of the step.
    case stepped(StepResult)
    /// Whether the reads are within the cap and were counted.
    case reserved(Bool)
    /// The reads were returned.
    case gaveBack
    /// All stored sources, including those no longer configured.
    case reconciled([SourceRecord])
}

/// A poll before its first request. It is stored before the request, so a crash loop does not hammer a host.
public struct PollBeginning: Sendable, Hashable {
    /// The source's name.
    public var source: String
    /// Wall time of the attempt.
    public var at: Date
    /// When the source is due again if the poll brings no further write.
    public var nextDue: Date
    /// The reason for that time.
    public var dueReason: DueReason
    /// Hash of the settings that answers depend on and of the decoder version (`EngineSource.fingerprint`). Validators
    /// stored under another one are not returned.
    public var fingerprint: String

    /// Creates a beginning; by default the source is due at its interval.
    public init(source: String, at: Date, nextDue: Date, dueReason: DueReason = .interval, fingerprint: String) {
        self.source = source
        self.at = at
        self.nextDue = nextDue
        self.dueReason = dueReason
        self.fingerprint = fingerprint
    }
}

/// One answered or abandoned request of a poll with everything that belongs to it, written in one transaction.
public struct PollStep: Sendable {
    /// The source's name.
    public var source: String
    /// Wall time of the step.
    public var at: Date
    /// Whether the wall clock is trusted; otherwise first-seen times written now are provisional.
    public var isClockTrusted: Bool
    /// The decoded response; nil when there is none (304, failure).
    public var answer: FeedAnswer?
    /// The filter for new events.
    public var filter: Filter
    /// Hash of the settings that answers depend on and of the decoder version, stored with the validators.
    public var fingerprint: String
    /// Validators of complete chains by URL, to be stored now. An empty value deletes those of its URL.
    public var validators: [String: Validators]
    /// Feed state to be stored now; nil leaves it unchanged.
    public var state: FeedState?
    /// Requests that the poll has still to make; nil: none.
    public var work: WorkList?
    /// Paid reads to settle; nil: none were reserved.
    public var settlement: Settlement?
    /// A permanent redirect (301, 308), shown in `status`.
    public var moved: Moved?
    /// How the poll ended, or that its stream is open; nil while the poll goes on.
    public var end: PollEnd?

    /// Creates a step; only source, time and fingerprint are required.
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

    /// Paid reads of a request: those reserved and those used.
    public struct Settlement: Sendable, Hashable {
        /// Reads that were reserved.
        public var reserved: Int
        /// Reads that were made.
        public var used: Int

        /// Creates a settlement.
        public init(reserved: Int, used: Int) {
            self.reserved = reserved
            self.used = used
        }
    }

    /// A permanent redirect of a source's URL.
    public struct Moved: Sendable, Hashable {
        /// The requested URL, without query.
        public var from: String
        /// The new URL, without query.
        public var to: String

        /// Creates a redirect.
        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }
}

/// The end of a poll.
public struct PollEnd: Sendable, Hashable {
    /// Nil for a success. A poll of several chains succeeds if one of them does.
    public var failure: Failure?
    /// Failures of single chains (topics), as sentences for `status`. Of a failed poll: those beyond `failure`.
    public var partialFailures: [String]
    /// When the source is due again.
    public var nextDue: Date
    /// The reason for that time.
    public var dueReason: DueReason
    /// Failed polls in a row, this one included.
    public var failures: Int
    /// The interval that the server asked for, shown in `status`; nil: none.
    public var requestedInterval: Duration?
    /// What the documents held in place of events, for `status`: the most frequent issue. Empty if they held events or
    /// had no issue. Nil if none was read (304, failure): the stored remark stays.
    public var remark: String?

    /// Creates the end of a poll.
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

/// The changes that a step made to the stored events.
public struct StepResult: Sendable, Hashable {
    /// Events stored for the first time.
    public var new = 0
    /// Events with a new revision.
    public var changed = 0
    /// Events reported again without a difference.
    public var unchanged = 0
    /// Events withdrawn.
    public var withdrawn = 0
    /// Events merged into others because they turned out to be the same.
    public var merged = 0
    /// Refused items by reason: decoder issues that cost the item, filters, age.
    public var refused: [String: Int] = [:]
    /// Whether the answer was ignored because its snapshot is not newer than the last one (`Coverage.generated`).
    public var wasStale = false

    /// Creates a result with all counts 0.
    public init() {}

    /// Adds the counts of another step; `wasStale` if either was.
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

/// Paid reads to be made or to be returned.
public struct Reservation: Sendable, Hashable {
    /// The source's name.
    public var source: String
    /// Wall time; the cap counts by calendar month (UTC).
    public var at: Date
    /// The number of reads, at most.
    public var reads: Int
    /// Reads allowed in a month; not used when reads are returned.
    public var monthlyCap: Int

    /// Creates a reservation.
    public init(source: String, at: Date, reads: Int, monthlyCap: Int) {
        self.source = source
        self.at = at
        self.reads = reads
        self.monthlyCap = monthlyCap
    }
}
