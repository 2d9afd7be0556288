import Synchronization

/// Counts what clients hold of something that is bounded, such as bytes, so that none holds all of it.
final class Shares: Sendable {
    private struct State {
        var all = 0
        var of: [String: Int] = [:]
    }

    private let most: Int
    /// What one client may hold.
    let share: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: What all clients may hold together.
    ///   - clients: The least number of clients that can hold all of it.
    init(most: Int, clients: Int) {
        self.most = most
        share = max(1, most / max(1, clients))
    }

    /// Takes some for a client; `give` gives it back.
    /// - Parameter isMade: Whether it is there already, so that it is counted in any case.
    /// - Returns: Whether there is room; if not, nothing is taken.
    @discardableResult
    func take(_ count: Int, for client: String, isMade: Bool = false) -> Bool {
        state.withLock { state in
            let own = state.of[client, default: 0]
            guard isMade || state.all + count <= most && own + count <= share else { return false }
            state.all += count
            state.of[client] = own + count
            return true
        }
    }

    /// Gives taken ones back.
    func give(_ count: Int, of client: String) {
        state.withLock { state in
            state.all -= count
            let left = state.of[client, default: 0] - count
            state.of[client] = left > 0 ? left : nil
        }
    }

    /// What all clients hold.
    var held: Int { state.withLock { $0.all } }
}
