import Logging
import Model
import Settings
import Store
import Synchronization

/// Holds the running locator, and replaces it when settings change.
final class LocatorSlot: Sendable {
    private struct State {
        var locator: Locator
        var isStopping = false
    }

    private let state: Mutex<State>
    private let store: EventStore
    private let writer: StoreWriter
    private let network: Network
    private let time: TimeSource
    private let seed: UInt64
    private let logger: Logger
    private let changes: ChangeFeed

    /// Creates the first locator.
    /// - Parameters:
    ///   - services: The services that it asks.
    ///   - writer: Runs work on the store between the polls' writes.
    init(
        _ settings: Settings, _ services: ConfiguredServices, store: EventStore, writer: StoreWriter,
        network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger
    ) throws {
        self.store = store
        self.writer = writer
        self.network = network
        self.time = time
        self.seed = seed
        self.logger = logger
        changes = ChangeFeed(of: store)
        state = Mutex(
            State(
                locator: try Locator(
                    settings, services, store: store, writer: writer, network: network, time: time, seed: seed,
                    logger: logger)))
    }

    /// The running locator.
    var current: Locator { state.withLock { $0.locator } }

    /// Locates until `stop`; after a replacement the next locator continues.
    func run() async {
        let caller = Task {
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
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.locator.stop()
        }
    }

    /// Creates a locator for other settings, to be passed to `relocate`.
    func makeLocator(_ settings: Settings, _ services: ConfiguredServices) throws(StoreError) -> Locator {
        try Locator(
            settings, services, store: store, writer: writer, network: network, time: time, seed: seed,
            logger: logger, log: current.log)
    }

    /// Replaces the running locator, unless the slot is stopping.
    func relocate(with next: Locator) {
        state.withLock { state in
            guard !state.isStopping else { return }
            state.locator.stop()
            state.locator = next
        }
    }
}
