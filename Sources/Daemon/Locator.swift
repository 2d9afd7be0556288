import Control
import Engine
import Foundation
import Geocoding
import Logging
import Model
import Store
import Synchronization

/// Finds places for events that came without: in the city table at once, and what it does not know through the
/// services, one request at a time. Owns the scheduler: hands it what happens and has its effects carried out.
final class Locator: Sendable {
    /// What a service is reached by.
    struct Service: Sendable, Hashable {
        let plan: ProviderPlan
        let geocoder: Geocoder
    }

    /// Changes of events after which one may wait for a place.
    static let wakingKinds: Set<EventChange.Kind> = [.new, .revised, .restored]

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
    private let inputs: AsyncStream<GeocodeInput>
    private let inbox: AsyncStream<GeocodeInput>.Continuation
    /// Persons who wait for the services, by the number of their question; told nil when the daemon stops.
    private let askers = Waiters<Int, [ProviderReply]?>(last: nil)
    private let lastQuestion = Mutex(0)

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
        (inputs, inbox) = AsyncStream.makeStream(of: GeocodeInput.self)
    }

    /// Locates until `stop`; the request and the look-up under way have ended when it returns.
    /// - Parameter looksForEvents: Whether events are looked up; else the scheduler begins with the first question.
    func run(looksForEvents: Bool = true) async {
        var carrier = GeocodeCarrier(
            store: store, writer: writer, lookUp: lookUp, services: services, network: network, time: time, log: log,
            askers: askers
        ) { [inbox] in inbox.yield($0) }
        var alarm = Alarm(time) { [inbox] in inbox.yield(.tick) }
        var watcher: FileWatcher?
        if looksForEvents {
            watcher = FileWatcher(path: tablePath, time: time) { [inbox] in inbox.yield(.eventsWaiting) }
            inbox.yield(.eventsWaiting)
        }
        defer { withExtendedLifetime(watcher) {} }
        for await input in inputs {
            let (effects, wake) = handle(input)
            for effect in effects { carrier.carryOut(effect) }
            if carrier.isStopped { break }
            alarm.set(wake)
        }
        alarm.stop()
        await carrier.end()
        inbox.finish()
        askers.close()
    }

    /// Hands the scheduler an input.
    /// - Returns: What is to be done, and when the scheduler wants to be woken, as uptime.
    private func handle(_ input: GeocodeInput) -> (effects: [GeocodeEffect], wake: Duration?) {
        scheduler.withLock { scheduler in
            let effects = scheduler.handle(input, at: time.now())
            return (effects, scheduler.nextWake)
        }
    }

    /// Whether these are the services that it asks, with the same keys, in the same order.
    func asks(_ others: [Service]) -> Bool { providers.compactMap { services[$0] } == others }

    /// Events may have come that wait for a place.
    func look() { inbox.yield(.eventsWaiting) }

    /// Stops: no request begins any more, and the one under way is cut short.
    func stop() { inbox.yield(.stop) }

    /// Begins where another one has ended just now.
    func takeOver() { scheduler.withLock { $0.takeOver(at: time.now()) } }

    /// Asks the services on behalf of a person; nil when the daemon stops.
    func ask(_ query: PlaceQuery) async throws -> [ServiceReply]? {
        let now = time.now().wall
        let kept = try await writer.perform { [store] in try store.keptAnswers(to: query, at: now) }
        let number = lastQuestion.withLock { last -> Int in
            last += 1
            return last
        }
        let replies = await askers.wait(for: number) { [inbox] in
            inbox.yield(.ask(query, kept: kept, number: number))
        }
        return replies?.map { ServiceReply($0) }
    }
}
