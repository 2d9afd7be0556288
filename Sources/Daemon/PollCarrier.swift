import Engine
import Model

/// Carries out the engine's effects, and reports their results as inputs.
struct PollCarrier {
    let writer: StoreWriter
    let worker: FetchWorker
    let truncator: Truncator
    let resets: ResetRunner
    /// Callers that wait for a source's poll.
    let polls: Waiters<String, Poller.Outcome>
    /// Takes the steps of reloads, in order.
    let reloads: AsyncStream<ReloadStep>.Continuation
    /// Takes the pauses that hosts ask for.
    let pauses: AsyncStream<Poller.Pause>.Continuation
    /// Asks for pictures; nil: none are kept.
    let pictures: PictureWorker?
    let log: PollLog
    let time: TimeSource
    /// Requests under way.
    private(set) var fetches: [FetchID: Task<Void, Never>] = [:]
    /// Whether the engine has stopped.
    private(set) var isStopped = false

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
        case .hostPaused(let host, let until): pauses.yield((host, until))
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
