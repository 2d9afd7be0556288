public import Foundation

/// The stored state of a source: its schedule, its last failures, and what its feed remembers.
public struct SourceRecord: Sendable, Hashable {
    /// The user's name for the source.
    public var name: String
    /// Its kind of feed, as `FeedKind.name`.
    public var kind: String
    /// Whether the configuration contains and enables it; default true.
    public var isEnabled = true
    /// When the next poll is due; nil before the first poll.
    public var nextDue: Date?
    /// The reason for `nextDue`; nil before the first poll.
    public var dueReason: DueReason?
    /// Wall time at which the last poll began; nil: never.
    public var lastAttempt: Date?
    /// Wall time at which a poll last succeeded; nil: never.
    public var lastSuccess: Date?
    /// Wall time at which a poll last delivered a new event; nil: never.
    public var lastNew: Date?
    /// Failed polls in a row; 0 (the default) after a success.
    public var failures = 0
    /// When the first of these polls failed; nil when the last poll succeeded.
    public var failingSince: Date?
    /// The last failure; a later success does not clear it. Nil: none yet.
    public var lastFailure: Failure?
    /// Wall time of the last failure; nil: none yet.
    public var lastFailureAt: Date?
    /// Failures of single topics and documents in the last poll, as sentences; empty without any.
    public var partialFailures: [String] = []
    /// The parts of which its polls bring nothing, although they succeed, by name; none by default.
    public var shortfalls: [Shortfall] = []
    /// How long its events are kept; default 72 h.
    public var maxAge = Duration.seconds(72 * 3600)
    /// Age horizon up to which its events were truncated; older events are refused. Nil: never truncated.
    public var horizon: Date?
    /// The state that the feed keeps between polls; empty before its first answer.
    public var state = FeedState()
    /// Requests that its last poll left over; nil: none.
    public var work: WorkList?
    /// Validators by URL that are still valid, as far as the poll may need them; filled by `begin` only.
    public var validators: [String: Validators] = [:]
    /// The new URL, without query, after a permanent redirect; nil: none.
    public var movedTo: String?
    /// The interval that the server last asked for; nil: none.
    public var requestedInterval: Duration?
    /// What the last poll's documents held in place of events (`PollEnd.remark`); filled by `begin` and for `status`,
    /// else nil.
    public var remark: String?
    /// Where its news happens, as far as it is learned; by default nothing.
    public var home = LearnedHome()
    /// The host that it waits for until `nextDue`, since it asked for a pause; filled for `status` only, else nil.
    public var waitsFor: String?
    /// Items refused so far, by reason; filled for `status` only, else empty.
    public var refused: [String: Int] = [:]
    /// Of these, the items of the last poll that has read something; filled for `status` only, else empty.
    public var lastRefused: [String: Int] = [:]
    /// The issues of that poll by code; filled for `status` only, else empty.
    public var issues: [String: IssueCount] = [:]
    /// What it has shown within a day in the name of providers for which it may not speak, by that provider; filled for
    /// `status` and `check` only, else empty.
    public var unproved: [String: UnprovedClaim] = [:]
    /// Paid reads of the present month (UTC), reserved ones included.
    public var paidReads = 0
    /// What it has used of its budget; filled for `status` only, else nothing of the default budget.
    public var use = SourceUse()

    /// Creates the record of an enabled source that has never been polled.
    public init(name: String, kind: String) { (self.name, self.kind) = (name, kind) }
}

/// What a source has shown in the name of a provider for which it may not speak.
public struct UnprovedClaim: Sendable, Hashable {
    /// Events and withdrawals of the last poll with any, 1 or more.
    public var items: Int
    /// The sources that showed a CAP sender first, by names; nil: there is none.
    public var holders: String?

    /// Creates a claim with these values, which are not checked.
    public init(items: Int, holders: String? = nil) {
        self.items = items
        self.holders = holders
    }
}
