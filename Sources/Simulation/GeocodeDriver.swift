import Daemon
package import Engine
import Fetching
import Foundation
import Gazetteer
import Geocoding
import Logging
package import Model
import Store

/// Locates events for `InProcessDaemon` with the shipped locator, with a closure in place of the city table and a
/// scripted service.
///
/// `@unchecked` as `InProcessDaemon`, which moves it.
package final class GeocodeDriver: @unchecked Sendable {
    /// A service's scripted reaction to a request: a reply, and how long it takes.
    package struct Reaction {
        /// The answer, which may be a miss, or why there is none.
        package var reply: Result<ProviderAnswer, Failure>
        /// Time from the request to the reply; 0: it is due at once.
        package var delay: Duration
    }

    /// A request as seen by the service, with its reaction.
    package struct Asked {
        /// The service that was asked.
        package var provider: GeocodeProvider
        /// The place that was asked for.
        package var query: PlaceQuery
        /// When the request was made.
        package var at: Moment
        /// What the script made of it; a cancelled request keeps the reply that it would have had.
        package var reaction: Reaction

        /// Whether the service answered, also with a miss; false for a failure.
        package var isAnswered: Bool {
            if case .success = reaction.reply { true } else { false }
        }
    }

    private let plans: [ProviderPlan]
    private let table: ScriptedTable
    private let service: (PlaceQuery, Moment) -> Reaction
    /// Called once a settlement is in the store; an error ends the run.
    package var whenSettled: (GeocodeSettlement, Moment) throws -> Void = { _, _ in }
    /// The most events looked up, or counted for a home, at a time; the daemon's size by default.
    package var batch = LookUp.batch
    /// Called once a batch of look-ups, or a reserved request (durable), is in the store; an error ends the run.
    package var whenStored: (_ isDurable: Bool, Moment) throws -> Void = { _, _ in }

    /// Requests so far, of all lives, in order; cancelled ones included.
    package private(set) var asked: [Asked] = []
    /// Notices of the scheduler, of all lives, in order.
    package private(set) var notices: [GeocodeNotice] = []
    /// Events that settlements have located, in all lives; those located by the table are not counted.
    package private(set) var located = 0
    /// Requests that began while another was under way, in all lives; 0 if the scheduler is right.
    package private(set) var overlaps = 0

    private var slot: LocatorSlot?
    /// Creates a locator of this life for sources.
    private var makeLocator: (([SourceSettings]) throws -> Locator)?
    /// The question of the next request.
    private var question: PlaceQuery?
    /// When the request under way gets its answer.
    private var flight: (lands: Duration, landing: UnsafeContinuation<Failure?, Never>)?

    /// Creates a driver, idle until a daemon begins its life.
    /// - Parameters:
    ///   - plans: The services with their gaps and quotas, in the order in which they are asked.
    ///   - table: The city table's outcome for an event.
    ///   - homeVotes: The votes of an event for the home of its source; by default none.
    ///   - service: A service's reaction to a question, with the moment of the request.
    package init(
        _ plans: [ProviderPlan], table: @escaping (UnlocatedEvent) -> LocalOutcome,
        homeVotes: @escaping (UnlocatedEvent) -> [String: Double] = { _ in [:] },
        service: @escaping (PlaceQuery, Moment) -> Reaction
    ) {
        self.plans = plans
        self.table = ScriptedTable(outcome: table, votes: homeVotes)
        self.service = service
    }

    // MARK: - A life

    /// Begins to locate the events of these sources on the daemon's store.
    func begin(_ daemon: InProcessDaemon, _ sources: [SourceSettings]) throws {
        let (store, life, link) = (daemon.store, daemon.life, daemon.link)
        makeLocator = { [plans, table, batch, watch = watch(link)] sources in
            try Locator(
                store: store, writer: life.poller.writer, table: table,
                services: ConfiguredServices(plans.map { ($0.provider, .success(Self.service($0))) }),
                sources: sources, network: life.network, time: life.time, seed: 1,
                logger: Logger(label: "simulated") { _ in SwiftLogNoOpLogHandler() }, batch: batch, watch: watch)
        }
        flight = nil
        guard let first = try makeLocator?(sources) else { return }
        let slot = LocatorSlot(first, store: store, time: life.time)
        self.slot = slot
        life.time.task { await slot.run() }
    }

    /// Stops: a request under way is cancelled, and none begins.
    func stop() { slot?.stop() }

    /// Replaces the locator by one for these sources.
    func relocate(_ sources: [SourceSettings]) throws {
        if let next = try makeLocator?(sources) { slot?.relocate(with: next) }
    }

    private func watch(_ link: InProcessDaemon.Link) -> LocatorWatch {
        var watch = LocatorWatch()
        watch.gives = { effects in
            for effect in effects {
                if case .request(_, let query) = effect { self.question = query }
                if case .notice(let notice) = effect { self.notices.append(notice) }
            }
            link.daemon?.carriedOut += effects.count
        }
        watch.stored = { isDurable in
            guard let daemon = link.daemon else { return }
            daemon.carriedOut += 1
            daemon.observe { try self.whenStored(isDurable, daemon.now) }
        }
        watch.settled = { settlement, located in
            guard let daemon = link.daemon else { return }
            self.located += located
            daemon.observe { try self.whenSettled(settlement, daemon.now) }
        }
        return watch
    }

    // MARK: - The service

    /// The address of the scripted service.
    private static let url = "https://geocoder.test/address"

    private static func service(_ plan: ProviderPlan) -> Locator.Service {
        Locator.Service(plan: plan, geocoder: .mapquest(MapQuest(url: url, key: nil)))
    }

    /// Whether a request is for the service.
    func serves(_ request: FetchRequest) -> Bool { request.url.hasPrefix(Self.url) }

    /// The uptime at which an answer is there; nil: none is on its way.
    var nextWake: Duration? { flight?.lands }

    /// Lets the answer arrive that is due.
    func land(at now: Moment) {
        guard let flight, flight.lands <= now.uptime else { return }
        self.flight = nil
        flight.landing.resume(returning: nil)
    }

    /// Answers a request as the service.
    func exchange(_ request: FetchRequest, at now: Moment) async throws(Failure) -> FetchOutcome {
        guard let query = question else { throw Failure(.ours, .noService, "nothing was asked") }
        if flight != nil { overlaps += 1 }
        request.whenSent?()
        let reaction = service(query, now)
        asked.append(Asked(provider: .mapquest, query: query, at: now, reaction: reaction))
        let lands = now.uptime + reaction.delay
        let failure: Failure? = await withTaskCancellationHandler {
            // Unsafe because a death leaves it behind.
            await withUnsafeContinuation { continuation in flight = (lands, continuation) }
        } onCancel: {
            flight.take()?.landing.resume(returning: Failure(.ours, .cancelled, "the fetch was cancelled"))
        }
        if let failure { throw failure }
        return .body(FetchedBody(data: try Self.body(reaction.reply.get()), url: request.url))
    }

    /// An answer in the words of MapQuest.
    private static func body(_ answer: ProviderAnswer) -> Data {
        var places = ""
        if case .found(let location) = answer {
            let coordinate = location.coordinate
            places = """
                {"latLng":{"lat":\(coordinate.latitude),"lng":\(coordinate.longitude)},"geocodeQualityCode":"A5XAX",\
                "adminArea5":"\(location.matchedText ?? "")"}
                """
        }
        return Data("{\"info\":{\"statuscode\":0},\"results\":[{\"locations\":[\(places)]}]}".utf8)
    }
}

/// A city table of closures, which never changes.
private final class ScriptedTable: PlaceTable, @unchecked Sendable {
    let path = "scripted"
    private let outcome: (UnlocatedEvent) -> LocalOutcome
    private let votes: (UnlocatedEvent) -> [String: Double]
    private var volcanoes: String?

    init(
        outcome: @escaping (UnlocatedEvent) -> LocalOutcome, votes: @escaping (UnlocatedEvent) -> [String: Double]
    ) {
        self.outcome = outcome
        self.votes = votes
    }

    func volcanoesInUse() async -> String? { volcanoes }

    func refresh(volcanoes: (name: String?, points: [PointOfInterest])?) async -> PlaceTableState {
        if let volcanoes { self.volcanoes = volcanoes.name }
        return .ready(TableFacts(generation: "test", cities: 0, seeded: InProcessDaemon.start), isNew: false)
    }

    func homeVotes(of events: [UnlocatedEvent], address: String?) async -> Result<[[String: Double]], GazetteerError>? {
        .success(events.map(votes))
    }

    func locate(_ events: [UnlocatedEvent]) async -> Result<[LocalOutcome], GazetteerError>? {
        .success(events.map(outcome))
    }

    func comeFromNoPlaces(_ events: [UnlocatedEvent]) async -> Result<[Bool], GazetteerError>? {
        .success(events.map { _ in false })
    }

    func watch(_ time: TimeSource, onEdit: @escaping @Sendable () -> Void) -> FileWatcher? { nil }
}
