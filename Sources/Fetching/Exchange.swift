import Model
import Synchronization

/// One `fetch` call that waits for its answer, from whichever thread that comes; only the first answer counts.
final class Exchange: Sendable {
    typealias Answer = Result<FetchOutcome, Failure>

    private enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Answer, Never>)
        /// Answered before anyone waited.
        case answeredEarly(Answer)
        case answered
    }

    /// What is asked.
    let request: FetchRequest
    /// Whom.
    let address: WebAddress
    /// What it is allowed.
    let limits: FetchLimits
    /// Where the connected address may be; nil: anywhere.
    let zones: Set<AddressZone>?
    /// Where the peer is to which the request was last about to be sent.
    let peer = Mutex<AddressZone?>(nil)

    private let state = Mutex(State.new)

    init(_ request: FetchRequest, at address: WebAddress, limits: FetchLimits, within zones: Set<AddressZone>? = nil) {
        self.request = request
        self.address = address
        self.limits = limits
        self.zones = zones
    }

    /// Resumes `continuation` with the answer, now or later; to be called once.
    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let early: Answer? = state.withLock { state in
            guard case .answeredEarly(let answer) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .answered
            return answer
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Gives the answer; without effect when there is one already.
    func finish(_ answer: Answer) {
        let waiting: CheckedContinuation<Answer, Never>? = state.withLock { state in
            switch state {
            case .new:
                state = .answeredEarly(answer)
                return nil
            case .waiting(let continuation):
                state = .answered
                return continuation
            case .answeredEarly, .answered:
                return nil
            }
        }
        waiting?.resume(returning: answer)
    }

    /// Whether there is an answer.
    var isFinished: Bool {
        state.withLock { state in
            switch state {
            case .new, .waiting: false
            case .answeredEarly, .answered: true
            }
        }
    }
}
