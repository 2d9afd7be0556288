import Engine
import Foundation
import Logging
import Model
import Operations
import Store
import Telling

/// The log lines of telling; docs/logs.md describes each. An address has no place in them.
struct TellingLog: Sendable {
    let logger: Logger

    func begins(_ watch: WatchState) {
        logger.notice(
            "watch begins",
            metadata: [
                LogKey.watch: "\(watch.watch)", LogKey.target: "\(watch.target)",
                LogKey.passedOver: .number(watch.passed[Passed.before.rawValue] ?? 0),
            ])
    }

    func sent(_ order: Order, _ outcome: DeliveryOutcome, took: Duration) {
        let facts: Logger.Metadata = [
            LogKey.target: "\(order.target)", LogKey.delivery: "\(order.id)", LogKey.kind: "\(order.kind.rawValue)",
            LogKey.duration: .duration(took),
        ]
        guard let failure = outcome.failure else { return logger.info("message was sent", metadata: facts) }
        let level = outcome.verdict == .rejected ? Logger.Level.warning : .info
        logger.tell(level, "message was not sent", detail: failure.message, facts)
    }

    func notice(_ notice: TellerNotice) {
        switch notice {
        case .failing(let target, let failure, let until, let leftOut):
            var facts: Logger.Metadata = [
                LogKey.target: "\(target)", LogKey.error: "\(failure.code)", LogKey.fault: "\(failure.fault.rawValue)",
            ]
            if leftOut > 0 { facts[LogKey.leftOut] = .number(leftOut) }
            let message: Logger.Message = until == nil ? "target is gone, nothing is sent to it" : "target is failing"
            let isOperators = until == nil || failure.fault == .operator
            logger.tell(isOperators ? .error : .notice, message, until: until, detail: failure.message, facts)
        case .recovered(let target, let after):
            logger.notice(
                "target recovered", metadata: [LogKey.target: "\(target)", LogKey.downFor: .duration(after)])
        case .storePaused(let reason, let until):
            logger.tell(.error, "store cannot be written, telling pauses", until: until, reason: reason)
        case .storeResumed: logger.notice("store can be written again, telling goes on")
        }
    }
}
