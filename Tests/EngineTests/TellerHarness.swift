import Foundation
import Model
import Telling

@testable import Engine

/// A teller with a store that keeps its messages in memory, and targets that answer as told.
final class TellerHarness {
    static let start = Date(timeIntervalSince1970: 1_772_323_200)

    private(set) var teller: Teller
    private(set) var now = Moment(wall: TellerHarness.start, uptime: .seconds(1000))
    let targets: [Target]
    /// What waits, by id of the target, the next first.
    var waiting: [String: [String]] = [:]
    /// What was attempted and has not ended, by id of the target.
    private(set) var open: [String: Order] = [:]
    private var openDue: [String: Date] = [:]
    /// How a target answers; nil: never.
    var answer: (Order) -> DeliveryOutcome? = { _ in .sent }
    var latency = Duration.milliseconds(100)
    /// Whether the store fails.
    var storeFails = false
    /// How many further times `follow` has more to do.
    var changes = 0
    /// All messages that were sent, with the seconds since the start.
    private(set) var sent: [(seconds: Double, target: String, id: String)] = []
    private(set) var settled: [Settlement] = []
    private(set) var writes = 0
    private(set) var follows = 0
    private(set) var notices: [TellerNotice] = []
    private(set) var cancelled: [String] = []
    private(set) var hostPauses: [Date] = []
    private(set) var troubles: [String: TargetTrouble] = [:]
    private(set) var isStopped = false
    private(set) var mostUnderWay = 0
    private var underWay = 0
    /// Inputs to come, by uptime.
    private var coming: [(at: Duration, input: TellerInput)] = []

    init(_ targets: [Target] = [TellerHarness.target()], records: [String: TargetTrouble] = [:], seed: UInt64 = 1) {
        self.targets = targets
        teller = Teller(seed: seed)
        self.records = records
    }

    private let records: [String: TargetTrouble]

    /// A target with a wide pace.
    static func target(
        _ name: String = "desk", recipient: String? = nil, count: Int = 1000, period: Duration = .seconds(1)
    ) -> Target {
        var target = Target(
            name: name, kind: recipient == nil ? .webhook : .mail, recipient: recipient, host: "example.org")
        (target.count, target.period) = (count, period)
        return target
    }

    var plan: TellingPlan {
        TellingPlan(watches: [Watch(name: "all", targets: targets.map(\.name))], targets: targets)
    }

    var uptime: Duration { now.uptime - .seconds(1000) }

    func begin() {
        give(.trusts(true))
        give(.configure(plan))
        advance(.zero)
    }

    /// Lets messages wait for a target.
    func add(_ ids: [String], to target: String = "desk") {
        waiting[target, default: []] += ids
        changes += 1
        give(.committed)
        advance(.zero)
    }

    func give(_ input: TellerInput) {
        for effect in teller.handle(input, at: now) { carryOut(effect) }
    }

    /// Passes time, with all inputs that come meanwhile.
    func advance(_ duration: Duration) {
        let end = now.uptime + duration
        while true {
            let next = coming.map(\.at).min()
            let wake = teller.nextWake
            guard let time = [next, wake].compactMap({ $0 }).min(), time <= end else { break }
            pass(to: max(time, now.uptime))
            if let index = coming.firstIndex(where: { $0.at <= now.uptime }) {
                give(coming.remove(at: index).input)
            } else {
                give(.tick)
            }
        }
        pass(to: end)
    }

    private func pass(to uptime: Duration) {
        now = Moment(wall: now.wall(at: uptime), uptime: uptime)
    }

    /// Sets the wall clock.
    func step(by seconds: Double) { now.wall += seconds }

    private func later(_ input: TellerInput, after duration: Duration = .milliseconds(1)) {
        coming.append((now.uptime + duration, input))
        coming.sort { $0.at < $1.at }
    }

    private func carryOut(_ effect: TellerEffect) {
        switch effect {
        case .ask(let task, _): later(.stored(storeFails ? .failed(reason: "full") : carryOut(task)))
        case .send(let order):
            sent.append((uptime.seconds, order.target, order.id))
            underWay += 1
            mostUnderWay = max(mostUnderWay, underWay)
            guard let outcome = answer(order) else { return }
            reply(order, outcome)
        case .cancel(let target):
            cancelled.append(target)
            guard let order = open[target] else { return }
            reply(order, .perhaps(Failure(.ours, .cancelled, "cancelled")))
        case .hostPaused(_, let until): hostPauses.append(until)
        case .notice(let notice): notices.append(notice)
        case .stopped: isStopped = true
        }
    }

    private func reply(_ order: Order, _ outcome: DeliveryOutcome) {
        underWay -= 1
        later(.answered(target: order.target, id: order.id, outcome), after: latency)
    }

    private func carryOut(_ task: TellingTask) -> TellingAnswer {
        switch task {
        case .begin: return .begun(records)
        case .follow:
            follows += 1
            changes = max(0, changes - 1)
            return .followed(isDone: changes == 0, news: Set(waiting.filter { !$0.value.isEmpty }.keys))
        case .health(let faults):
            waiting["desk", default: []] += faults.map(\.key)
            return .followed(isDone: true, news: ["desk"])
        case .write(let settlements, let targets):
            writes += 1
            for settlement in settlements { settle(settlement) }
            return .wrote(Dictionary(uniqueKeysWithValues: targets.map { ($0, take($0)) }))
        }
    }

    private func settle(_ settlement: Settlement) {
        settled.append(settlement)
        let (order, target) = (settlement.order, settlement.order.target)
        troubles[targets.first { $0.id == target }?.name ?? target] = settlement.trouble
        guard open[target]?.id == order.id else { return }
        openDue[target] = settlement.due
        switch settlement.outcome.verdict {
        case .sent: open[target] = nil
        case .unsent, .refused, .gone:
            open[target] = nil
            waiting[target, default: []].insert(order.id, at: 0)
        case .rejected where order.attempt >= 3: open[target] = nil
        case .perhaps, .deferred, .rejected: break
        }
    }

    private func take(_ id: String) -> Taken {
        if var order = open[id] {
            if let due = openDue[id], due > now.wall { return Taken(next: due) }
            order.attempt += 1
            open[id] = order
            return Taken(order: order)
        }
        guard let first = waiting[id]?.first else { return Taken() }
        let order = Order(id: first, target: id, kind: .announced, letter: Data())
        waiting[id]?.removeFirst()
        open[id] = order
        openDue[id] = now.wall
        return Taken(order: order)
    }
}

extension DeliveryOutcome {
    static let sent = DeliveryOutcome(sent: "200")
    static func unsent(_ failure: Failure) -> DeliveryOutcome { with(.unsent, failure) }
    static func perhaps(_ failure: Failure) -> DeliveryOutcome { with(.perhaps, failure) }
    static func deferred(_ failure: Failure) -> DeliveryOutcome { with(.deferred, failure) }
    static func refused(_ failure: Failure) -> DeliveryOutcome { with(.refused, failure) }
    static func rejected(_ failure: Failure) -> DeliveryOutcome { with(.rejected, failure) }
    static func gone(_ failure: Failure) -> DeliveryOutcome { with(.gone, failure) }

    private static func with(_ verdict: Verdict, _ failure: Failure) -> DeliveryOutcome {
        var outcome = DeliveryOutcome(failure, of: .webhook)
        outcome.verdict = verdict
        return outcome
    }
}
