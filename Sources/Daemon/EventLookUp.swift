import Engine
import Gazetteer
import Model
import Store

/// Looks up events without a coordinate in the city table. Places that it does not know become questions for the
/// services.
final class EventLookUp: Sendable {
    /// Events looked up and stored at a time. A poll's write waits for one batch at most.
    private static let batch = 256

    private let store: EventStore
    private let writer: StoreWriter
    private let table: CityTableHandle
    private let tablePath: String
    private let settings: [String: SourceSettings]
    /// Hash of the settings that concern places. When it changes, events without a coordinate are looked up again.
    private let settingsName: String
    private let providers: [GeocodeProvider]
    private let time: TimeSource
    private let log: LocatorLog

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - sources: The configured sources, with the countries of their places.
    ///   - providers: All configured services, including those that cannot be asked now.
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

    /// Looks up all waiting events, batch by batch.
    /// - Parameter reopening: Whether questions are reopened first.
    /// - Returns: `GeocodeInput.lookedUp`.
    func run(reopening: Bool) async -> GeocodeInput {
        // Questions that were stored before a failure count, too.
        var mayHaveAsked = false
        do {
            if reopening {
                try await reopen()
                // At the start, jobs from earlier runs may wait, too.
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
                // Questions without a service to ask, or with kept misses of all services, are closed at once.
                if sum.asked > 0 { try await reopen() }
            }
            return .lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: false)
        } catch {
            log.failed(error)
            return .lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: true)
        }
    }

    /// One outcome for each event, in order; nil if there is no table.
    private func outcomes(of events: [UnlocatedEvent]) async throws -> [LocalOutcome]? {
        var outcomes = events.map { settings[$0.source]?.outcomeWithoutTable }
        let open = events.indices.filter { outcomes[$0] == nil }
        guard let found = try await table.locate(open.map { events[$0] })?.get() else { return nil }
        for (index, outcome) in zip(open, found) { outcomes[index] = outcome }
        return outcomes.compactMap { $0 }
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

    /// Reopens questions whose answers have expired or for which there is a new service. Closes those that no service
    /// is left to answer.
    private func reopen() async throws {
        let now = time.now().wall
        _ = try await writer.perform { [store, providers] in try store.reopenJobs(providers: providers, at: now) }
    }
}
