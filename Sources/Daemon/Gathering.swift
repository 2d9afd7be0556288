import Engine
import Synchronization

/// The reports of several polls, for one who waits until the last of them has come.
final class Gathering: Sendable {
    private struct State {
        var reports: [PollReport?]
        var left: Int
        var waiter: CheckedContinuation<[PollReport], Never>?
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(reports: Array(repeating: nil, count: count), left: count)) }

    /// Takes the report of one poll, to be called once for each; nil: it has brought none.
    func take(_ report: PollReport?, at number: Int) {
        state.withLock { state in
            state.reports[number] = report
            state.left -= 1
        }
        endIfComplete()
    }

    /// The reports in order, without missing ones, once all have been taken.
    func reports() async -> [PollReport] {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiter = continuation }
            endIfComplete()
        }
    }

    private func endIfComplete() {
        let waiter = state.withLock { state -> CheckedContinuation<[PollReport], Never>? in
            guard state.left == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: state.withLock { $0.reports.compactMap { $0 } })
    }
}
