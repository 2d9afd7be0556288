import Control
import Engine
import Foundation
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

    /// How soon the table is tried again after the store has failed.
    private static let retryInterval = Duration.seconds(60)
    /// Changes of events after which one may wait for a place.
    static let wakingKinds: Set<EventChange.Kind> = [.new, .revised, .restored]

    private enum Inbox: Sendable {
        /// Events may wait, or a newer table may be there.
        case look
        /// Events have been looked up, and questions for the services may have come of it.
        case lookEnded(EventLookUp.End)
        case scheduler(GeocodeInput)
    }

    private let store: EventStore
    private let writer: StoreWriter
    private let lookUp: EventLookUp
    private let tablePath: String
    private let services: [GeocodeProvider: Service]
    private let providers: [GeocodeProvider]
    private let network: Network
    private let time: TimeSource
    let log: LocatorLog
    private let scheduler: Mutex<GeocodeScheduler>
    private let inputs: AsyncStream<Inbox>
    private let inbox: AsyncStream<Inbox>.Continuation
    /// The request to a service that is under way.
    private let underWay = Mutex<Task<Void, Never>?>(nil)
    private let askers = Mutex<(next: Int, waiting: [Int: CheckedContinuation<[ProviderReply]?, Never>]?)>((0, [:]))

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - sources: The configured sources, which say where their places are.
    ///   - log: That of the locator before, which knows what has been said; nil: a new one.
    init(
        store: EventStore, writer: StoreWriter, tablePath: String, services: [Service], sources: [SourceSettings],
        network: @escaping Network, time: TimeSource, seed: UInt64, logger: Logger, log: LocatorLog? = nil
    ) throws(StoreError) {
        self.store = store
        self.writer = writer
        self.tablePath = tablePath
        self.services = Dictionary(services.map { ($0.plan.provider, $0) }, uniquingKeysWith: { first, _ in first })
        providers = services.map(\.plan.provider)
        self.network = network
        self.time = time
        let log = log ?? LocatorLog(logger: logger)
        self.log = log
        lookUp = EventLookUp(
            store: store, writer: writer, tablePath: tablePath, sources: sources, providers: providers, time: time,
            log: log)
        let now = time.now()
        scheduler = Mutex(
            GeocodeScheduler(
                providers: services.map(\.plan), usage: try store.providerUsage(at: now.wall), seed: seed, at: now))
        (inputs, inbox) = AsyncStream.makeStream(of: Inbox.self)
    }

    /// Locates until `stop`; the request and the look-up under way have ended when it returns.
    /// - Parameter looksForEvents: Whether events are looked up; else the scheduler begins with the first question.
    func run(looksForEvents: Bool = true) async {
        var alarm = Alarm(time) { [inbox] in inbox.yield(.scheduler(.tick)) }
        var looking: Task<Void, Never>?
        var mustLookAgain = false
        var caller: Task<Void, Never>?
        var retry: Task<Void, Never>?
        var watcher: FileWatcher?
        if looksForEvents {
            watcher = FileWatcher(path: tablePath, time: time) { [inbox] in inbox.yield(.look) }
            // Kept answers expire.
            let pause = EventLookUp.reopenInterval + Self.retryInterval
            caller = Task { [time, inbox] in
                while (try? await time.sleep(until: time.now().uptime + pause)) != nil { inbox.yield(.look) }
            }
            inbox.yield(.look)
        }
        defer { withExtendedLifetime(watcher) {} }
        for await input in inputs {
            var schedulerInput: GeocodeInput?
            switch input {
            case .look where looking != nil: mustLookAgain = true
            case .look: looking = Task { inbox.yield(.lookEnded(await self.lookUp.run())) }
            case .lookEnded(let end):
                looking = nil
                if end.hasFailed {
                    retry?.cancel()
                    retry = Task { [time, inbox] in
                        if (try? await time.sleep(until: time.now().uptime + Self.retryInterval)) != nil {
                            inbox.yield(.look)
                        }
                    }
                }
                if end.mayHaveAsked { schedulerInput = .jobsWaiting }
                if mustLookAgain { inbox.yield(.look) }
                mustLookAgain = false
            case .scheduler(let input): schedulerInput = input
            }
            if let schedulerInput {
                let effects = scheduler.withLock { $0.handle(schedulerInput, at: time.now()) }
                var isStopped = false
                for effect in effects where !carryOut(effect) { isStopped = true }
                // Here, behind what the scheduler began before it knew of the stop.
                if case .stop = schedulerInput { underWay.withLock { $0?.cancel() } }
                if isStopped { break }
            }
            alarm.set(scheduler.withLock { $0.nextWake })
        }
        alarm.stop()
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
    func stop() { inbox.yield(.scheduler(.stop)) }

    /// Begins where another one has ended just now.
    func takeOver() { scheduler.withLock { $0.takeOver(at: time.now()) } }

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
            inbox.yield(.scheduler(.ask(query, kept: kept, number: number)))
        }
        return replies?.map { ServiceReply($0) }
    }

    // MARK: - The services

    /// Carries an effect out; false when the scheduler has stopped.
    private func carryOut(_ effect: GeocodeEffect) -> Bool {
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
            let task = Task<Void, Never> { inbox.yield(.scheduler(await request(provider, query))) }
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
    private func keepTrouble(_ notice: GeocodeNotice) {
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

    private func perform(_ work: @escaping @Sendable (EventStore, Date) throws -> GeocodeInput) {
        Task {
            let now = time.now().wall
            do {
                inbox.yield(.scheduler(try await writer.perform { [store] in try work(store, now) }))
            } catch {
                inbox.yield(.scheduler(.storeFailed(reason: "\(error)")))
            }
        }
    }

    private func request(_ provider: GeocodeProvider, _ query: PlaceQuery) async -> GeocodeInput {
        guard let service = services[provider] else {
            return .failed(Failure(.ours, .noService, "\(provider.rawValue) is not configured"))
        }
        return await service.ask(query, through: network, time: time) { [inbox] in
            inbox.yield(.scheduler(.sent(at: $0)))
        }
    }
}
