import Model
import Synchronization

/// One call of `fetch` that waits for its answer, which may come from any thread; only the first answer counts.
final class Exchange: Sendable {
    typealias Answer = Result<FetchOutcome, Failure>

    private enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Answer, Never>)
        /// The answer came before the call waited.
        case answeredEarly(Answer)
        case answered
    }

    /// The request of the call.
    let request: FetchRequest
    /// The parsed URL of the request.
    let address: WebAddress
    /// The limits of the fetch.
    let limits: FetchLimits
    /// The zones allowed for the connected address; nil: all.
    let zones: Set<AddressZone>?
    /// Zone of the peer that the request was last to be sent to; nil before.
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

    /// Sets the answer, unless there is one already.
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

    /// Whether the answer is there.
    var isFinished: Bool {
        state.withLock { state in
            switch state {
            case .new, .waiting: false
            case .answeredEarly, .answered: true
            }
        }
    }
}
