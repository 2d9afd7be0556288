package import Engine
import Foundation
package import Model
package import Store

/// Both sides of the geocode queue for `InProcessDaemon`: the real `GeocodeScheduler` and the real store, with a
/// closure in place of the city table and a scripted service.
///
/// It carries one effect out at a time, so a life can end after any of them.
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

    private var life: Life?
    private var inbox: [GeocodeInput] = []
    private var outbox: [GeocodeEffect] = []
    private var flight: (lands: Duration, input: GeocodeInput)?
    /// Whether a look-up has batches left, and whether questions may have come of those before.
    private var isLookingUp = false
    private var mayHaveAsked = false

    /// The city table's generation.
    private static let generation = "test"
    /// As `EventLookUp.batch`.
    private static let batch = 256

    /// What a life works with.
    private struct Life {
        let store: EventStore
        var scheduler: GeocodeScheduler
        var now: Moment
    }

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
        life = nil
        inbox = [.eventsWaiting]
        outbox = []
        flight = nil
        isLookingUp = false
        let usage = try store.providerUsage(at: now.wall)
        life = Life(
            store: store, scheduler: GeocodeScheduler(providers: plans, usage: usage, seed: 1, at: now), now: now)
    }

    /// When time brings something, as uptime.
    package var nextWake: Duration? { [life?.scheduler.nextWake, flight?.lands].compactMap { $0 }.min() }

    /// Tells the scheduler that time has passed.
    package func wake(at now: Moment) {
        if let wake = life?.scheduler.nextWake, wake <= now.uptime { inbox.append(.tick) }
    }

    /// Events without a coordinate may have come.
    package func lookForEvents() { inbox.append(.eventsWaiting) }

    /// The scheduler is to stop.
    package func stop() { inbox.append(.stop) }

    /// Does one thing; returns false when there is nothing to do now.
    package func step(at now: Moment) throws -> Bool {
        life?.now = now
        if let landed = flight, landed.lands <= now.uptime {
            flight = nil
            inbox.append(landed.input)
        }
        while !inbox.isEmpty { outbox += life?.scheduler.handle(inbox.removeFirst(), at: now) ?? [] }
        if !outbox.isEmpty {
            try carryOut(outbox.removeFirst())
        } else if isLookingUp, let life {
            try lookUpBatch(life)
        } else {
            return false
        }
        return true
    }

    /// Takes the next events through the table; the look-up ends with the last of them.
    private func lookUpBatch(_ life: Life, reopening: Bool = false) throws {
        do {
            if reopening {
                _ = try life.store.reopenJobs(providers: plans.map { $0.provider }, at: life.now.wall)
                mayHaveAsked = true
            }
            let events = try life.store.unlocated(limit: Self.batch, generation: Self.generation)
            if !events.isEmpty {
                let outcomes = events.map { (event: $0, outcome: table($0)) }
                let result = try life.store.apply(outcomes, generation: Self.generation, at: life.now.wall)
                mayHaveAsked = mayHaveAsked || result.asked > 0
                try whenStored(false, life.now)
            }
            if events.count < Self.batch { endLookUp(hasFailed: false) }
        } catch is StoreError {
            storeFailures += 1
            endLookUp(hasFailed: true)
        }
    }

    private func endLookUp(hasFailed: Bool) {
        isLookingUp = false
        inbox.append(.lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: hasFailed))
    }

    /// Works on the store; the scheduler is told if it fails.
    private func perform(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as StoreError {
            storeFailures += 1
            inbox.append(.storeFailed(reason: "\(error)"))
        }
    }

    private func ask(_ provider: GeocodeProvider, _ query: PlaceQuery, at now: Moment) {
        if flight != nil { overlaps += 1 }
        let reaction = service(query, now)
        asked.append(Asked(provider: provider, query: query, at: now, reaction: reaction))
        let input: GeocodeInput
        switch reaction.reply {
        case .success(let answer): input = .answered(answer)
        case .failure(let failure): input = .failed(failure)
        }
        flight = (now.uptime + reaction.delay, input)
    }
}

extension GeocodeDriver: EffectCarrier {
    package func carryOut(_ effect: GeocodeEffect) throws {
        guard let life else { return }
        let (store, now) = (life.store, life.now)
        switch effect {
        case .lookUp(let reopening):
            isLookingUp = true
            mayHaveAsked = false
            try lookUpBatch(life, reopening: reopening)
        case .take(let oldest, let providers, let skipping):
            try perform {
                let job = try store.takeJob(oldest: oldest, providers: providers, skipping: skipping, at: now.wall)
                inbox.append(.taken(job))
            }
        case .reserve(let reservation):
            try perform {
                inbox.append(.reserved(try store.reserve(reservation)))
                try whenStored(true, now)
            }
        case .settle(let settlement):
            try perform {
                let count = try store.settle(settlement)
                located += count
                inbox.append(.settled(located: count))
                try whenSettled(settlement, now)
            }
        case .request(let provider, let query): ask(provider, query, at: now)
        case .cancel:
            if flight != nil { flight = (.zero, .failed(Failure(.ours, .cancelled, "the fetch was cancelled"))) }
        case .notice(let notice): notices.append(notice)
        case .reply, .stopped: break
        }
    }
}
