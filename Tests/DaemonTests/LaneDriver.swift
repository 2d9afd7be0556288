import Engine
import Foundation
import Model
import Store

/// The two lanes of the geocode queue for `InProcessDaemon`: the real `GeocodeLane` and the real store, with a closure
/// in place of the city table and a scripted service.
///
/// It carries one effect out at a time, as the daemon does, so a life can end after any of them.
final class LaneDriver {
    /// What a service does with a request.
    struct Reaction {
        var reply: Result<ProviderAnswer, Failure>
        /// How long it takes.
        var delay: Duration
    }

    /// A request as the service saw it.
    struct Asked {
        var provider: GeocodeProvider
        var query: PlaceQuery
        var at: Moment
        var reaction: Reaction

        var isAnswered: Bool {
            if case .success = reaction.reply { true } else { false }
        }
    }

    private let plans: [ProviderPlan]
    /// What the city table makes of an event.
    private let table: (UnlocatedEvent) -> LocalOutcome
    private let service: (PlaceQuery, Moment) -> Reaction

    private(set) var asked: [Asked] = []
    private(set) var notices: [LaneNotice] = []
    /// Events that settlements have located.
    private(set) var located = 0
    /// Requests that began while another was under way.
    private(set) var overlaps = 0

    private var lane: GeocodeLane?
    private var inbox: [LaneInput] = []
    private var outbox: [LaneEffect] = []
    private var flight: (lands: Duration, input: LaneInput)?
    private var hasNewEvents = false

    /// The city table's generation.
    private static let generation = "test"

    init(
        _ plans: [ProviderPlan], table: @escaping (UnlocatedEvent) -> LocalOutcome,
        service: @escaping (PlaceQuery, Moment) -> Reaction
    ) {
        self.plans = plans
        self.table = table
        self.service = service
    }

    /// Begins a life with what is in the store.
    func begin(_ store: EventStore, at now: Moment) throws {
        inbox = [.tick]
        outbox = []
        flight = nil
        hasNewEvents = true
        _ = try store.reopenJobs(providers: plans.map { $0.provider }, at: now.wall)
        lane = GeocodeLane(providers: plans, usage: try store.providerUsage(at: now.wall), seed: 1, at: now)
    }

    /// When time brings something, as uptime.
    var nextWake: Duration? { [lane?.nextWake, flight?.lands].compactMap { $0 }.min() }

    /// Tells the lane that time has passed.
    func wake(at now: Moment) {
        if let wake = lane?.nextWake, wake <= now.uptime { inbox.append(.tick) }
    }

    /// Events without a coordinate may have come.
    func lookForEvents() { hasNewEvents = true }

    /// Does one thing; returns false when there is nothing to do now.
    func step(_ store: EventStore, at now: Moment) throws -> Bool {
        if let landed = flight, landed.lands <= now.uptime {
            flight = nil
            inbox.append(landed.input)
        }
        while !inbox.isEmpty { outbox += lane?.handle(inbox.removeFirst(), at: now) ?? [] }
        if !outbox.isEmpty {
            try carryOut(outbox.removeFirst(), store, at: now)
        } else if hasNewEvents {
            try locate(store, at: now)
        } else {
            return false
        }
        return true
    }

    private func carryOut(_ effect: LaneEffect, _ store: EventStore, at now: Moment) throws {
        switch effect {
        case .take(let oldest, let providers, let skipping):
            let job = try store.takeJob(oldest: oldest, providers: providers, skipping: skipping, at: now.wall)
            inbox.append(.taken(job))
        case .reserve(let reservation): inbox.append(.reserved(try store.reserve(reservation)))
        case .request(let provider, let query):
            if flight != nil { overlaps += 1 }
            let reaction = service(query, now)
            asked.append(Asked(provider: provider, query: query, at: now, reaction: reaction))
            let input: LaneInput
            switch reaction.reply {
            case .success(let answer): input = .answered(answer)
            case .failure(let failure): input = .failed(failure)
            }
            flight = (now.uptime + reaction.delay, input)
        case .settle(let settlement):
            let count = try store.settle(settlement)
            located += count
            inbox.append(.settled(located: count))
        case .notice(let notice): notices.append(notice)
        case .reply, .stopped: break
        }
    }

    /// The local lane: one batch through the table.
    private func locate(_ store: EventStore, at now: Moment) throws {
        let events = try store.unlocated(limit: 256, generation: Self.generation)
        guard !events.isEmpty else {
            hasNewEvents = false
            return
        }
        let outcomes = events.map { (event: $0, outcome: table($0)) }
        _ = try store.apply(outcomes, generation: Self.generation, at: now.wall)
        inbox.append(.jobsWaiting)
    }
}
