public import Foundation

/// A request to the store. Several may share a transaction; each succeeds or fails independently.
public enum StoreWrite: Sendable {
    /// A poll will make its first request; answered by `StoreResult.begun`.
    case begin(PollBeginning)
    /// A request of a poll was answered or given up, or the poll ended; answered by `StoreResult.stepped`.
    case step(PollStep)
    /// Paid reads will be made; written with synchronous=FULL. Answered by `StoreResult.reserved`.
    case reserve(Reservation)
    /// Unused reserved reads are returned; answered by `StoreResult.gaveBack`. Nothing else of the source changes, so
    /// its stored work list stays.
    case giveBack(Reservation)
    /// Another configuration will come into force; these are all its sources. Answered by `StoreResult.reconciled`.
    case reconcile([SourceSettings])

    /// The name of the source that it concerns; nil: all.
    public var source: String? {
        switch self {
        case .begin(let beginning): beginning.source
        case .step(let step): step.source
        case .reserve(let reservation), .giveBack(let reservation): reservation.source
        case .reconcile: nil
        }
    }
}

/// The result of a `StoreWrite` that was committed.
public enum StoreResult: Sendable {
    /// The source as stored before this attempt, with its validators.
    case begun(SourceRecord)
    /// What the step changed in the stored events.
    case stepped(StepResult)
    /// Whether the reads may be made.
    case reserved(ReadGrant)
    /// The unused reads were returned to the cap.
    case gaveBack
    /// All stored sources, including those no longer configured.
    case reconciled([SourceRecord])
}

/// A poll before its first request. It is stored before the request, so a crash loop does not hammer a host.
public struct PollBeginning: Sendable, Hashable {
    /// The source's name in the configuration.
    public var source: String
    /// Wall time of the attempt.
    public var at: Date
    /// When the source is due again if the poll brings no further write.
    public var nextDue: Date
    /// The reason for `nextDue`; default: the interval.
    public var dueReason: DueReason
    /// Hash of the settings that answers depend on and of the decoder version (`EngineSource.fingerprint`). Validators
    /// stored under another one are not returned.
    public var fingerprint: String
    /// URLs that are asked first, as keys of validators. Theirs are returned however old they are, and of all others
    /// the newest thousand. Default: none.
    public var urls: [String]

    /// Creates a beginning with these values, which are not checked; by default the source is due at its interval.
    public init(
        source: String, at: Date, nextDue: Date, dueReason: DueReason = .interval, fingerprint: String,
        urls: [String] = []
    ) {
        self.source = source
        self.at = at
        self.nextDue = nextDue
        self.dueReason = dueReason
        self.fingerprint = fingerprint
        self.urls = urls
    }
}

/// One answered or abandoned request of a poll with everything that belongs to it, written in one transaction.
public struct PollStep: Sendable {
    /// The source's name in the configuration.
    public var source: String
    /// Wall time of the step.
    public var at: Date
    /// Whether the wall clock is trusted (the default); otherwise first-seen times written now are provisional.
    public var isClockTrusted: Bool
    /// The decoded response; nil when there is none (304, failure).
    public var answer: FeedAnswer?
    /// The filter for new events; by default it accepts all.
    public var filter: Filter
    /// For whom the source may speak, by the hosts that the answer came from, too. Nil (the default): for everyone.
    public var authority: Authority?
    /// Hash of the settings that answers depend on and of the decoder version, stored with the validators.
    public var fingerprint: String
    /// Validators of complete chains by URL, to be stored now; default: none. An empty value deletes those of its URL.
    public var validators: [String: Validators]
    /// Feed state to be stored now; nil leaves it unchanged.
    public var state: FeedState?
    /// Requests that the poll has still to make; nil: none.
    public var work: WorkList?
    /// Paid reads to settle; nil: none were reserved.
    public var settlement: Settlement?
    /// A permanent redirect (301, 308), shown in `status`; nil: none.
    public var moved: Moved?
    /// Whether the answer was paid for; then all of it is stored, since the reads were within the budget.
    public var isPaid: Bool
    /// How the poll ended, or that its stream is open; nil while the poll goes on.
    public var end: PollEnd?
    /// How the poll ended if the budget kept events of it waiting; nil, the default: as `end` says.
    public var endOverBudget: PollEnd?
    /// Until when hosts want no documents (Retry-After), by host: all that are in force. Nil, the default: as stored.
    public var documentPauses: [String: Date]?
    /// Issues beyond those of the answer: documents that were given up. Default: none.
    public var issues: [FeedIssue] = []

    /// Creates a step with these values, which are not checked; only source, time and fingerprint are required.
    public init(
        source: String, at: Date, isClockTrusted: Bool = true, answer: FeedAnswer? = nil, filter: Filter = Filter(),
        authority: Authority? = nil, fingerprint: String, validators: [String: Validators] = [:],
        state: FeedState? = nil, work: WorkList? = nil, settlement: Settlement? = nil, moved: Moved? = nil,
        isPaid: Bool = false, end: PollEnd? = nil, endOverBudget: PollEnd? = nil
    ) {
        self.source = source
        self.at = at
        self.isClockTrusted = isClockTrusted
        self.answer = answer
        self.filter = filter
        self.authority = authority
        self.fingerprint = fingerprint
        self.validators = validators
        self.state = state
        self.work = work
        self.settlement = settlement
        self.moved = moved
        self.isPaid = isPaid
        self.end = end
        self.endOverBudget = endOverBudget
    }

    /// Paid reads of a request: those reserved and those used.
    public struct Settlement: Sendable, Hashable {
        /// Reads that were reserved, 0 or more.
        public var reserved: Int
        /// Reads that were made, 0 or more.
        public var used: Int

        /// Creates a settlement with these numbers, which are not checked.
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

        /// Creates a redirect; the URLs are not checked.
        public init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }
}

/// The end of a poll, or that its stream is open: the outcome and the next due time.
public struct PollEnd: Sendable, Hashable {
    /// Why the poll failed; nil for a success. A poll of several chains succeeds if one of them does.
    public var failure: Failure?
    /// Failures of single topics and documents, as sentences for `status`, equal ones as one with their number; at most
    /// eleven. Of a failed poll: those beyond `failure`.
    public var partialFailures: [String]
    /// Wall time at which the source is due again.
    public var nextDue: Date
    /// The reason for `nextDue`.
    public var dueReason: DueReason
    /// Failed polls in a row, this one included; 0 for a success.
    public var failures: Int
    /// The interval that the server asked for, shown in `status`; nil: none.
    public var requestedInterval: Duration?
    /// What the documents held in place of events, for `status`: the most frequent issue. Empty if they held events or
    /// had no issue. Nil if none was read (304, failure): the stored remark stays.
    public var remark: String?
    /// The parts of the source of which nothing is recorded from this poll on, sorted by name. Nil, the default: those
    /// that are stored, as after a failure.
    public var shortfalls: [Shortfall]?
    /// How long the poll took; zero, the default, for an open stream.
    public var duration = Duration.zero
    /// Bytes received on the wire, of an open stream since the last such note; 0 or more, default 0.
    public var bytes = 0

    /// Creates the end of a poll with these values, which are not checked; by default without partial failures.
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
    /// Number of events stored for the first time.
    public var new = 0
    /// Number of events with a new revision.
    public var changed = 0
    /// Number of events reported again without a difference.
    public var unchanged = 0
    /// Number of events withdrawn by their provider or by their absence from a snapshot.
    public var withdrawn = 0
    /// Number of events merged into others because they turned out to be the same.
    public var merged = 0
    /// Refused items by reason: decoder issues that cost the item, filters, age.
    public var refused: [String: Int] = [:]
    /// Issues of the documents by code.
    public var issues: [String: IssueCount] = [:]
    /// Events and withdrawals that name a provider for which the source may not speak, by that provider.
    /// They were taken under the source's own identity.
    public var unproved: [String: Int] = [:]
    /// CAP senders that another source had shown first, and that belong to this one now, as the operator has written.
    public var takenSenders: [String] = []
    /// Whether the answer was ignored because its snapshot is not newer than the last one (`Coverage.generated`).
    public var wasStale = false
    /// Whether items of the poll wait for room in the source's budget, those of earlier steps included. Then neither
    /// validators nor state nor work list of the step were stored, and the poll ended as `PollStep.endOverBudget`.
    public var isOverBudget = false
    /// Paid reads of the month so far; nil if the step settled none.
    public var paidReads: Int?

    /// The word in `refused` for items that wait for room in the source's budget.
    public static let overBudget = "over_budget"

    /// Creates a result with all counts 0, not stale.
    public init() {}

    /// Counts issues, and as refused those that cost an item.
    public mutating func count(_ found: [FeedIssue]) {
        for issue in found {
            let code = issues.add(issue)
            if issue.costsItem { refused[code, default: 0] += issue.times }
        }
    }

    /// Adds the counts of a later step of the poll; `wasStale` if either was.
    public mutating func add(_ other: StepResult) {
        new += other.new
        changed += other.changed
        unchanged += other.unchanged
        withdrawn += other.withdrawn
        merged += other.merged
        refused.merge(other.refused, uniquingKeysWith: +)
        issues.merge(other.issues) { IssueCount(items: $0.items + $1.items, sample: $0.sample) }
        unproved.merge(other.unproved, uniquingKeysWith: +)
        takenSenders += other.takenSenders
        wasStale = wasStale || other.wasStale
        isOverBudget = isOverBudget || other.isOverBudget
        paidReads = other.paidReads ?? paidReads
    }
}

/// The answer to a reservation of paid reads.
public enum ReadGrant: Sendable, Hashable {
    /// The reads are within the cap and were counted.
    case granted
    /// They would exceed the month's cap; nothing was counted, and no read may be made.
    case capReached
    /// The source's budget has no room for what they bring; nothing was counted, and no read may be made.
    case overBudget
}

/// Paid reads to be made or to be returned.
public struct Reservation: Sendable, Hashable {
    /// The source's name in the configuration.
    public var source: String
    /// Wall time; the cap counts by calendar month (UTC).
    public var at: Date
    /// The number of reads, at most; 0 or more.
    public var reads: Int
    /// Reads allowed in a calendar month (UTC); not used when reads are returned.
    public var monthlyCap: Int

    /// Creates a reservation with these values, which are not checked.
    public init(source: String, at: Date, reads: Int, monthlyCap: Int) {
        self.source = source
        self.at = at
        self.reads = reads
        self.monthlyCap = monthlyCap
    }
}
