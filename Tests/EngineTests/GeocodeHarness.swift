import Foundation
import Model

@testable import Engine

/// Drives a scheduler under a test clock, with a queue in memory and scripted services.
final class GeocodeHarness {
    static let start = Date(timeIntervalSince1970: 1_772_323_200)  // 2026-03-01T00:00:00Z

    /// The reaction of a service to one request.
    enum Reply {
        case found
        case missing
        case failure(Failure)
    }

    /// A call of the store.
    enum Call: Hashable {
        case take, reserve, settle, lookUp
    }

    struct Sent: Equatable {
        var provider: GeocodeProvider
        var text: String
        /// Time since the start.
        var at: Duration
    }

    struct LookUp: Equatable {
        /// Time since the start.
        var at: Duration
        var reopening: Bool
    }

    var scheduler: GeocodeScheduler
    private(set) var now: Moment
    let plans: [ProviderPlan]
    /// Configured services that cannot be asked.
    let unreachable: [GeocodeProvider]
    /// Waiting jobs, oldest first; an answered one leaves.
    private(set) var jobs: [GeocodeJob] = []
    private(set) var ended: [String: GeocodeSettlement.End] = [:]
    private(set) var kept: [String: [GeocodeProvider: ProviderAnswer]] = [:]
    private(set) var settlements: [GeocodeSettlement] = []
    private(set) var takes: [(oldest: Bool, text: String?)] = []
    private(set) var reservations: [ProviderReservation] = []
    private(set) var sent: [Sent] = []
    private(set) var notices: [GeocodeNotice] = []
    private(set) var replies: [Int: [ProviderReply]] = [:]
    private(set) var stops = 0
    /// Look-ups, in the order of their beginning.
    private(set) var lookUps: [LookUp] = []
    /// Number of requests that the scheduler has cancelled.
    private(set) var cancelled = 0
    /// Number of requests under way, and its maximum so far.
    private(set) var underWay = 0
    private(set) var mostUnderWay = 0
    private(set) var ticks = 0
    private(set) var effects: [String] = []

    /// The reaction of a service; nil: the test gives the input itself.
    var service: (GeocodeProvider, String) -> Reply? = { _, _ in .found }
    /// Whether look-ups last until the test ends them.
    var holdsLookUps = false
    /// Time from a request to its reply.
    var latency = Duration.zero
    var grants: (ProviderReservation) -> ReservationAnswer = { _ in .granted }
    /// Calls of the store that fail.
    var broken: Set<Call> = []

    private var pending: [(at: Duration, input: GeocodeInput)] = []
    private let base: Duration
    private var lastJob: Int64 = 0

    init(
        _ plans: [ProviderPlan] = [GeocodeHarness.plan()], unreachable: [GeocodeProvider] = [],
        usage: [GeocodeProvider: ProviderUsage] = [:], seed: UInt64 = 1,
        wall: Date = start, uptime: Duration = .seconds(1000)
    ) {
        self.plans = plans
        self.unreachable = unreachable
        now = Moment(wall: wall, uptime: uptime)
        base = uptime
        scheduler = GeocodeScheduler(
            providers: plans, waitingFor: unreachable, usage: usage, seed: seed, at: now)
    }

    static func plan(
        _ provider: GeocodeProvider = .mapquest, gap: Duration = .milliseconds(100), daily: Int? = nil,
        monthly: Int? = nil
    ) -> ProviderPlan {
        ProviderPlan(
            provider: provider, gap: gap, dailyQuota: daily, monthlyQuota: monthly, keepsPlaces: .seconds(86_400),
            keepsMisses: .seconds(3600))
    }

    static func query(_ text: String) -> PlaceQuery {
        PlaceQuery(text: text, folded: text.lowercased(), evidence: .place)
    }

    static let place: Location? = Coordinate(latitude: 10, longitude: 20).map {
        Location($0, method: .mapquest, precision: .city)
    }

    static let timeout = Failure(.network, .timeout, "no answer")

    var elapsed: Duration { now.uptime - base }

    /// Texts of the requests, in order.
    var asked: [String] { sent.map { $0.text } }

    // MARK: - The world

    /// Adds jobs, the last one newest, and notifies the scheduler.
    func add(_ texts: [String], answers: [GeocodeProvider: ProviderAnswer] = [:], of source: String? = nil) {
        for text in texts {
            lastJob += 1
            jobs.append(GeocodeJob(id: lastJob, query: Self.query(text), source: source))
            if !answers.isEmpty { kept[text.lowercased() + "||"] = answers }
        }
        give(.lookedUp(mayHaveAsked: true, hasFailed: false))
    }

    func give(_ input: GeocodeInput) {
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in scheduler.handle(inputs.removeFirst(), at: now) {
                effects.append("\(elapsed.milliseconds) \(effect)")
                if let answer = carryOut(effect) { inputs.append(answer) }
            }
        }
    }

    private func carryOut(_ effect: GeocodeEffect) -> GeocodeInput? {
        switch effect {
        case .lookUp(let reopening):
            lookUps.append(LookUp(at: elapsed, reopening: reopening))
            return holdsLookUps ? nil : .lookedUp(mayHaveAsked: false, hasFailed: broken.contains(.lookUp))
        case .take(let oldest, let providers, let skipping, let sources):
            if broken.contains(.take) { return .storeFailed(reason: "disk full") }
            let job = take(oldest: oldest, providers, skipping, sources)
            takes.append((oldest, job?.query.text))
            return .taken(job)
        case .reserve(let reservation):
            if broken.contains(.reserve) { return .storeFailed(reason: "disk full") }
            reservations.append(reservation)
            return .reserved(grants(reservation))
        case .request(let provider, let query):
            sent.append(Sent(provider: provider, text: query.text, at: elapsed))
            underWay += 1
            mostUnderWay = max(mostUnderWay, underWay)
            guard let reply = service(provider, query.text) else { return nil }
            let input: GeocodeInput
            switch reply {
            case .found: input = Self.place.map { GeocodeInput.answered(.found($0)) } ?? .failed(Self.timeout)
            case .missing: input = .answered(.missing(reason: "no match"))
            case .failure(let failure): input = .failed(failure)
            }
            guard latency > .zero else {
                underWay -= 1
                return input
            }
            pending.append((now.uptime + latency, input))
            return nil
        case .settle(let settlement):
            if broken.contains(.settle) { return .storeFailed(reason: "disk full") }
            settle(settlement)
            return .settled
        case .cancel: cancelled += 1
        case .reply(let number, let all): replies[number] = all
        case .notice(let notice): notices.append(notice)
        case .stopped: stops += 1
        }
        return nil
    }

    private func take(
        oldest: Bool, _ providers: [GeocodeProvider], _ skipping: [Int64], _ without: Set<String>
    ) -> GeocodeJob? {
        let configured = plans.map { $0.provider } + unreachable
        let candidates = jobs.filter { job in
            let answers = kept[job.query.key] ?? [:]
            let isFound = configured.contains { provider in
                if case .found = answers[provider] { true } else { false }
            }
            return !skipping.contains(job.id ?? 0) && !without.contains(job.source ?? "")
                && (isFound || configured.allSatisfy { answers[$0] != nil }
                    || providers.contains { answers[$0] == nil })
        }
        guard var job = oldest ? candidates.first : candidates.last else { return nil }
        job.answers = kept[job.query.key] ?? [:]
        return job
    }

    private func settle(_ settlement: GeocodeSettlement) {
        settlements.append(settlement)
        let query = settlement.job.query
        if let fresh = settlement.fresh { kept[query.key, default: [:]][fresh.provider] = fresh.answer }
        if settlement.end == .waiting { return }
        ended[query.text] = settlement.end
        jobs.removeAll { $0.id == settlement.job.id }
    }

    // MARK: - Time

    /// Moves time forward, waking the scheduler whenever it asks for it.
    func advance(_ duration: Duration) {
        let end = now.uptime + duration
        while let next = [scheduler.nextWake, pending.first?.at].compactMap({ $0 }).min(), next <= end {
            move(to: max(next, now.uptime))
            if let first = pending.first, first.at <= now.uptime {
                pending.removeFirst()
                underWay -= 1
                give(first.input)
            } else {
                ticks += 1
                give(.tick)
            }
        }
        move(to: end)
        give(.tick)
    }

    /// Answers a hanging request.
    func land(_ input: GeocodeInput) {
        underWay -= 1
        give(input)
    }

    func stepWall(by seconds: TimeInterval) { now.wall = now.wall.addingTimeInterval(seconds) }

    private func move(to uptime: Duration) { now = Moment(wall: now.wall(at: uptime), uptime: uptime) }
}
