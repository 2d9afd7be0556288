import Engine
import Foundation
import Gazetteer
import Logging
import Model
import Operations
import Store
import Synchronization

/// The log lines of locating; docs/logs.md describes each.
package final class LocatorLog: Sendable {
    private let logger: Logger
    /// The last trouble that was logged; it is not logged again until it changes.
    private let trouble = Mutex<String?>(nil)

    init(logger: Logger) { self.logger = logger }

    func noTable(_ error: GazetteerError) {
        guard isNews(error.message) else { return }
        logger.warning("no city table: events without coordinates wait", metadata: [LogKey.detail: "\(error.message)"])
    }

    func opened(_ facts: TableFacts, path: String) {
        trouble.withLock { $0 = nil }
        logger.notice(
            "city table opened",
            metadata: [
                "table": "\(path)", "generation": "\(facts.generation)", "cities": .number(facts.cities),
                "seeded": "\(facts.seeded.timestamp)",
            ])
    }

    func looked(_ result: LocateResult) {
        guard result.located + result.asked + result.unresolved > 0 else { return }
        trouble.withLock { $0 = nil }
        logger.info(
            "events looked up",
            metadata: [
                "located": .number(result.located), "asked": .number(result.asked),
                "unresolved": .number(result.unresolved),
            ])
    }

    func settled(_ settlement: GeocodeSettlement, located: Int) {
        let result =
            switch settlement.end {
            case .located: "located"
            case .unresolved: "unresolved"
            case .waiting: "waiting"
            }
        logger.debug(
            "question settled",
            metadata: ["text": "\(settlement.job.query.text)", "result": "\(result)", "located": .number(located)])
    }

    func failed(_ error: any Error) {
        guard isNews("\(error)") else { return }
        logger.error("events cannot be located", metadata: [LogKey.error: "\(error)"])
    }

    func notice(_ notice: GeocodeNotice) {
        switch notice {
        case .providerFailing(let provider, let failure, let until, let leftOut):
            guard let leftOut else { return }
            var facts: Logger.Metadata = [
                LogKey.error: "\(failure.code)", LogKey.fault: "\(failure.fault.rawValue)",
            ]
            if leftOut > 0 { facts[LogKey.leftOut] = .number(leftOut) }
            logger.tell(
                failure.fault == .operator ? .error : .notice, "geocoding service is failing", provider: provider,
                until: until, detail: failure.message, facts)
        case .providerRecovered(let provider, let after, let isTold):
            guard isTold else { return }
            logger.tell(
                .notice, "geocoding service recovered", provider: provider, [LogKey.downFor: .duration(after)])
        case .quotaUsedUp(let provider, let until):
            logger.tell(.notice, "geocoding quota is used up", provider: provider, until: until)
        case .shareUsedUp(let provider, let source, let until):
            logger.tell(
                .notice, "source has used up its share of a geocoding quota", source: source, provider: provider,
                until: until)
        case .storePaused(let reason, let until):
            logger.tell(.error, "store cannot be written, geocoding pauses", until: until, reason: reason)
        case .storeResumed: logger.notice("store can be written again, geocoding goes on")
        }
    }

    private func isNews(_ words: String) -> Bool {
        trouble.withLock { last in
            defer { last = words }
            return last != words
        }
    }
}
