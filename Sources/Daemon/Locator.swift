import Engine
import Fetching
import Foundation
import Gazetteer
import Geocoding
import Logging
import Model
import Store
import Synchronization

/// Finds places for events that came without: in the city table at once, and what it does not know through the
/// services, one request at a time.
final class Locator: Sendable {
    /// What a service is reached by.
    struct Service: Sendable, Hashable {
        let plan: ProviderPlan
        let geocoder: Geocoder
        let timeout: Duration
    }

    /// Events looked up and stored at a time: a poll's write waits for no more.
    private static let batch = 256
    /// How often the table's file is looked at where it cannot be watched, and how soon the table is tried again after
    /// the store has failed.
    private static let lookInterval = Duration.seconds(60)
    /// How often kept answers that have expired reopen their questions.
    private static let reopenInterval = Duration.seconds(3600)

    private enum Inbox: Sendable {
        /// Events may wait, or a newer table may be there.
        case look
        /// Events have been looked up, and questions for the services may have come of it.
        case lookEnded(mayHaveAsked: Bool, hasFailed: Bool)
        case lane(LaneInput)
    }

    private let store: EventStore
    private let writer: StoreWriter
    private let table: TableKeeper
    private let tablePath: String
    private let watchesTable: Bool
    private let services: [GeocodeProvider: Service]
    private let providers: [GeocodeProvider]
    private let settings: [String: SourceSettings]
    /// Changes with what the settings say of places; then events without one are looked up again.
    private let settingsName: String
    private let network: Network
    private let time: TimeSource
    private let log: LocatorLog
    private let lane: Mutex<GeocodeLane>
    private let inputs: AsyncStream<Inbox>
    private let inbox: AsyncStream<Inbox>.Continuation
    /// The request to a service that is under way.
    private let underWay = Mutex<Task<Void, Never>?>(nil)
    private let askers = Mutex<(next: Int, waiting: [Int: CheckedContinuation<[ProviderReply]?, Never>]?)>((0, [:]))

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - watchesTable: Whether the kernel tells of a new table; else its file is looked at each minute.
    ///   - sources: The configured sources, which say where their places are.
    init(
        store: EventStore, writer: StoreWriter, tablePath: String, watchesTable: Bool = false, services: [Service],
        sources: [SourceSettings], network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger
    ) throws(StoreError) {
        self.store = store
        self.writer = writer
        self.tablePath = tablePath
        self.watchesTable = watchesTable
        table = TableKeeper(path: tablePath)
        self.services = Dictionary(services.map { ($0.plan.provider, $0) }, uniquingKeysWith: { first, _ in first })
        providers = services.map(\.plan.provider)
        settings = Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        settingsName = FNV64.hex(
            sources.map { "\($0.name) \($0.country ?? "") \($0.isGeocoded)" }.sorted().joined(separator: "\n"))
        self.network = network
        self.time = time
        log = LocatorLog(logger: logger)
        let now = time.now()
        lane = Mutex(
            GeocodeLane(
                providers: services.map(\.plan), usage: try store.providerUsage(at: now.wall), seed: seed, at: now))
        (inputs, inbox) = AsyncStream.makeStream(of: Inbox.self)
    }

    /// Locates until `stop`; the request and the look-up under way have ended when it returns.
    /// - Parameter looksForEvents: Whether events are looked up; else the lane begins with the first question.
    func run(looksForEvents: Bool = true) async {
        var alarm: (at: Duration, task: Task<Void, Never>)?
        var looking: Task<Void, Never>?
        var mustLookAgain = false
        var caller: Task<Void, Never>?
        var retry: Task<Void, Never>?
        // A folder that is not there cannot be watched; then the clock tells when to look.
        var watcher: FileWatcher?
        if looksForEvents {
            if watchesTable { watcher = try? FileWatcher(path: tablePath) { [inbox] in inbox.yield(.look) } }
            let pause = watcher == nil ? Self.lookInterval : Self.reopenInterval + Self.lookInterval
            caller = Task { [time, inbox] in
                while (try? await time.sleep(time.now().uptime + pause)) != nil { inbox.yield(.look) }
            }
            inbox.yield(.look)
        }
        defer { withExtendedLifetime(watcher) {} }
        for await input in inputs {
            var laneInput: LaneInput?
            switch input {
            case .look where looking != nil: mustLookAgain = true
            case .look: looking = Task { inbox.yield(await self.lookUp()) }
            case .lookEnded(let mayHaveAsked, let hasFailed):
                looking = nil
                if hasFailed, watcher != nil {
                    retry?.cancel()
                    retry = Task { [time, inbox] in
                        if (try? await time.sleep(time.now().uptime + Self.lookInterval)) != nil { inbox.yield(.look) }
                    }
                }
                if mayHaveAsked { laneInput = .jobsWaiting }
                if mustLookAgain { inbox.yield(.look) }
                mustLookAgain = false
            case .lane(let input): laneInput = input
            }
            if let laneInput {
                let effects = lane.withLock { $0.handle(laneInput, at: time.now()) }
                var isStopped = false
                for effect in effects where !carryOut(effect) { isStopped = true }
                switch laneInput {
                case .tick: alarm = nil
                // Here, behind what the lane began before it knew of the stop.
                case .stop: underWay.withLock { $0?.cancel() }
                default: break
                }
                if isStopped { break }
            }
            let wake = lane.withLock { $0.nextWake }
            if wake != alarm?.at {
                alarm?.task.cancel()
                alarm = wake.map { at in
                    (at, Task { [time, inbox] in if (try? await time.sleep(at)) != nil { inbox.yield(.lane(.tick)) } })
                }
            }
        }
        alarm?.task.cancel()
        caller?.cancel()
        retry?.cancel()
        // Nobody writes into the store any more when this returns.
        looking?.cancel()
        await looking?.value
        inbox.finish()
        let left = askers.withLock { askers in
            defer { askers.waiting = nil }
            return askers.waiting ?? [:]
        }
        for asker in left.values { asker.resume(returning: nil) }
    }

    /// Whether these are the services that it asks, with the same keys, in the same order.
    func asks(_ others: [Service]) -> Bool { providers.compactMap { services[$0] } == others }

    /// Events may have come that wait for a place.
    func look() { inbox.yield(.look) }

    /// Stops: no request begins any more, and the one under way is cut short.
    func stop() { inbox.yield(.lane(.stop)) }

    /// Asks the services on behalf of a person; nil when the daemon stops.
    func ask(_ query: PlaceQuery) async throws -> [ServiceReply]? {
        let now = time.now().wall
        let kept = try await writer.perform { [store] in try store.keptAnswers(to: query, at: now) }
        let replies: [ProviderReply]? = await withCheckedContinuation { continuation in
            let number: Int? = askers.withLock { askers in
                guard askers.waiting != nil else { return nil }
                askers.next += 1
                askers.waiting?[askers.next] = continuation
                return askers.next
            }
            guard let number else { return continuation.resume(returning: nil) }
            inbox.yield(.lane(.ask(query, kept: kept, number: number)))
        }
        return replies?.map { ServiceReply($0) }
    }

    // MARK: - The city table

    private let lastReopening = Mutex<Duration?>(nil)

    /// Looks up all events that wait, batch by batch; returns whether questions for the services may wait.
    private func lookUp() async -> Inbox {
        // What is asked before the store fails still is.
        var mayHaveAsked = false
        var hasFailed = false
        do {
            // At start jobs may wait from before, too.
            mayHaveAsked = try await reopenIfDue()
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
        } catch {
            log.failed(error)
            hasFailed = true
        }
        return .lookEnded(mayHaveAsked: mayHaveAsked, hasFailed: hasFailed)
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

    /// Reopens questions at the start and each hour; returns whether it did.
    private func reopenIfDue() async throws -> Bool {
        let uptime = time.now().uptime
        if let last = lastReopening.withLock({ $0 }), uptime - last < Self.reopenInterval { return false }
        try await reopen()
        lastReopening.withLock { $0 = uptime }
        return true
    }

    /// Lets questions be asked again whose answers have expired or for which there is another service, and closes those
    /// that no service is left to ask.
    private func reopen() async throws {
        let now = time.now().wall
        _ = try await writer.perform { [store, providers] in try store.reopenJobs(providers: providers, at: now) }
    }

    // MARK: - The services

    /// Carries an effect out; false when the lane has stopped.
    private func carryOut(_ effect: LaneEffect) -> Bool {
        switch effect {
        case .take(let oldest, let providers, let skipping):
            perform { store, now in
                .taken(try store.takeJob(oldest: oldest, providers: providers, skipping: skipping, at: now))
            }
        case .reserve(let reservation):
            perform { store, _ in .reserved(try store.reserve(reservation)) }
        case .settle(let settlement):
            perform { [log] store, _ in
                let located = try store.settle(settlement)
                log.settled(settlement, located: located)
                return .settled(located: located)
            }
        case .request(let provider, let query):
            let task = Task<Void, Never> { inbox.yield(.lane(await request(provider, query))) }
            underWay.withLock { $0 = task }
        case .reply(let number, let replies):
            askers.withLock { $0.waiting?.removeValue(forKey: number) }?.resume(returning: replies)
        case .notice(let notice):
            log.notice(notice)
            keepTrouble(notice)
        case .stopped: return false
        }
        return true
    }

    /// What `status` says of a service that is not asked for a while.
    private func keepTrouble(_ notice: LaneNotice) {
        let (provider, trouble): (GeocodeProvider, String?)
        switch notice {
        case .providerFailing(let name, let failure, let until):
            (provider, trouble) = (name, "failing: \(failure.message), next try \(until.rfc3339)")
        case .quotaUsedUp(let name, let until):
            (provider, trouble) = (name, "its quota is used up until \(until.rfc3339)")
        case .providerRecovered(let name, after: _): (provider, trouble) = (name, nil)
        case .storePaused, .storeResumed: return
        }
        Task { [store, writer] in
            _ = try? await writer.perform { try store.setTrouble(trouble, of: provider) }
        }
    }

    private func perform(_ work: @escaping @Sendable (EventStore, Date) throws -> LaneInput) {
        Task {
            let now = time.now().wall
            do {
                inbox.yield(.lane(try await writer.perform { [store] in try work(store, now) }))
            } catch {
                inbox.yield(.lane(.storeFailed(reason: "\(error)")))
            }
        }
    }

    private func request(_ provider: GeocodeProvider, _ query: PlaceQuery) async -> LaneInput {
        guard let service = services[provider] else {
            return .failed(Failure(.ours, "no_service", "\(provider.rawValue) is not configured"))
        }
        do throws(Failure) {
            let outcome: FetchOutcome
            do throws(Failure) {
                outcome = try await fetch(service.geocoder.request(for: query), within: service.timeout)
            } catch {
                return .answered(try service.geocoder.answer(failing: error, to: query))
            }
            switch outcome {
            case .body(let body): return .answered(try service.geocoder.answer(body, to: query))
            case .redirect(let url, let status, _, _):
                throw Failure(
                    .server, "redirected", "the service sends the request elsewhere: \(url.withoutQuery)",
                    status: status)
            case .notModified: throw Failure(.server, "not_modified", "the service answers 304 to a first request")
            case .stream(let stream):
                stream.close()
                throw Failure(.ours, "stream", "a stream was not asked for")
            }
        } catch {
            return .failed(error)
        }
    }

    private func fetch(_ request: FetchRequest, within limit: Duration) async throws(Failure) -> FetchOutcome {
        let result: Result<FetchOutcome, Failure> = await withTaskGroup(
            of: Result<FetchOutcome, Failure>.self
        ) { [network, time] group in
            group.addTask {
                do throws(Failure) { return .success(try await network(request)) } catch { return .failure(error) }
            }
            group.addTask {
                try? await time.sleep(time.now().uptime + limit)
                return .failure(Failure(.network, "timeout", "no answer within \(limit.compact)"))
            }
            let first = await group.next() ?? .failure(Failure(.ours, "cancelled", "the request was given up"))
            group.cancelAll()
            return first
        }
        return try result.get()
    }
}

extension ServiceReply {
    init(_ reply: ProviderReply) {
        switch reply.outcome {
        case .answered(let answer): self.init(reply.provider, answer, isKept: false)
        case .kept(let answer): self.init(reply.provider, answer, isKept: true)
        case .failed(let failure):
            self.init(provider: reply.provider, status: .failed, reason: failure.message, isKept: false)
        case .notAsked(let reason):
            self.init(provider: reply.provider, status: .notAsked, reason: reason.words, isKept: false)
        }
    }

    private init(_ provider: GeocodeProvider, _ answer: ProviderAnswer, isKept: Bool) {
        switch answer {
        case .found(let location):
            self.init(
                provider: provider, status: .found, isKept: isKept, latitude: location.coordinate.latitude,
                longitude: location.coordinate.longitude, precision: location.precision.rawValue,
                confidence: location.confidence, placeID: location.placeID)
        case .missing(let reason): self.init(provider: provider, status: .missing, reason: reason, isKept: isKept)
        }
    }
}

extension ProviderReply.Reason {
    /// The reason for people.
    fileprivate var words: String {
        switch self {
        case .notNeeded: "another service knows the place"
        case .failing(let until): "it has been failing, next try \(until.rfc3339)"
        case .quotaUsedUp(let until): "its quota is used up until \(until.rfc3339)"
        case .storeFailed(let reason): reason
        case .stopping: "the program stops"
        }
    }
}
