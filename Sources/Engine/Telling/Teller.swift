import Foundation
import Model
import Telling

/// Decides when changes are followed, and when which target is sent the next message.
///
/// A synchronous state machine of values like `Engine`: the same inputs and seed give the same effects. What waits, and
/// the pace of each target, are in the store, which says what is next; the machine knows no event. It asks one thing of
/// the store at a time. A message is stored as attempted before it is sent, and settled together with the next one that
/// is taken, so a message costs one write that waits for the disk.
///
/// **At least once, in order.** A target has one message under way, and all recipients of a mail target together have one. What
/// was not answered goes again under the same id. Nothing new is taken before all changes were followed, so that a storm
/// becomes a digest and no message is older than the record.
///
/// **Bounded.** It holds a message for each target at most, and what settles it. While the store fails, nothing is sent.
public struct Teller: Sendable {
    /// For this time at most messages wait until all changes were followed.
    static let longestCatchingUp = Duration.seconds(30)
    /// The time that messages under way have after `stop`.
    static let grace = Duration.seconds(3)

    private var plan = TellingPlan()
    /// The plan that is to be put into force.
    private var nextPlan: TellingPlan?
    private var lanes: [String: TellerLane] = [:]
    /// By name of the target.
    private var circuits: [String: TellerCircuit] = [:]
    private var random: SplitMix
    private var isTrusted = false
    private var stage = Stage.idle
    private var storePause = StorePause()
    private var wantsFollow = false
    /// Since when changes wait to be followed, as uptime.
    private var behindSince: Duration?
    private var faults: [HealthFault]?
    private var settlements: [Settlement] = []
    /// When messages under way are cancelled, as uptime; nil: the daemon does not stop.
    private var deadline: Duration?
    private var hasCancelled = false
    private var hasReportedStop = false
    private var effects: [TellerEffect] = []

    private enum Stage: Sendable {
        case idle
        /// The store works on a task.
        case asking(TellingTask)
        case paused(until: Duration)
    }

    /// Creates a teller that watches nothing; `seed` spreads its waits.
    public init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// When the teller needs a `tick`, as uptime, perhaps past; nil if only another input can change anything.
    public var nextWake: Duration? {
        if let deadline { return hasCancelled || hasReportedStop ? nil : deadline }
        switch stage {
        case .paused(let until): return until
        case .idle: return lanes.values.filter { !isBusy($0) }.compactMap(readiness).min()
        case .asking: return nil
        }
    }

    /// Takes an input and returns the effects, to be carried out in order.
    public mutating func handle(_ input: TellerInput, at now: Moment) -> [TellerEffect] {
        effects = []
        switch input {
        case .configure(let plan): nextPlan = plan
        case .committed: if !plan.watches.isEmpty { want(at: now) }
        case .health(let faults): if plan.watches.contains(where: \.isHealth) { self.faults = faults }
        case .stored(let answer): stored(answer, at: now)
        case .answered(let target, let id, let outcome): answered(target, id, outcome, at: now)
        case .tried(let target): tried(target, at: now)
        case .paused(let host, let until): pause(host, until: until, at: now)
        case .trusts(let isTrusted): self.isTrusted = isTrusted
        case .tick: break
        case .stop: deadline = deadline ?? now.uptime + Self.grace
        }
        if case .paused(let until) = stage, until <= now.uptime || deadline != nil { stage = .idle }
        if case .idle = stage, let task = nextTask(at: now) {
            stage = .asking(task)
            effects.append(.ask(task, TellingTime(wall: now.wall, isTrusted: isTrusted)))
        }
        if let deadline { stopOn(deadline, at: now) }
        return effects
    }

    // MARK: - Next task

    private mutating func nextTask(at now: Moment) -> TellingTask? {
        let ready = readyTargets(at: now)
        if !settlements.isEmpty || !ready.isEmpty { return .write(settling: settlements, taking: ready) }
        guard deadline == nil else { return nil }
        if let plan = nextPlan {
            nextPlan = nil
            return .begin(plan)
        }
        if wantsFollow {
            wantsFollow = false
            return .follow
        }
        defer { faults = nil }
        return faults.map { .health($0) }
    }

    /// The targets that may be sent something now: those that waited longest first, one of each name.
    private func readyTargets(at now: Moment) -> [String] {
        let isBehind = behindSince.map { now.uptime - $0 < Self.longestCatchingUp } ?? false
        guard deadline == nil, nextPlan == nil, !isBehind else { return [] }
        var names: Set<String> = []
        return lanes.values.filter { lane in
            !isBusy(lane) && readiness(of: lane).map { $0 <= now.uptime } ?? false
        }.sorted { ($0.lastTaken, $0.target.id) < ($1.lastTaken, $1.target.id) }
            .filter { names.insert($0.target.name).inserted }.map(\.target.id)
    }

    /// Whether a message of the lane's target is under way.
    private func isBusy(_ lane: TellerLane) -> Bool {
        lanes.values.contains { $0.flight != nil && $0.target.name == lane.target.name }
    }

    /// From when on a lane may be sent the next message, as uptime; nil: nothing waits, or the target is gone.
    private func readiness(of lane: TellerLane) -> Duration? {
        guard let due = lane.due, let circuit = circuits[lane.target.name], !circuit.trouble.isGone else { return nil }
        return max(due, circuit.until)
    }

    private mutating func want(at now: Moment) {
        wantsFollow = true
        behindSince = behindSince ?? now.uptime
    }

    // MARK: - Answers of the store

    private mutating func stored(_ answer: TellingAnswer, at now: Moment) {
        guard case .asking(let task) = stage else { return }
        if case .failed(let reason) = answer { return storeFailed(task, reason, at: now) }
        stage = .idle
        if storePause.recover() { effects.append(.notice(.storeResumed)) }
        switch (task, answer) {
        case (.begin(let plan), .begun(let troubles)): begin(plan, troubles, at: now)
        case (.follow, .followed(let isDone, let news)):
            if !isDone { wantsFollow = true }
            if !wantsFollow { behindSince = nil }
            wake(news, at: now)
        case (.health, .followed(_, let news)): wake(news, at: now)
        case (.write(let settled, let asked), .wrote(let taken)):
            settlements.removeFirst(min(settled.count, settlements.count))
            for target in asked { take(taken[target] ?? Taken(), for: target, at: now) }
        default: break
        }
    }

    private mutating func begin(_ plan: TellingPlan, _ troubles: [String: TargetTrouble], at now: Moment) {
        let (old, oldCircuits) = (lanes, circuits)
        (self.plan, lanes, circuits) = (plan, [:], [:])
        for target in plan.targets {
            let known = old[target.id]
            lanes[target.id] = TellerLane(target: target, flight: known?.flight, due: now.uptime)
            // An edited target is tried at once.
            let kept = known?.target.fingerprint == target.fingerprint ? oldCircuits[target.name] : nil
            let circuit = circuits[target.name] ?? kept
            circuits[target.name] = circuit ?? TellerCircuit(troubles[target.name] ?? TargetTrouble(), at: now)
        }
        want(at: now)
    }

    private mutating func wake(_ targets: Set<String>, at now: Moment) {
        for id in targets { lanes[id]?.due = now.uptime }
    }

    private mutating func take(_ taken: Taken, for target: String, at now: Moment) {
        lanes[target]?.lastTaken = now.uptime
        lanes[target]?.flight = taken.order
        // A wall time that the clock has left behind is looked at again.
        lanes[target]?.due = taken.next.map { max(now.uptime(at: $0), now.uptime + .seconds(1)) }
        if let order = taken.order { effects.append(.send(order)) }
    }

    private mutating func storeFailed(_ task: TellingTask, _ reason: String, at now: Moment) {
        switch task {
        case .begin(let plan): nextPlan = nextPlan ?? plan
        case .follow: wantsFollow = true
        case .health(let found): faults = faults ?? found
        case .write: break
        }
        let until = storePause.begin(at: now)
        stage = .paused(until: until)
        // What was not settled is sent again after the next start.
        if deadline != nil { settlements = [] }
        effects.append(.notice(.storePaused(reason: reason, until: now.wall(at: until))))
    }

    // MARK: - Answers of targets

    private mutating func answered(_ id: String, _ message: String, _ outcome: DeliveryOutcome, at now: Moment) {
        guard let lane = lanes[id], let order = lane.flight, order.id == message,
            var circuit = circuits[lane.target.name]
        else { return }
        lanes[id]?.flight = nil
        lanes[id]?.due = now.uptime
        note(outcome, of: lane.target, &circuit, at: now)
        var due = max(circuit.until, now.uptime)
        // Others do not wait for one that the target does not take, or that has failed three times.
        if outcome.isOfMessage || order.attempt >= 3 {
            due = max(due, now.uptime + min(TellerCircuit.leastAfterPerhaps * order.attempt, .seconds(900)))
        }
        circuits[lane.target.name] = circuit
        settlements.append(Settlement(order, outcome, due: now.wall(at: due), trouble: circuit.trouble))
        if let asked = outcome.failure?.retryAfter, deadline == nil {
            effects.append(.hostPaused(host: lane.target.host, until: asked))
            pause(lane.target.host, until: asked, at: now)
        }
    }

    /// Notes what an outcome says of the target.
    private mutating func note(
        _ outcome: DeliveryOutcome, of target: Target, _ circuit: inout TellerCircuit, at now: Moment
    ) {
        guard let failure = outcome.failure, !outcome.isOfMessage else {
            guard let after = circuit.succeed(at: now) else { return }
            return effects.append(.notice(.recovered(target: target.name, after: after)))
        }
        // One that is cancelled by the stop says nothing.
        guard deadline == nil else { return }
        let spread = Double.random(in: 0...1, using: &random)
        guard let leftOut = circuit.fail(outcome.verdict, failure, spread: spread, at: now) else { return }
        let until = circuit.trouble.isGone ? nil : now.wall(at: circuit.until)
        effects.append(.notice(.failing(target: target.name, failure, until: until, leftOut: leftOut)))
    }

    /// A target works again: what waits goes now.
    private mutating func tried(_ id: String, at now: Moment) {
        guard let name = lanes[id]?.target.name, var circuit = circuits[name] else { return }
        if let after = circuit.succeed(at: now) { effects.append(.notice(.recovered(target: name, after: after))) }
        circuits[name] = TellerCircuit(TargetTrouble(), at: now)
        for lane in lanes.values where lane.target.name == name { lanes[lane.target.id]?.due = now.uptime }
    }

    private mutating func pause(_ host: String, until: Date, at now: Moment) {
        for target in plan.targets where target.host == host {
            circuits[target.name]?.pause(until: until, at: now)
        }
    }

    // MARK: - The stop

    private mutating func stopOn(_ deadline: Duration, at now: Moment) {
        let flights = lanes.values.filter { $0.flight != nil }.map(\.target.id).sorted()
        if deadline <= now.uptime, !hasCancelled, !flights.isEmpty {
            hasCancelled = true
            effects += flights.map { .cancel(target: $0) }
        }
        if case .asking = stage { return }
        guard flights.isEmpty, !hasReportedStop else { return }
        hasReportedStop = true
        effects.append(.stopped)
    }
}
