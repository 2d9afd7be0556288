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

    /// A request with all its hops.
    struct Request: Sendable {
        /// What survives a restart; its chain is an index in `chains`.
        var pending: WorkList.Pending
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

        init(_ pending: WorkList.Pending, isRoot: Bool) {
            self.pending = pending
            self.isRoot = isRoot
            url = pending.request.url
        }

        /// The feed's request.
        var asked: FeedRequest { pending.request }
        var chain: Int { pending.chain }
        var hops: Int { redirects.count }

        /// Whether it asks for a document to which another one led.
        var isDocument: Bool { !isRoot && !asked.isEssential }

        /// Its fate after a failure.
        func fate(after failure: Failure, isOfStream: Bool) -> Fate {
            let isFirst = isRoot || isOfStream
            // A deferred document would keep its index from being asked.
            let waitsForHost = isDocument && failure.retryAfter != nil
            if !isFirst, failure.isRetryable, !waitsForHost, pending.tries + 1 < asked.maximumTries { return .deferred }
            return isFirst || asked.isEssential || failure.isTransient ? .endsChain : .givenUp
        }

        /// The account of its reserved paid reads; nil if none are reserved.
        func settlement(used: Int) -> PollStep.Settlement? {
            reserved.map { PollStep.Settlement(reserved: $0, used: used) }
        }

        /// Takes reads of a stream from the reserved ones, which are counted already. Returns the account if there were
        /// more.
        mutating func use(_ reads: Int) -> PollStep.Settlement? {
            guard let left = reserved else { return nil }
            reserved = max(0, left - reads)
            return reads > left ? PollStep.Settlement(reserved: left, used: reads) : nil
        }
    }

    /// What becomes of a request that has failed, and of its chain.
    enum Fate: Sendable {
        /// The chain goes on with a state by which the feed asks for the document again.
        case putOff
        /// The request is left for a later poll.
        case deferred
        /// Nothing that the chain holds back is stored: the next poll asks for all of it again.
        case endsChain
        /// The chain goes on without the document.
        case givenUp
    }

    /// A request from which nothing came.
    struct Loss: Sendable {
        let topic: String?
        /// The URL of a document to which another one led, without query, at most 200 scalars; nil: of the list itself.
        let document: String?
        let failure: Failure

        init(_ request: Request, _ failure: Failure) {
            self.init(
                topic: request.asked.topic,
                document: request.isDocument ? String(request.asked.url.withoutQuery.unicodeScalars.prefix(200)) : nil,
                failure)
        }

        init(topic: String? = nil, document: String? = nil, _ failure: Failure) {
            self.topic = topic
            self.document = document
            self.failure = failure
        }

        /// Whether it only waits, for its host or for the next month.
        var isWait: Bool { failure.hasCode(.hostWaiting) || failure.hasCode(.spendCap) }
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

        /// Whether what it holds back is to be stored now.
        var isComplete: Bool { remaining == 0 && !hasFailed && !isFlushed }
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
    var failures: [Loss] = []
    /// Documents that were given up.
    var lostDocuments: [Loss] = []
    /// The topics of the documents that were read; nil stands for those without one.
    var topicsOfDocuments: Set<String?> = []
    var result = StepResult()
    var bytes = 0
    /// Those of them that the store has, of an open stream.
    var storedBytes = 0
    var made = 0
    var notModified = 0
    var issues: [FeedIssue] = []
    /// Issues of documents that were given up, to be counted with the next step.
    var givenUp: [FeedIssue] = []
    /// Events and withdrawals in its answers.
    var events = 0
    /// Answers that were complete documents: essential, without follow-ups and without a new state; and documents of an
    /// index that have lost items.
    var documents = 0
    /// Issues of these documents by reason: their number and the text of the first.
    var oddities: [String: (times: Int, found: String)] = [:]
    /// Whether one of these issues is more than an item that is not asked for.
    var hasLostItems = false
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

    /// Notes that a request has its answer.
    mutating func succeeded(_ number: Int, _ facts: FetchFacts) {
        requests[number].status = .done
        bytes += facts.bytes
        successes += 1
        if requests[number].isDocument { topicsOfDocuments.insert(requests[number].asked.topic) }
    }

    /// Counts the events of an answer and, for a complete document, its issues; for a document of an index, the items
    /// that it has lost.
    mutating func count(_ answer: FeedAnswer, to request: FeedRequest) {
        events += answer.events.count + answer.withdrawals.count
        // An index lists what was not requested before, and a search what is new: an empty one is ordinary.
        guard !request.isEssential || (answer.followUps.isEmpty && answer.state == nil) else { return }
        let issues = request.isEssential ? answer.issues : answer.issues.filter(\.isFault)
        guard request.isEssential || !issues.isEmpty else { return }
        documents += 1
        hasLostItems = hasLostItems || issues.contains { !$0.costsItem || $0.isFault }
        for issue in issues {
            oddities[issue.reason, default: (0, issue.foundWithoutQuery)].times += issue.times
        }
    }

    /// Takes what the next step stores without its answer: what may be committed, and what the chains have held back
    /// that are complete.
    /// - Parameter state: The state of the source, which becomes that of these chains.
    mutating func flush(_ state: inout FeedState) -> StepParts {
        var parts = StepParts(validators: committableValidators, state: revisedState)
        committableValidators = [:]
        revisedState = nil
        for index in chains.indices where chains[index].isComplete {
            chains[index].isFlushed = true
            parts.validators.merge(chains[index].held.validators) { _, new in new }
            if let held = chains[index].held.state { parts.state = state.replace(chains[index].topic, with: held) }
        }
        validators.merge(parts.validators) { _, new in new }
        return parts
    }

    /// The value of `PollEnd.remark`.
    var remark: String? {
        if events > 0 { return "" }
        guard documents > 0, notModified == 0 else { return nil }
        guard let most = oddities.max(by: { ($0.value.times, $1.key) < ($1.value.times, $0.key) }) else { return "" }
        return "\(most.key) \(most.value.times)" + (most.value.found.isEmpty ? "" : " (\(most.value.found))")
    }

    /// The losses in their order, those of one topic with equal words as one, with their number.
    static func groups(of losses: [Loss]) -> [(first: Loss, count: Int)] {
        var groups: [(first: Loss, count: Int)] = []
        var places: [[String?]: Int] = [:]
        for loss in losses {
            let key: [String?] = [loss.topic, loss.document.map { _ in "" }, loss.failure.message]
            if let place = places[key] {
                groups[place].count += 1
            } else {
                places[key] = groups.count
                groups.append((loss, 1))
            }
        }
        return groups
    }

    /// The most losses that are told apart.
    private static let mostWords = 10

    /// The groups in sentences for people: `science: HOST answered 404`, `100 documents: HOST answered 503 (the first:
    /// URL)`. After ten, the others are counted.
    static func words(of groups: some Collection<(first: Loss, count: Int)>) -> [String] {
        let words = groups.prefix(mostWords).map { loss, count -> String in
            let topic = loss.topic.map { "\($0): " } ?? ""
            let message = loss.failure.message
            guard let document = loss.document else {
                return topic + (count > 1 ? "\(count) requests: " : "") + message
            }
            return topic
                + (count > 1 ? "\(count) documents: \(message) (the first: \(document))" : "\(document): \(message)")
        }
        let others = groups.dropFirst(mostWords).reduce(0) { $0 + $1.count }
        return others > 0 ? words + [others.counted("further failure")] : words
    }

    /// The parts of the source of which nothing is recorded from this poll on. It must not have failed as a whole.
    ///
    /// A part that was not asked for stays as it was: after 304 of the index, documents are still those that failed.
    /// - Parameters:
    ///   - before: The parts until now.
    ///   - interval: From one poll of the source to the next.
    ///   - now: Wall time.
    func shortfalls(after before: [Shortfall], every interval: Duration, at now: Date) -> [Shortfall] {
        // So do most polls end.
        if before.isEmpty, failures.isEmpty, lostDocuments.isEmpty, remark ?? "" == "" { return [] }
        var lost: [String: String] = [:]
        var read: Set<String> = []
        var known: Set<String> = [Shortfall.items]
        let losses = Dictionary(grouping: failures, by: \.topic)
        let refused = Dictionary(grouping: lostDocuments, by: \.topic)
        let answered = Set(requests.filter { $0.status == .done && !$0.isDocument }.map(\.asked.topic))
        func note(_ part: String, _ losses: [Loss], isRead: Bool) {
            known.insert(part)
            if losses.isEmpty {
                if isRead { read.insert(part) }
            } else {
                lost[part] = Self.words(of: Self.groups(of: losses).prefix(3)).joined(separator: "; ")
            }
        }
        for topic in Set(chains.map(\.topic)) {
            let all = losses[topic] ?? []
            let ofList = all.filter { $0.document == nil }
            note(
                topic.map { "topic \($0)" } ?? Shortfall.list, ofList.filter { !$0.isWait },
                isRead: ofList.isEmpty && answered.contains(topic))
            let isRead = topicsOfDocuments.contains(topic)
            let ofDocuments = all.filter { $0.document != nil && !$0.isWait } + (refused[topic] ?? [])
            note(
                topic.map { "\(Shortfall.documents) of \($0)" } ?? Shortfall.documents, isRead ? [] : ofDocuments,
                isRead: isRead)
        }
        if let remark {
            if remark.isEmpty || !hasLostItems { read.insert(Shortfall.items) } else { lost[Shortfall.items] = remark }
        }
        var shortfalls = before.filter { shortfall in
            let isSettled = lost[shortfall.part] != nil || read.contains(shortfall.part)
            return !isSettled && (known.contains(shortfall.part) || !isPlanned)
        }
        for (part, words) in lost {
            var shortfall = before.first { $0.part == part } ?? Shortfall(part: part, since: now, words: words)
            // After a clock that ran ahead it begins anew.
            shortfall.since = min(shortfall.since, now)
            shortfall.words = words
            shortfalls.append(shortfall)
        }
        for index in shortfalls.indices where shortfalls[index].lateFrom(every: interval) <= now {
            shortfalls[index].isTold = true
        }
        return shortfalls.sorted { $0.part < $1.part }
    }

    /// The unfinished requests of chains with stored answers, to be stored for the next poll; nil if there are none.
    var work: WorkList? {
        var list = WorkList()
        var numbers: [Int: Int] = [:]
        for request in requests where request.status != .done {
            let chain = chains[request.chain]
            guard chain.hasProgress, !chain.hasFailed else { continue }
            var pending = request.pending
            pending.chain = numbers[request.chain] ?? list.chains.count
            if numbers.updateValue(pending.chain, forKey: request.chain) == nil { list.chains.append(chain.held) }
            list.pending.append(pending)
        }
        return list.pending.isEmpty ? nil : list
    }
}

/// What a step stores, apart from what every step of its poll does.
struct StepParts: Sendable {
    var answer: FeedAnswer?
    var validators: [String: Validators] = [:]
    var state: FeedState?
    var settlement: PollStep.Settlement?
    var end: PollEnd?

    var isEmpty: Bool { answer == nil && validators.isEmpty && state == nil && settlement == nil && end == nil }
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
