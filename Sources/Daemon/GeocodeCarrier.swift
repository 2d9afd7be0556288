import Engine
import Foundation
import Model
import Store

/// Carries out the scheduler's effects, and reports their results as inputs.
struct GeocodeCarrier {
    let store: EventStore
    /// Runs work on the store between the polls' writes.
    let writer: StoreWriter
    let lookUp: EventLookUp
    let services: [GeocodeProvider: Locator.Service]
    let network: Network
    let time: TimeSource
    let log: LocatorLog
    /// Persons who wait for a reply, by the number of their question.
    let askers: Waiters<Int, [ProviderReply]?>
    let watch: LocatorWatch
    /// Takes the results of the effects.
    let report: @Sendable (GeocodeInput) -> Void
    /// The latest request, and the latest look-up.
    private(set) var request: Task<Void, Never>?
    private(set) var looking: Task<Void, Never>?
    /// Whether nothing but a look-up is under way any more, after a stop.
    private(set) var isStopped = false

    /// Carries out an effect, or starts it; never waits for the result.
    mutating func carryOut(_ effect: GeocodeEffect) {
        switch effect {
        case .lookUp(let reopening):
            looking = time.task { [lookUp, report] in report(await lookUp.run(reopening: reopening)) }
        case .take(let oldest, let providers, let skipping, let sources):
            perform { store, now in
                .taken(
                    try store.takeJob(
                        oldest: oldest, providers: providers, skipping: skipping, without: sources, at: now))
            }
        case .reserve(let reservation):
            perform { [watch] store, _ in
                let answer = try store.reserve(reservation)
                watch.stored(true)
                return .reserved(answer)
            }
        case .settle(let settlement):
            perform { [log, watch] store, _ in
                let located = try store.settle(settlement)
                watch.settled(settlement, located)
                log.settled(settlement, located: located)
                return .settled
            }
        case .request(let provider, let query): ask(provider, query)
        case .cancel: request?.cancel()
        case .reply(let number, let replies): askers.answer(number, with: replies)
        case .notice(let notice):
            log.notice(notice)
            keepTrouble(notice)
        case .stopped: isStopped = true
        }
    }

    /// Cancels the look-up; when this returns, nothing writes into the store any more.
    func end() async {
        looking?.cancel()
        await looking?.value
    }

    private func perform(_ work: @escaping @Sendable (EventStore, Date) throws -> GeocodeInput) {
        time.task { [store, writer, time, report] in
            let now = time.now().wall
            do {
                report(try await writer.perform { try work(store, now) })
            } catch {
                report(.storeFailed(reason: "\(error)"))
            }
        }
    }

    private mutating func ask(_ provider: GeocodeProvider, _ query: PlaceQuery) {
        guard let service = services[provider] else {
            return report(.failed(Failure(.ours, .noService, "\(provider.rawValue) is not configured")))
        }
        request = time.task { [network, time, report] in
            report(await service.ask(query, through: network, time: time) { report(.sent(at: $0)) })
        }
    }

    /// Stores the trouble of a service for `status`.
    private func keepTrouble(_ notice: GeocodeNotice) {
        let (provider, trouble): (GeocodeProvider, String?)
        switch notice {
        case .providerFailing(let name, let failure, let until, _):
            (provider, trouble) = (name, "failing: \(failure.message), next try \(until.rfc3339)")
        case .quotaUsedUp(let name, let until):
            (provider, trouble) = (name, "its quota is used up until \(until.rfc3339)")
        case .providerRecovered(let name, _, _): (provider, trouble) = (name, nil)
        case .shareUsedUp, .storePaused, .storeResumed: return
        }
        time.task { [store, writer] in
            _ = try? await writer.perform { try store.setTrouble(trouble, of: provider) }
        }
    }
}
