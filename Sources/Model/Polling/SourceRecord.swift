public import Foundation

/// What is stored about a source.
public struct SourceRecord: Sendable, Hashable {
    /// The user's name for it.
    public var name: String
    /// Its kind of feed.
    public var kind: String
    /// Whether the configuration has it and enables it.
    public var isEnabled: Bool
    /// When it is due next; nil before its first poll.
    public var nextDue: Date?
    /// Why then.
    public var dueReason: DueReason?
    /// Last attempt.
    public var lastAttempt: Date?
    /// Last success.
    public var lastSuccess: Date?
    /// When a poll last brought a new event.
    public var lastNew: Date?
    /// Failed polls in a row.
    public var failures: Int
    /// When the present run of failures began.
    public var failingSince: Date?
    /// The last failure, also after a recovery.
    public var lastFailure: Failure?
    /// When that was.
    public var lastFailureAt: Date?
    /// Failures of single topics in the last poll.
    public var partialFailures: [String]
    /// How long events are kept.
    public var maxAge: Duration
    /// Age horizon up to which its events have been truncated; what lies below is refused.
    public var horizon: Date?
    /// The feed's state.
    public var state: FeedState
    /// What its last poll left to ask.
    public var work: WorkList?
    /// Validators by URL that still apply; filled by `begin` only.
    public var validators: [String: Validators]
    /// The new URL after a permanent redirect.
    public var movedTo: String?
    /// The interval the server asked for.
    public var requestedInterval: Duration?
    /// What the documents of the last poll held in place of events (`PollEnd.remark`); filled by `begin` and for `status`.
    public var remark: String?
    /// Items refused so far, by reason; filled for `status` only.
    public var refused: [String: Int]
    /// Paid reads of this month, reserved ones included.
    public var paidReads: Int

    /// Creates a record of a source that has never been polled.
    public init(
        name: String, kind: String, isEnabled: Bool = true, nextDue: Date? = nil, dueReason: DueReason? = nil,
        lastAttempt: Date? = nil, lastSuccess: Date? = nil, lastNew: Date? = nil, failures: Int = 0,
        failingSince: Date? = nil, lastFailure: Failure? = nil, lastFailureAt: Date? = nil,
        partialFailures: [String] = [], maxAge: Duration = .seconds(72 * 3600), horizon: Date? = nil,
        state: FeedState = FeedState(), work: WorkList? = nil, validators: [String: Validators] = [:],
        movedTo: String? = nil, requestedInterval: Duration? = nil, remark: String? = nil,
        refused: [String: Int] = [:], paidReads: Int = 0
    ) {
        self.name = name
        self.kind = kind
        self.isEnabled = isEnabled
        self.nextDue = nextDue
        self.dueReason = dueReason
        self.lastAttempt = lastAttempt
        self.lastSuccess = lastSuccess
        self.lastNew = lastNew
        self.failures = failures
        self.failingSince = failingSince
        self.lastFailure = lastFailure
        self.lastFailureAt = lastFailureAt
        self.partialFailures = partialFailures
        self.maxAge = maxAge
        self.horizon = horizon
        self.state = state
        self.work = work
        self.validators = validators
        self.movedTo = movedTo
        self.requestedInterval = requestedInterval
        self.remark = remark
        self.refused = refused
        self.paidReads = paidReads
    }
}
