import Foundation
import Model

/// A poll under way.
struct ActivePoll: Sendable {
    /// The stage of a request.
    enum Status: Sendable {
        /// In its host's queue.
        case waiting
        /// Its paid reads are being reserved.
        case reserving
        /// Sent, without an outcome yet.
        case open
        /// Left for a later poll after a transient failure.
        case deferred
        /// Answered, refused for good or given up.
        case done
    }

    /// A request with all its hops. What must survive a restart is stored as `WorkList.Pending`.
    struct Request: Sendable {
        /// The feed's request.
        let asked: FeedRequest
        /// Index of its chain in `chains`.
        let chain: Int
        /// Number of its transient failures so far, those in earlier polls included.
        var tries: Int
        let isRoot: Bool
        var status = Status.waiting
        /// The URL after the redirects so far.
        var url: String
        /// The URLs of the redirects so far.
        var redirects: [String] = []
        /// Whether all redirects so far were permanent.
        var hasMoved = false
        var reserved: Int?
        /// Whether it was queued a second time because its connection was lost.
        var isRepeated = false

        init(_ asked: FeedRequest, chain: Int, tries: Int = 0, isRoot: Bool) {
            self.asked = asked
            self.chain = chain
            self.tries = tries
            self.isRoot = isRoot
            url = asked.url
        }

        var hops: Int { redirects.count }

        /// The account of its reserved paid reads; nil if none are reserved.
        func settlement(used: Int) -> PollStep.Settlement? {
            reserved.map { PollStep.Settlement(reserved: $0, used: used) }
        }
    }

    struct Chain: Sendable {
        var held: WorkList.Chain
        let topic: String?
        /// Whether an answer of the chain is stored, so that its other requests must be stored as work.
        var hasProgress: Bool
        /// Requests that are not done; deferred ones count.
        var remaining = 0
        var hasFailed = false
        var isFlushed = false
    }

    /// The unique number of the poll.
    let number: Int
    let due: Duration
    let started: Moment
    var requests: [Request] = []
    var chains: [Chain] = []
    var validators: [String: Validators] = [:]
    /// Whether the feed has planned its requests. A poll that resumes stored work plans them afterwards.
    var isPlanned = false

    var successes = 0
    var failures: [(topic: String?, failure: Failure)] = []
    var result = StepResult()
    var bytes = 0
    var made = 0
    var notModified = 0
    var issues: [FeedIssue] = []
    /// Documents that were given up, to be counted with the next step.
    var givenUp: [FeedIssue] = []
    /// Events and withdrawals in its answers.
    var events = 0
    /// Answers that were complete documents: essential, without follow-ups and without a new state.
    var documents = 0
    /// Issues of these documents by reason: their number and the text of the first.
    var oddities: [String: (times: Int, found: String)] = [:]
    var notBefore: Date?
    var requestedInterval: Duration?
    var moved: PollStep.Moved?
    /// Validators to store with the next step.
    var committableValidators: [String: Validators] = [:]
    /// State to store with the next step although no chain is complete.
    var revisedState: FeedState?
    /// The stream, once it is open.
    var stream: OpenStream?

    /// The most issues kept for the log of a poll.
    static let issueCap = 50

    var isIdle: Bool {
        !requests.contains { $0.status == .waiting || $0.status == .reserving || $0.status == .open }
    }

    /// Whether nothing is left of the poll but one request, and nothing has come of the others because their hosts want
    /// to be left alone.
    /// - Parameter number: The request's index.
    func onlyWaits(with number: Int) -> Bool {
        successes == 0 && isPlanned && work == nil
            && failures.allSatisfy { $0.failure.hasCode(.hostWaiting) }
            && requests.indices.allSatisfy { $0 == number || requests[$0].status == .done }
    }

    /// Reserved paid reads that cannot have been used: the request was never sent, or the head of its stream has not
    /// arrived.
    var unusedReads: Int {
        requests.reduce(0) { sum, request in
            let isForStream = request.asked.stream != nil
            let isUnused =
                switch request.status {
                case .waiting: isForStream || request.hops == 0
                case .open: isForStream && stream == nil
                case .reserving, .deferred, .done: false
                }
            return isUnused ? sum + (request.reserved ?? 0) : sum
        }
    }

    /// Counts the events of an answer and, for a complete document, its issues.
    mutating func count(_ answer: FeedAnswer, to request: FeedRequest) {
        events += answer.events.count + answer.withdrawals.count
        // An index lists what was not requested before, and a search what is new: an empty one is ordinary.
        guard request.isEssential, answer.followUps.isEmpty, answer.state == nil else { return }
        documents += 1
        for issue in answer.issues {
            oddities[issue.reason, default: (0, issue.foundWithoutQuery)].times += issue.times
        }
    }

    /// The value of `PollEnd.remark`.
    var remark: String? {
        if events > 0 { return "" }
        guard documents > 0, notModified == 0 else { return nil }
        guard let most = oddities.max(by: { ($0.value.times, $1.key) < ($1.value.times, $0.key) }) else { return "" }
        return "\(most.key) \(most.value.times)" + (most.value.found.isEmpty ? "" : " (\(most.value.found))")
    }

    /// The unfinished requests of chains with stored answers, to be stored for the next poll; nil if there are none.
    var work: WorkList? {
        var list = WorkList()
        var numbers: [Int: Int] = [:]
        for request in requests where request.status != .done {
            let chain = request.chain
            guard chains[chain].hasProgress, !chains[chain].hasFailed else { continue }
            if numbers[chain] == nil {
                numbers[chain] = list.chains.count
                list.chains.append(chains[chain].held)
            }
            list.pending.append(
                WorkList.Pending(request: request.asked, chain: numbers[chain] ?? 0, tries: request.tries))
        }
        return list.pending.isEmpty ? nil : list
    }
}

/// Numbers of requests under way, or of free places for them.
struct Load: Sendable {
    /// Those that count against `EngineLimits.concurrency`.
    var counted = 0
    /// All, open streams aside.
    var open = 0

    /// Whether a source with this load may send another request: it leaves as many places free as it takes. So however
    /// many documents sources have, another one finds a place.
    func leaves(_ free: Load) -> Bool { counted < free.counted && open < free.open }
}

/// A request under way.
struct Flight: Sendable {
    var key: RequestKey
    var host: String
    /// Whether it counts against `EngineLimits.concurrency`.
    var isCounted: Bool
    /// Whether it is an open stream. Other requests to its host need not wait for its end.
    var isHeld = false
}
