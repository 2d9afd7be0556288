package import Engine
import Foundation
package import Logging
import Model
import Operations
import Store

/// The log lines of polling and truncation; docs/logs.md describes each.
package struct PollLog: Sendable {
    let logger: Logger
    /// Whether sources that begin to fail, or bring no events, are logged; default true.
    var tellsFailures: Bool

    /// Creates a log; `tellsFailures` is described there.
    package init(logger: Logger, tellsFailures: Bool = true) {
        self.logger = logger
        self.tellsFailures = tellsFailures
    }

    /// Tells of a poll that has ended, or of an open stream.
    package func ended(_ report: PollReport) {
        let result = report.result
        var facts: Logger.Metadata = [
            LogKey.source: "\(report.source)", LogKey.due: .forMachines(report.due),
            LogKey.duration: .duration(report.duration), LogKey.new: .count(result.new),
            LogKey.changed: .count(result.changed), LogKey.unchanged: .count(result.unchanged),
            LogKey.withdrawn: .count(result.withdrawn), LogKey.merged: .count(result.merged),
            LogKey.refused: .count(result.refused.values.reduce(0, +)), LogKey.bytes: .count(report.bytes),
            LogKey.requests: .count(report.requests), LogKey.notModified: .count(report.notModified),
            LogKey.next: "\(report.end.nextDue.timestamp)", LogKey.nextReason: "\(report.end.dueReason)",
        ]
        if let failure = report.end.failure {
            facts[LogKey.error] = "\(failure.code)"
            facts[LogKey.failures] = .number(report.end.failures)
        } else if !report.end.partialFailures.isEmpty {
            facts[LogKey.error] = "\(report.end.partialFailures.joined(separator: "; "))"
        }
        let claims = result.unproved.values.reduce(0, +)
        let issues = result.issues.numbers.merging(
            claims > 0 ? ["unproved_identity": claims] : [:], uniquingKeysWith: +)
        if !issues.isEmpty { facts[LogKey.issues] = "\(issues.reasons)" }
        logger.info(report.end.dueReason == .stream ? "stream is open" : "poll ended", metadata: facts)
        for issue in report.issues.withoutRepetition {
            var found: Logger.Metadata = [LogKey.source: "\(report.source)", LogKey.detail: "\(issue.found)"]
            if issue.times > 1 { found[LogKey.times] = .number(issue.times) }
            if issue.reason.hasPrefix(FeedIssue.document) {
                found[LogKey.error] = "\(issue.reason.dropFirst(FeedIssue.document.count))"
                found[LogKey.url] = "\(issue.position)"
                logger.notice("document given up", metadata: found)
            } else {
                found[LogKey.reason] = "\(issue.reason)"
                found[LogKey.position] = "\(issue.position)"
                logger.debug("item is odd", metadata: found)
            }
        }
        if tellsFailures, report.isNewlyOdd, let remark = report.end.remark {
            logger.tell(.notice, "source brings no event", source: report.source, detail: remark)
        }
        // What has no item is told at once, by the line above.
        for shortfall in report.toldShortfalls where tellsFailures && shortfall.part != Shortfall.items {
            logger.tell(
                .notice, "part of a source brings nothing", source: report.source, detail: shortfall.words,
                [LogKey.part: "\(shortfall.part)", LogKey.since: "\(shortfall.since.timestamp)"])
        }
        for shortfall in report.mended where shortfall.part != Shortfall.items {
            logger.tell(
                .notice, "part of a source has recovered", source: report.source,
                [LogKey.part: "\(shortfall.part)", LogKey.since: "\(shortfall.since.timestamp)"])
        }
        if tellsFailures, let failure = report.end.failure, let leftOut = report.leftOutFailures {
            var facts: Logger.Metadata = [
                LogKey.fault: "\(failure.fault.rawValue)", LogKey.error: "\(failure.code)",
                LogKey.next: "\(report.end.nextDue.timestamp)",
            ]
            if leftOut > 0 { facts[LogKey.leftOut] = .number(leftOut) }
            logger.tell(
                failure.fault == .operator || failure.fault == .ours ? .error : .notice, "source is failing",
                source: report.source, detail: failure.message, facts)
        }
        if report.tellsRecovery, let down = report.recoveredAfter {
            logger.tell(.notice, "source recovered", source: report.source, [LogKey.downFor: .duration(down)])
        }
    }

    /// Tells what the engine has noticed.
    package func notice(_ notice: Notice) {
        switch notice {
        case .pollStarted(let source, let due):
            logger.debug("poll started", metadata: [LogKey.source: "\(source)", LogKey.due: "\(due.timestamp)"])
        case .pollWaits(let source, let host, let until):
            logger.tell(.info, "poll waits for its host", source: source, until: until, [LogKey.host: "\(host)"])
        case .storePaused(let reason, let until):
            logger.tell(.error, "store cannot be written, polls pause", until: until, reason: reason)
        case .writeRefused(let source, let reason, let until):
            logger.tell(
                .error, "store refuses what a source has brought", source: source, until: until, reason: reason)
        case .pollPostponed(let source, let failure, let until):
            logger.tell(
                .warning, "poll postponed", source: source, until: until, detail: failure.message,
                [LogKey.error: "\(failure.code)"])
        case .storeResumed: logger.notice("store can be written again")
        case .clockDoubted(let seconds):
            let difference = Int(clamping: seconds)
            logger.warning("clock disagrees with servers", metadata: ["server_minus_ours": .seconds(difference)])
        case .clockTrusted: logger.notice("clock agrees with servers again")
        case .truncationSkipped:
            logger.tell(.notice, "truncation skipped", reason: "the clock is not confirmed by any server yet")
        case .paidReadsStopped(let free, let floor):
            logger.warning("disk space is low, paid reads stop", metadata: Self.space(free, floor))
        case .pollsStopped(let free, let floor):
            logger.error("disk space is below the floor, polls pause", metadata: Self.space(free, floor))
        case .pollsResumed(let free): logger.notice("disk has room again, polls go on", metadata: Self.space(free))
        case .paidReadsResumed(let free):
            logger.notice("disk has room again, paid reads go on", metadata: Self.space(free))
        case .senderTaken(let sender, let source):
            logger.tell(
                .notice, "sender belongs to its configured source", source: source, ["sender": "\(sender)"])
        }
    }

    private static func space(_ free: Int64, _ floor: Int64? = nil) -> Logger.Metadata {
        var facts: Logger.Metadata = [LogKey.free: .size(free)]
        if let floor { facts[LogKey.floor] = .size(floor) }
        return facts
    }

    func truncated(_ result: TruncationResult) {
        var facts: Logger.Metadata = [
            "events": .count(result.total), "tombstones": .count(result.tombstones),
            "changes": .count(result.changes), "answers": .count(result.answers),
            "orphans": .count(result.orphans), "pages": .count(result.pages),
            "longest": .duration(result.longestTransaction), LogKey.duration: .duration(result.duration),
        ]
        if !result.isComplete { facts[LogKey.reason] = result.isWALHeld ? "the WAL cannot shrink" : "stopping" }
        logger.info("truncation ended", metadata: facts)
        guard result.isWALHeld else { return }
        var reader: Logger.Metadata = [LogKey.bytes: .number(result.walBytes)]
        if let found = result.walReader {
            reader["process"] = .number(found.process)
            if let name = found.name { reader["name"] = "\(name)" }
        }
        logger.warning("a reader keeps the WAL from shrinking", metadata: reader)
    }

    func truncationFailed(_ error: StoreError) {
        logger.error("truncation failed", metadata: [LogKey.error: "\(error)"])
    }

    func hung(_ piece: BlockingWork.Piece, for duration: Duration) {
        logger.tell(
            .error, "watchdog is no longer fed", detail: "\(piece.name) has not come back",
            [LogKey.duration: .duration(duration)])
    }

    func watchdogIsTooShort() {
        let period = ServicePulse.leastPeriod
        let least = (period * 3).compact
        logger.tell(
            .warning, "watchdog is too short",
            detail: "fed every \(period.compact) only; set WatchdogSec= to \(least) or more")
    }

    func cannotKeepBody(source: String, _ error: any Error) {
        logger.debug(
            "failed body is not kept", metadata: [LogKey.source: "\(source)", LogKey.error: "\(error)"])
    }
}
