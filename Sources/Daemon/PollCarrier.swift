import Engine
import Model

/// Carries out the engine's effects, and reports their results as inputs.
struct PollCarrier {
    private let writer: StoreWriter
    private let worker: FetchWorker
    private let truncator: Truncator
    private let resets: ResetRunner
    private let polls: Waiters<String, Poller.Outcome>
    private let reloads: AsyncStream<ReloadStep>.Continuation
    private let pictures: PictureWorker?
    private let log: PollLog
    private let time: TimeSource
    /// Requests under way.
    private var fetches: [FetchID: Task<Void, Never>] = [:]
    /// Whether the engine has stopped.
    private(set) var isStopped = false

    /// - Parameters:
    ///   - polls: Callers that wait for a source's poll.
    ///   - reloads: Takes the steps of reloads, in order.
    ///   - pictures: Asks for pictures; nil: none are kept.
    init(
        writer: StoreWriter, worker: FetchWorker, truncator: Truncator, resets: ResetRunner,
        polls: Waiters<String, Poller.Outcome>, reloads: AsyncStream<ReloadStep>.Continuation,
        pictures: PictureWorker?, log: PollLog, time: TimeSource
    ) {
        self.writer = writer
        self.worker = worker
        self.truncator = truncator
        self.resets = resets
        self.polls = polls
        self.reloads = reloads
        self.pictures = pictures
        self.log = log
        self.time = time
    }

    /// Carries out an effect, or starts it; never waits for the result.
    mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .write(let id, let content): writer.write(id, content)
        case .fetch(let order): fetches[order.id] = time.task { [worker] in await worker.run(order) }
        case .cancel(let id): fetches.removeValue(forKey: id)?.cancel()
        case .readOn(let id): worker.readOn(id)
        case .truncate(let asOf): truncator.run(asOf: asOf)
        case .report(let report):
            log.ended(report)
            polls.answer(report.source, with: .success(report))
        case .reload(let step): reloads.yield(step)
        case .picture(let effect): pictures?.carryOut(effect)
        case .abandoned(let source, let reason): polls.answer(source, with: .failure(reason))
        case .readyForReset(let source): resets.begin(source)
        case .notice(let notice): log.notice(notice)
        case .stopped: isStopped = true
        }
    }

    /// Forgets the request whose outcome the input is.
    mutating func note(_ input: Input) {
        if let id = input.fetchID { fetches[id] = nil }
    }

    /// Cancels the requests under way.
    func end() {
        for task in fetches.values { task.cancel() }
        pictures?.end()
    }
}

extension Input {
    /// The request whose outcome the input is; nil for other inputs.
    fileprivate var fetchID: FetchID? {
        switch self {
        case .answered(let id, _, _), .unchanged(let id, _), .redirected(let id, _, _, _), .failed(let id, _, _): id
        default: nil
        }
    }
}
