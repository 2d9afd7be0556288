import Synchronization

/// Whether the client of a connection is there, told from the connection's thread to whoever answers it.
final class Presence: Sendable {
    /// That of the connection whose request the task answers.
    @TaskLocal static var current = Presence()

    private let state = Mutex<(hasLeft: Bool, whenLeft: (@Sendable () -> Void)?)>((false, nil))

    /// The client has closed its side.
    func leave() {
        let body = state.withLock { state in
            state.hasLeft = true
            return state.whenLeft.take()
        }
        body?()
    }

    /// Calls back once when the client has left, at once if it has. A later call takes the place of this one.
    func whenLeft(_ body: @escaping @Sendable () -> Void) {
        let hasLeft = state.withLock { state in
            state.whenLeft = state.hasLeft ? nil : body
            return state.hasLeft
        }
        if hasLeft { body() }
    }
}
