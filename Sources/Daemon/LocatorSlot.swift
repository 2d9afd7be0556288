import Model
package import Store
import Synchronization

/// Holds the running locator, and replaces it when settings change.
package final class LocatorSlot: Sendable {
    private struct State {
        var locator: Locator
        var isStopping = false
    }

    private let state: Mutex<State>
    private let time: TimeSource
    private let changes: ChangeFeed

    /// Creates a slot.
    /// - Parameters:
    ///   - locator: The first one.
    ///   - store: Its changes start look-ups.
    package init(_ locator: Locator, store: EventStore, time: TimeSource) {
        self.time = time
        changes = ChangeFeed(of: store)
        state = Mutex(State(locator: locator))
    }

    /// The running locator.
    var current: Locator { state.withLock { $0.locator } }

    /// Locates until `stop`; after a replacement the next locator continues.
    package func run() async {
        let caller = time.task { [self] in
            // Beginning at 0 costs one needless look-up at the start, and misses nothing.
            var cursor: Int64 = 0
            while let newest = try? await changes.wait(after: cursor, for: EventChange.Kind.queueing) {
                cursor = newest
                current.look()
            }
        }
        defer { caller.cancel() }
        var locator = current
        while true {
            await locator.run()
            let next = current
            guard next !== locator else { return }
            next.takeOver()
            locator = next
        }
    }

    /// Stops the running locator; no other replaces it.
    package func stop() {
        state.withLock { state in
            state.isStopping = true
            state.locator.stop()
        }
    }

    /// Replaces the running locator, unless the slot is stopping.
    package func relocate(with next: Locator) {
        state.withLock { state in
            guard !state.isStopping else { return }
            state.locator.stop()
            state.locator = next
        }
    }
}
