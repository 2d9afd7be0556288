import Control
import Engine
import Foundation
package import Geocoding
package import Logging
package import Model
package import Store
import Synchronization

/// Finds places for events without a coordinate: first in the city table, then through the services, one request at a
/// time. It owns the scheduler, passes it inputs and carries out its effects.
package final class Locator: Sendable {
    /// A service with its limits and its requests.
    package struct Service: Sendable, Hashable {
        let plan: ProviderPlan
        let geocoder: Geocoder

        /// Creates a service with its limits.
        package init(plan: ProviderPlan, geocoder: Geocoder) {
            self.plan = plan
            self.geocoder = geocoder
        }
    }

    private let store: EventStore
    private let writer: StoreWriter
    private let lookUp: EventLookUp
    private let table: any PlaceTable
    private let watch: LocatorWatch
    private let services: [GeocodeProvider: Service]
    /// Why services cannot be asked, for `status`.
    private let troubles: [GeocodeProvider: String]
    private let network: Network
    private let time: TimeSource
    let log: LocatorLog
    private let scheduler: Mutex<GeocodeScheduler>
    private let inputs: AsyncStream<GeocodeInput>
    private let inbox: AsyncStream<GeocodeInput>.Continuation
    /// Persons who wait for a reply, by the number of their question; nil if the daemon stops.
    private let askers = Waiters<Int, [ProviderReply]?>(last: nil)
    private let lastQuestion = Mutex(0)

    /// - Parameters:
    ///   - writer: Runs work on the store between the polls' writes.
    ///   - services: The configured services; questions also wait for those that cannot be asked.
    ///   - sources: The configured sources, with the countries of their places.
    ///   - leastConfidence: The least confidence of a place, with which the table is opened.
    ///   - log: The log of the preceding locator, so that known trouble is not logged again; nil: a new one.
    ///   - batch: The most events looked up at a time.
    package init(
        store: EventStore, writer: StoreWriter, table: any PlaceTable, services: ConfiguredServices,
        sources: [SourceSettings], leastConfidence: Double = Location.leastConfidence, network: @escaping Network,
        time: TimeSource, seed: UInt64, logger: Logger,
        log: LocatorLog? = nil, batch: Int = LookUp.batch, watch: LocatorWatch = LocatorWatch()
    ) throws(StoreError) {
        self.store = store
        self.writer = writer
        self.table = table
        self.watch = watch
        self.services = Dictionary(
            services.reachable.map { ($0.plan.provider, $0) }, uniquingKeysWith: { first, _ in first })
        troubles = services.troubles
        self.network = network
        self.time = time
        let log = log ?? LocatorLog(logger: logger)
        self.log = log
        lookUp = EventLookUp(
            store: store, writer: writer, table: table, sources: sources, leastConfidence: leastConfidence,
            providers: services.all, time: time, log: log, batch: batch, watch: watch)
        let now = time.now()
        scheduler = Mutex(
            GeocodeScheduler(
                providers: services.reachable.map(\.plan),
                waitingFor: services.all.filter { services.unreachable[$0] != nil },
                usage: try store.providerUsage(at: now.wall), seed: seed, at: now))
        (inputs, inbox) = AsyncStream.makeStream(of: GeocodeInput.self)
    }

    /// Locates until `stop`, and returns when the request and the look-up under way have ended. From here on `status`
    /// shows the services that cannot be asked.
    /// - Parameter looksForEvents: Whether events are looked up; default true. Otherwise the scheduler only answers
    ///   questions and works on the queue once there is a question.
    func run(looksForEvents: Bool = true) async {
        // The troubles are only for `status`, so a failure to store them does not matter here.
        _ = try? await writer.perform { [store, troubles] in try store.setTroubles(troubles) }
        var carrier = GeocodeCarrier(
            store: store, writer: writer, lookUp: lookUp, services: services, network: network, time: time, log: log,
            askers: askers, watch: watch
        ) { [inbox] in inbox.yield($0) }
        var alarm = Alarm(time) { [inbox] in inbox.yield(.tick) }
        var watcher: FileWatcher?
        if looksForEvents {
            watcher = table.watch(time) { [inbox] in inbox.yield(.eventsWaiting) }
            inbox.yield(.eventsWaiting)
        }
        defer { withExtendedLifetime(watcher) {} }
        for await input in inputs {
            let (effects, wake) = handle(input)
            watch.gives(effects)
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
    /// - Returns: The effects, and the uptime of the scheduler's next wake-up.
    private func handle(_ input: GeocodeInput) -> (effects: [GeocodeEffect], wake: Duration?) {
        scheduler.withLock { scheduler in
            let effects = scheduler.handle(input, at: time.now())
            return (effects, scheduler.nextWake)
        }
    }

    /// Starts a look-up: new events may wait for a place.
    func look() { inbox.yield(.eventsWaiting) }

    /// Stops: no request begins any more, and the one under way is cancelled.
    func stop() { inbox.yield(.stop) }

    /// Takes over from a locator that has just ended.
    func takeOver() { scheduler.withLock { $0.takeOver(at: time.now()) } }

    /// Asks the services on behalf of a person; nil if the daemon stops.
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
