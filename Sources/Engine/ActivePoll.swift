import Foundation
import Model

/// A poll under way.
struct ActivePoll: Sendable {
    /// Where a request of the poll stands.
    enum Status: Sendable {
        /// In its host's queue.
        case waiting
        /// Its paid reads are being reserved.
        case reserving
        /// Under way.
        case open
        /// Left for a later poll after a transient failure.
        case deferred
        /// Answered, refused for good or given up.
        case done
    }

    struct Request: Sendable {
        var pending: WorkList.Pending
        var isRoot: Bool
        var status = Status.waiting
        /// Where redirects have led so far.
        var url: String
        var hops = 0
        /// Whether all redirects so far were permanent.
        var hasMoved = false
        var reserved: Int?
        /// Whether it has been sent once more after the connection was lost.
        var isRepeated = false

        init(_ pending: WorkList.Pending, isRoot: Bool) {
            self.pending = pending
            self.isRoot = isRoot
            url = pending.request.url
        }
    }

    struct Chain: Sendable {
        var held: WorkList.Chain
        let topic: String?
        /// Whether an answer of it is stored already, so that what is left must be remembered.
        var hasProgress: Bool
        /// Requests that are neither done nor deferred for good.
        var remaining = 0
        var hasFailed = false
        var isFlushed = false
    }

    /// Number of the poll, which no other has.
    let number: Int
    let due: Duration
    let started: Moment
    var requests: [Request] = []
    var chains: [Chain] = []
    var validators: [String: Validators] = [:]
    /// Whether the feed has been asked what to request; a poll that resumes stored work asks only after that.
    var isPlanned = false

    var successes = 0
    var failures: [(topic: String?, failure: Failure)] = []
    var result = StepResult()
    var bytes = 0
    var made = 0
    var notModified = 0
    var issues: [FeedIssue] = []
    /// Events and withdrawals in its answers.
    var events = 0
    /// Answers that were whole documents, in which all that a feed has to tell would have stood.
    var documents = 0
    /// The issues of these by reason: how many, and what was found first.
    var oddities: [String: (times: Int, found: String)] = [:]
    var notBefore: Date?
    var requestedInterval: Duration?
    var moved: PollStep.Moved?
    /// Validators to store with the next step.
    var committableValidators: [String: Validators] = [:]
    /// State to store with the next step although no chain is complete.
    var revisedState: FeedState?
    /// Its stream, once that is open.
    var stream: OpenStream?

    /// Issues kept for the log of one poll.
    static let issueCap = 50

    var isIdle: Bool {
        !requests.contains { $0.status == .waiting || $0.status == .reserving || $0.status == .open }
    }

    /// Paid reads that are reserved and that nothing can have used: their request has not left, or the head of the
    /// stream that it asks for has not come.
    var unusedReads: Int {
        requests.reduce(0) { sum, request in
            let isForStream = request.pending.request.stream != nil
            let isUnused =
                switch request.status {
                case .waiting: isForStream || request.hops == 0
                case .open: isForStream && stream == nil
                case .reserving, .deferred, .done: false
                }
            return isUnused ? sum + (request.reserved ?? 0) : sum
        }
    }

    /// Counts what an answer held.
    mutating func count(_ answer: FeedAnswer, to request: FeedRequest) {
        events += answer.events.count + answer.withdrawals.count
        // An index tells what has not been asked for yet, a search what is new; that there is nothing means nothing.
        guard request.isEssential, answer.followUps.isEmpty, answer.state == nil else { return }
        documents += 1
        for issue in answer.issues { oddities[issue.reason, default: (0, issue.found)].times += issue.times }
    }

    /// What the documents held in place of events (`PollEnd.remark`).
    var remark: String? {
        if events > 0 { return "" }
        guard documents > 0, notModified == 0 else { return nil }
        guard let most = oddities.max(by: { ($0.value.times, $1.key) < ($1.value.times, $0.key) }) else { return "" }
        // A URL's query may hold a key.
        let found = most.value.found.contains("://") ? most.value.found.withoutQuery : most.value.found
        return "\(most.key) \(most.value.times)" + (found.isEmpty ? "" : " (\(found))")
    }

    /// What must be remembered if the program ends now: the unfinished requests of chains that are partly stored.
    var work: WorkList? {
        var list = WorkList()
        var numbers: [Int: Int] = [:]
        for request in requests where request.status != .done {
            let chain = request.pending.chain
            guard chains[chain].hasProgress, !chains[chain].hasFailed else { continue }
            if numbers[chain] == nil {
                numbers[chain] = list.chains.count
                list.chains.append(chains[chain].held)
            }
            var pending = request.pending
            pending.chain = numbers[chain] ?? 0
            list.pending.append(pending)
        }
        return list.pending.isEmpty ? nil : list
    }
}

/// A request under way.
struct Flight: Sendable {
    var key: RequestKey
    var host: String
    /// Whether it counts against the concurrency.
    var isCounted: Bool
    /// Whether it is a stream that is open: its host does not wait for its end.
    var isHeld = false
}
