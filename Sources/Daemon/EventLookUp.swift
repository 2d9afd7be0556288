import Engine
import Gazetteer
import Model
import Store
import Synchronization

/// Carries out look-ups of events without a coordinate in the city table; `LookUp` decides their steps. Places that the
/// table does not know become questions for the services.
final class EventLookUp: Sendable {
    private let store: EventStore
    private let writer: StoreWriter
    private let table: any PlaceTable
    private let settings: [String: SourceSettings]
    private let settingsName: String
    private let providers: [GeocodeProvider]
    private let time: TimeSource
    private let log: LocatorLog
    private let batch: Int
    private let watch: LocatorWatch
    /// Whether the places of located events have been compared with the sources' `not_places`.
    private let hasCompared = Mutex(false)

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - sources: The configured sources, with what they say about places.
    ///   - leastConfidence: The least confidence of a place, with which the table is opened.
    ///   - providers: All configured services, including those that cannot be asked now.
    ///   - batch: The most events looked up, or counted for a home, at a time.
    init(
        store: EventStore, writer: StoreWriter, table: any PlaceTable, sources: [SourceSettings],
        leastConfidence: Double = Location.leastConfidence, providers: [GeocodeProvider], time: TimeSource,
        log: LocatorLog, batch: Int = LookUp.batch, watch: LocatorWatch = LocatorWatch()
    ) {
        self.store = store
        self.writer = writer
        self.table = table
        settings = Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        settingsName = LookUp.settingsName(of: sources, least: leastConfidence)
        self.providers = providers
        self.time = time
        self.log = log
        self.batch = batch
        self.watch = watch
    }

    /// Carries out a look-up to its end. After a cancellation no batch begins any more.
    /// - Parameter reopening: Whether questions are reopened first.
    /// - Returns: `GeocodeInput.lookedUp`.
    func run(reopening: Bool) async -> GeocodeInput {
        var lookUp = LookUp(reopening: reopening, settings: settingsName, batch: batch)
        var sum = LocateResult()
        var failure: (any Error)?
        while true {
            do {
                switch lookUp.step {
                case .reopen:
                    try await reopen()
                    lookUp.handle(.reopened)
                case .open:
                    let generation = try await openTable()
                    if generation != nil { try await takeBackPlaces() }
                    lookUp.handle(.opened(generation: generation))
                case .locate(let generation):
                    let (events, result) = try await locate(generation)
                    sum.add(result)
                    lookUp.handle(.located(events: events, asked: result.asked))
                case .end(let mayHaveAsked, let hasFailed):
                    log.looked(sum)
                    if let failure { log.failed(failure) }
                    return .lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: hasFailed)
                }
            } catch {
                failure = error
                lookUp.handle(.failed)
            }
        }
    }

    /// The generation of the open table, and of the seeded volcanoes if there are any; nil if there is no table.
    private func openTable() async throws -> String? {
        let name = try await writer.perform { [store] in try store.pointsGeneration() }
        var volcanoes: (name: String?, points: [PointOfInterest])?
        if name != (await table.volcanoesInUse()) {
            let points = try await writer.perform { [store] in try store.pointsOfInterest().flatMap { $0.spellings } }
            volcanoes = (name, points)
        }
        switch await table.refresh(volcanoes: volcanoes) {
        case .unavailable(let error):
            log.noTable(error)
            return nil
        case .ready(let facts, let isNew):
            if isNew { log.opened(facts, path: table.path) }
            return LookUp.generation(table: facts.generation, volcanoes: await table.volcanoesInUse())
        }
    }

    /// Looks up a batch and stores the outcomes; returns the number of events that waited, 0 without a table and after
    /// a cancellation.
    private func locate(_ generation: String) async throws -> (events: Int, result: LocateResult) {
        guard !Task.isCancelled else { return (0, LocateResult()) }
        var waiting = try await self.waiting(generation: generation)
        var isNews = false
        for source in LookUp.learners(among: waiting, settings) { isNews = try await learn(source) || isNews }
        // A new home lets unresolved events wait again.
        if isNews { waiting = try await self.waiting(generation: generation) }
        let events = try await knowingHomes(waiting)
        guard !events.isEmpty, let outcomes = try await outcomes(of: events) else { return (0, LocateResult()) }
        let now = time.now().wall
        let result = try await writer.perform { [store] in
            try store.apply(zip(events, outcomes).map { ($0, $1) }, generation: generation, at: now)
        }
        watch.stored(false)
        return (events.count, result)
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
        let events = try await writer.perform { [store, batch] in
            try store.unlocated(limit: batch, generation: generation)
        }
        return events.map { event in
            var event = event
            event.context = settings[event.source]?.home ?? PlaceContext()
            event.notPlaces = settings[event.source]?.notPlaces ?? []
            return event
        }
    }

    /// Takes away the places to which words led that name none any more, so that these events are located anew. Each
    /// change of the words is compared once, also one that was made while no daemon ran.
    private func takeBackPlaces() async throws {
        guard !hasCompared.withLock({ $0 }) else { return }
        for source in settings.values.sorted(by: { $0.name < $1.name }) {
            let words = source.notPlaces
            let name = words.isEmpty ? nil : FNV64.hex(words.sorted().joined(separator: "\n"))
            let known = try await writer.perform { [store] in try store.comparedNotPlaces(of: source.name) }
            guard name != known else { continue }
            var last: EventHandle? = words.isEmpty ? nil : .start
            while let after = last {
                guard !Task.isCancelled else { return }
                let found = try await writer.perform { [store] in
                    try store.placedByName(in: source.name, after: after)
                }
                last = found.last
                let events = found.events.map { event in
                    var event = event
                    event.notPlaces = words
                    return event
                }
                guard let areNone = try await table.comeFromNoPlaces(events)?.get() else { return }
                let moved = zip(events, areNone).filter { $0.1 }.map { $0.0 }
                let now = time.now().wall
                try await writer.perform { [store] in try store.unlocate(moved, at: now) }
            }
            try await writer.perform { [store] in try store.setComparedNotPlaces(name, of: source.name) }
        }
        hasCompared.withLock { $0 = true }
    }

    /// Counts the events of a source for its home that have not counted yet; whether the home is another one then.
    private func learn(_ source: String) async throws -> Bool {
        var isNews = false
        let host = settings[source].flatMap { URLParts($0.url)?.host } ?? ""
        let address = PlaceContext(host: host).country
        while !Task.isCancelled {
            let lesson = try await writer.perform { [store, batch] in try store.homeLesson(of: source, limit: batch) }
            let events = lesson.events.map { event in
                var event = event
                event.notPlaces = settings[source]?.notPlaces ?? []
                return event
            }
            guard !events.isEmpty,
                let votes = try await table.homeVotes(of: events, address: address)?.get()
            else { break }
            isNews = try await writer.perform { [store] in try store.learn(lesson, votes: votes) } || isNews
            watch.stored(false)
            if lesson.events.count < batch { break }
        }
        return isNews
    }

    private func knowingHomes(_ events: [UnlocatedEvent]) async throws -> [UnlocatedEvent] {
        guard !events.isEmpty else { return [] }
        let homes = try await writer.perform { [store] in try store.homes() }
        return LookUp.knowing(homes, events)
    }

    private func reopen() async throws {
        let now = time.now().wall
        _ = try await writer.perform { [store, providers] in try store.reopenJobs(providers: providers, at: now) }
    }
}
