package import Engine
import Foundation
package import Model
package import Store

/// Both sides of the geocode queue for `InProcessDaemon`: the real `GeocodeScheduler` and the real store, with a
/// closure in place of the city table and a scripted service.
///
/// It carries one effect out at a time, as the daemon does, so a life can end after any of them.
package final class GeocodeDriver {
    /// What a service does with a request.
    package struct Reaction {
        package var reply: Result<ProviderAnswer, Failure>
        /// How long it takes.
        package var delay: Duration

        /// Creates a reaction.
        package init(reply: Result<ProviderAnswer, Failure>, delay: Duration) {
            self.reply = reply
            self.delay = delay
        }
    }

    /// A request as the service saw it.
    package struct Asked {
        package var provider: GeocodeProvider
        package var query: PlaceQuery
        package var at: Moment
        package var reaction: Reaction

        package var isAnswered: Bool {
            if case .success = reaction.reply { true } else { false }
        }
    }

    private let plans: [ProviderPlan]
    /// What the city table makes of an event.
    private let table: (UnlocatedEvent) -> LocalOutcome
    private let service: (PlaceQuery, Moment) -> Reaction
    /// Called when a settlement is in the store; what it throws ends the run.
    package var whenSettled: (GeocodeSettlement, Moment) throws -> Void = { _, _ in }
    /// Called when a batch of look-ups in the table, or a reserved request, is in the store.
    package var whenStored: (_ isDurable: Bool, Moment) throws -> Void = { _, _ in }

    package private(set) var asked: [Asked] = []
    package private(set) var notices: [GeocodeNotice] = []
    /// Events that settlements have located.
    package private(set) var located = 0
    /// Requests that began while another was under way.
    package private(set) var overlaps = 0
    /// Times the store could not do what it was asked.
    package private(set) var storeFailures = 0

    private var scheduler: GeocodeScheduler?
    private var inbox: [GeocodeInput] = []
    private var outbox: [GeocodeEffect] = []
    private var flight: (lands: Duration, input: GeocodeInput)?
    private var hasNewEvents = false
    /// When the table is tried again after the store has failed, as uptime.
    private var lookAgain: Duration?

    /// The city table's generation.
    private static let generation = "test"
    /// As `EventLookUp.batch`.
    private static let batch = 256
    /// As `Locator.retryInterval`.
    private static let retryInterval = Duration.seconds(60)

    /// - Parameters:
    ///   - plans: The services.
    ///   - table: What the city table makes of an event.
    ///   - service: What a service does with a question.
    package init(
        _ plans: [ProviderPlan], table: @escaping (UnlocatedEvent) -> LocalOutcome,
        service: @escaping (PlaceQuery, Moment) -> Reaction
    ) {
        self.plans = plans
        self.table = table
        self.service = service
    }

    /// Begins a life with what is in the store.
    package func begin(_ store: EventStore, at now: Moment) throws {
        inbox = [.tick]
        outbox = []
        flight = nil
        hasNewEvents = true
        lookAgain = nil
        _ = try store.reopenJobs(providers: plans.map { $0.provider }, at: now.wall)
        scheduler = GeocodeScheduler(providers: plans, usage: try store.providerUsage(at: now.wall), seed: 1, at: now)
    }

    /// When time brings something, as uptime.
    package var nextWake: Duration? { [scheduler?.nextWake, flight?.lands, lookAgain].compactMap { $0 }.min() }

    /// Tells the scheduler that time has passed.
    package func wake(at now: Moment) {
        if let wake = scheduler?.nextWake, wake <= now.uptime { inbox.append(.tick) }
        if let time = lookAgain, time <= now.uptime {
            lookAgain = nil
            hasNewEvents = true
        }
    }

    /// Events without a coordinate may have come.
    package func lookForEvents() { hasNewEvents = true }

    /// The scheduler is to stop; the request under way is cut short.
    package func stop() {
        inbox.append(.stop)
        if flight != nil { flight = (.zero, .failed(Failure(.ours, .cancelled, "the fetch was cancelled"))) }
    }

    /// Does one thing; returns false when there is nothing to do now.
    package func step(_ store: EventStore, at now: Moment) throws -> Bool {
        if let landed = flight, landed.lands <= now.uptime {
            flight = nil
            inbox.append(landed.input)
        }
        while !inbox.isEmpty { outbox += scheduler?.handle(inbox.removeFirst(), at: now) ?? [] }
        if !outbox.isEmpty {
            let effect = outbox.removeFirst()
            do {
                try carryOut(effect, store, at: now)
            } catch let error as StoreError {
                storeFailures += 1
                inbox.append(.storeFailed(reason: "\(error)"))
            }
        } else if hasNewEvents {
            do {
                try locate(store, at: now)
            } catch is StoreError {
                storeFailures += 1
                hasNewEvents = false
                lookAgain = now.uptime + Self.retryInterval
            }
        } else {
            return false
        }
        return true
    }

    private func carryOut(_ effect: GeocodeEffect, _ store: EventStore, at now: Moment) throws {
        switch effect {
        case .take(let oldest, let providers, let skipping):
            let job = try store.takeJob(oldest: oldest, providers: providers, skipping: skipping, at: now.wall)
            inbox.append(.taken(job))
        case .reserve(let reservation):
            inbox.append(.reserved(try store.reserve(reservation)))
            try whenStored(true, now)
        case .request(let provider, let query):
            if flight != nil { overlaps += 1 }
            let reaction = service(query, now)
            asked.append(Asked(provider: provider, query: query, at: now, reaction: reaction))
            let input: GeocodeInput
            switch reaction.reply {
            case .success(let answer): input = .answered(answer)
            case .failure(let failure): input = .failed(failure)
            }
            flight = (now.uptime + reaction.delay, input)
        case .settle(let settlement):
            let count = try store.settle(settlement)
            located += count
            inbox.append(.settled(located: count))
            try whenSettled(settlement, now)
        case .notice(let notice): notices.append(notice)
        case .reply, .stopped: break
        }
    }

    /// The local side: one batch through the table.
    private func locate(_ store: EventStore, at now: Moment) throws {
        let events = try store.unlocated(limit: Self.batch, generation: Self.generation)
        if events.count < Self.batch { hasNewEvents = false }
        guard !events.isEmpty else { return }
        let outcomes = events.map { (event: $0, outcome: table($0)) }
        _ = try store.apply(outcomes, generation: Self.generation, at: now.wall)
        inbox.append(.jobsWaiting)
        try whenStored(false, now)
    }
}
