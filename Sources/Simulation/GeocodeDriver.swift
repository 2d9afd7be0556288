package import Engine
import Foundation
package import Model
package import Store

/// Runs the geocode queue for `InProcessDaemon`: the real `GeocodeScheduler` and the real store, with a closure in
/// place of the city table and a scripted service.
///
/// It carries out one effect at a time, so a life can end after any of them.
package final class GeocodeDriver {
    /// A service's scripted reaction to a request: a reply, and how long it takes.
    package struct Reaction {
        /// The answer, which may be a miss, or why there is none.
        package var reply: Result<ProviderAnswer, Failure>
        /// Time from the request to the reply; 0: it is due at once.
        package var delay: Duration

        /// Creates a reaction with these values.
        package init(reply: Result<ProviderAnswer, Failure>, delay: Duration) {
            self.reply = reply
            self.delay = delay
        }
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
    /// The city table's outcome for an event.
    private let table: (UnlocatedEvent) -> LocalOutcome
    /// The votes of an event for its source's home.
    private let homeVotes: (UnlocatedEvent) -> [String]
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
    /// Calls that the store refused, in all lives; the scheduler learns of each.
    package private(set) var storeFailures = 0

    private var life: Life?
    private var inbox: [GeocodeInput] = []
    private var outbox: [GeocodeEffect] = []
    private var flight: (lands: Duration, input: GeocodeInput)?
    /// The look-up under way; nil: none.
    private var lookUp: LookUp?

    /// The state of one life.
    private struct Life {
        let store: EventStore
        /// Name of the sources' settings (`LookUp.settingsName`).
        var settings: String
        /// The configured sources by name.
        var sources: [String: SourceSettings]
        /// The name for the scheduler that replaces this one; nil: none does.
        var next: String?
        /// Whether `stop` was called.
        var isStopping = false
        var scheduler: GeocodeScheduler
        var now: Moment
    }

    /// Creates a driver, idle until `begin`.
    /// - Parameters:
    ///   - plans: The services with their gaps and quotas, in the order in which they are asked.
    ///   - table: The city table's outcome for an event.
    ///   - homeVotes: The votes of an event for the home of its source; by default none.
    ///   - service: A service's reaction to a question, with the moment of the request.
    package init(
        _ plans: [ProviderPlan], table: @escaping (UnlocatedEvent) -> LocalOutcome,
        homeVotes: @escaping (UnlocatedEvent) -> [String] = { _ in [] },
        service: @escaping (PlaceQuery, Moment) -> Reaction
    ) {
        self.plans = plans
        self.table = table
        self.homeVotes = homeVotes
        self.service = service
    }

    /// Begins a life on a store, whose kept usage counts, with these configured sources. Work of the last life is
    /// dropped, its records stay.
    /// - Throws: `StoreError` if the usage cannot be read.
    package func begin(_ store: EventStore, _ sources: [SourceSettings], at now: Moment) throws {
        life = nil
        inbox = [.eventsWaiting]
        outbox = []
        flight = nil
        lookUp = nil
        let usage = try store.providerUsage(at: now.wall)
        life = Life(
            store: store, settings: LookUp.settingsName(of: sources), sources: Self.byName(sources),
            scheduler: GeocodeScheduler(providers: plans, usage: usage, seed: 1, at: now), now: now)
    }

    private static func byName(_ sources: [SourceSettings]) -> [String: SourceSettings] {
        Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The next uptime at which something is due; nil: nothing is. A past one: call `step` now.
    package var nextWake: Duration? { [life?.scheduler.nextWake, flight?.lands].compactMap { $0 }.min() }

    /// Gives the scheduler a tick if one is due; `step` carries it out.
    package func wake(at now: Moment) {
        if let wake = life?.scheduler.nextWake, wake <= now.uptime { inbox.append(.tick) }
    }

    /// Tells the scheduler that events may wait for a place; `step` carries it out.
    package func lookForEvents() { inbox.append(.eventsWaiting) }

    /// Tells the scheduler to stop: it cancels a request under way and begins nothing. `step` carries it out.
    package func stop() {
        life?.isStopping = true
        inbox.append(.stop)
    }

    /// Replaces the scheduler, like `LocatorSlot`, by one for these sources, once it has stopped; does nothing after
    /// `stop`. `step` carries it out.
    package func relocate(_ sources: [SourceSettings]) {
        guard life?.isStopping == false else { return }
        life?.next = LookUp.settingsName(of: sources)
        life?.sources = Self.byName(sources)
        inbox.append(.stop)
    }

    /// Begins with the next scheduler, if there is one.
    private func takeOver(_ life: Life) {
        guard let next = life.next, !life.isStopping else { return }
        inbox = [.eventsWaiting]
        lookUp = nil
        self.life?.next = nil
        self.life?.settings = next
        self.life?.scheduler = GeocodeScheduler(providers: plans, usage: [:], seed: 1, at: life.now)
        self.life?.scheduler.takeOver(at: life.now)
    }

    /// Carries out one effect or one batch of a look-up; returns false if there is nothing to do now.
    /// - Throws: The errors of `whenSettled` and `whenStored`. A `StoreError` goes to the scheduler instead.
    package func step(at now: Moment) throws -> Bool {
        life?.now = now
        if let landed = flight, landed.lands <= now.uptime {
            flight = nil
            inbox.append(landed.input)
        }
        while !inbox.isEmpty { outbox += life?.scheduler.handle(inbox.removeFirst(), at: now) ?? [] }
        if !outbox.isEmpty {
            try carryOut(outbox.removeFirst())
        } else if lookUp != nil, let life {
            try continueLookUp(life)
        } else {
            return false
        }
        return true
    }

    /// Carries out the look-up under way up to its next batch, or to its end.
    private func continueLookUp(_ life: Life) throws {
        while let step = lookUp?.step {
            do {
                switch step {
                case .reopen:
                    _ = try life.store.reopenJobs(providers: plans.map { $0.provider }, at: life.now.wall)
                    lookUp?.handle(.reopened)
                case .open:
                    let volcanoes = try life.store.pointsGeneration()
                    let generation = LookUp.generation(table: "test", volcanoes: volcanoes)
                    lookUp?.handle(.opened(generation: generation))
                case .locate(let generation):
                    let outcome = try locate(generation, life)
                    lookUp?.handle(outcome)
                    if case .locate? = lookUp?.step { return }
                case .end(let mayHaveAsked, let hasFailed):
                    lookUp = nil
                    inbox.append(.lookedUp(mayHaveAsked: mayHaveAsked, hasFailed: hasFailed))
                }
            } catch is StoreError {
                storeFailures += 1
                lookUp?.handle(.failed)
            }
        }
    }

    /// Takes a batch through the table.
    private func locate(_ generation: String, _ life: Life) throws -> LookUp.Outcome {
        var events = try life.store.unlocated(limit: batch, generation: generation)
        guard !events.isEmpty else { return .located(events: 0, asked: 0) }
        var isNews = false
        for source in LookUp.learners(among: events, life.sources) {
            while case let lesson = try life.store.homeLesson(of: source, limit: batch), !lesson.events.isEmpty {
                isNews = try life.store.learn(lesson, votes: lesson.events.map(homeVotes)) || isNews
                try whenStored(false, life.now)
                if lesson.events.count < batch { break }
            }
        }
        if isNews {
            events = try life.store.unlocated(limit: batch, generation: generation)
        }
        let outcomes = LookUp.knowing(try life.store.homes(), events).map { (event: $0, outcome: table($0)) }
        let result = try life.store.apply(outcomes, generation: generation, at: life.now.wall)
        try whenStored(false, life.now)
        // The look-up goes on after a full batch, whatever its size is here.
        return .located(events: events.count < batch ? events.count : LookUp.batch, asked: result.asked)
    }

    /// Calls the store; the scheduler learns of a failure.
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
    /// Carries out one effect on the life's store; without a life it does nothing. Throws like `step`.
    package func carryOut(_ effect: GeocodeEffect) throws {
        guard let life else { return }
        let (store, now) = (life.store, life.now)
        switch effect {
        case .lookUp(let reopening):
            lookUp = LookUp(reopening: reopening, settings: life.settings)
            try continueLookUp(life)
        case .take(let oldest, let providers, let skipping, let sources):
            try perform {
                let job = try store.takeJob(
                    oldest: oldest, providers: providers, skipping: skipping, without: sources, at: now.wall)
                inbox.append(.taken(job))
            }
        case .reserve(let reservation):
            try perform {
                inbox.append(.reserved(try store.reserve(reservation)))
                try whenStored(true, now)
            }
        case .settle(let settlement):
            try perform {
                located += try store.settle(settlement)
                inbox.append(.settled)
                try whenSettled(settlement, now)
            }
        case .request(let provider, let query): ask(provider, query, at: now)
        case .cancel:
            if flight != nil { flight = (.zero, .failed(Failure(.ours, .cancelled, "the fetch was cancelled"))) }
        case .notice(let notice): notices.append(notice)
        case .stopped: takeOver(life)
        case .reply: break
        }
    }
}
