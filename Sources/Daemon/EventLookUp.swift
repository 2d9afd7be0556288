import Engine
import Gazetteer
import Model
import Store

/// Looks up events in the city table that came without a place; what it does not know becomes questions for the
/// services.
final class EventLookUp: Sendable {
    /// Events looked up and stored at a time: a poll's write waits for no more.
    private static let batch = 256

    private let store: EventStore
    private let writer: StoreWriter
    private let table: CityTableHandle
    private let tablePath: String
    private let settings: [String: SourceSettings]
    /// Changes with what the settings say of places; then events without one are looked up again.
    private let settingsName: String
    private let providers: [GeocodeProvider]
    private let time: TimeSource
    private let log: LocatorLog

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - sources: The configured sources, which say where their places are.
    ///   - providers: The services that there are to take questions.
    init(
        store: EventStore, writer: StoreWriter, tablePath: String, sources: [SourceSettings],
        providers: [GeocodeProvider], time: TimeSource, log: LocatorLog
    ) {
        self.store = store
        self.writer = writer
        self.tablePath = tablePath
        table = CityTableHandle(path: tablePath)
        settings = Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        settingsName = FNV64.hex(
            sources.map { "\($0.name) \($0.country ?? "") \($0.isGeocoded)" }.sorted().joined(separator: "\n"))
        self.providers = providers
        self.time = time
        self.log = log
    }

    /// Looks up all events that wait, batch by batch.
    /// - Parameter reopening: Whether questions are reopened before.
    /// - Returns: What the scheduler is told of it.
    func run(reopening: Bool) async -> GeocodeInput {
        // What is asked before the store fails still is.
        var mayHaveAsked = false
        do {
            if reopening {
                try await reopen()
                // At start jobs may wait from before, too.
                mayHaveAsked = true
            }
            var sum = LocateResult()
            defer { log.looked(sum) }
            switch await table.refresh() {
            case .unavailable(let error): log.noTable(error)
            case .ready(let facts, let isNew):
                if isNew { log.opened(facts, path: tablePath) }
                let look = "\(facts.generation)-\(settingsName)"
                while !Task.isCancelled {
                    let events = try await waiting(generation: look)
                    guard !events.isEmpty, let outcomes = try await outcomes(of: events) else { break }
                    let now = time.now().wall
                    let result = try await writer.perform { [store] in
                        try store.apply(
                            zip(events, outcomes).map { ($0, $1) }, generation: look, at: now)
                    }
                    sum.add(result)
                    mayHaveAsked = mayHaveAsked || sum.asked > 0
                }
                // A question that nobody is there to take, or that all know not to answer, is unresolved at once.
                if sum.asked > 0 { try await reopen() }
            }
            return .lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: false)
        } catch {
            log.failed(error)
            return .lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: true)
        }
    }

    private func outcomes(of events: [UnlocatedEvent]) async throws -> [LocalOutcome]? {
        guard let outcomes = try await table.locate(events)?.get() else { return nil }
        return zip(events, outcomes).map { event, outcome in
            settings[event.source]?.isGeocoded == false
                ? .unresolved(reason: "the source is not to be geocoded") : outcome
        }
    }

    private func waiting(generation: String) async throws -> [UnlocatedEvent] {
        let events = try await writer.perform { [store] in
            try store.unlocated(limit: Self.batch, generation: generation)
        }
        return events.map { event in
            var event = event
            event.context = PlaceContext(country: settings[event.source]?.country)
            return event
        }
    }

    /// Lets questions be asked again whose answers have expired or for which there is another service, and closes those
    /// that no service is left to ask.
    private func reopen() async throws {
        let now = time.now().wall
        _ = try await writer.perform { [store, providers] in try store.reopenJobs(providers: providers, at: now) }
    }
}
