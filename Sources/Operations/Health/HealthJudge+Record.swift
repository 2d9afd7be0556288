import Foundation
import Model
import Store

/// The rules of `/health`; docs/api.md describes them. The interval of a source stands in the configuration, so its due
/// time counts.
extension HealthJudge {
    /// The verdicts on a database whose daemon cannot be asked.
    func verdicts(ofRecord stored: HealthFacts.Stored) -> [Verdict] {
        let sources = stored.sources.filter { $0.isEnabled }
        return [
            polls(of: sources, stored), Verdict(.database, .ok, "it can be read"), clock(stored),
        ] + [telling(stored)].compactMap { $0 } + sources.map { recorded($0, stored) }
    }

    /// Whether polls begin when they are due.
    private func polls(of sources: [SourceRecord], _ stored: HealthFacts.Stored) -> Verdict {
        guard !sources.isEmpty else {
            return Verdict(.daemon, .warning, "no source is enabled; was a daemon ever started?")
        }
        let last = sources.compactMap { $0.lastAttempt }.max()
        let words = last.map { "the last poll began \(age($0)) ago" } ?? "no poll has begun yet"
        // A source whose host is busy or pauses is held back. Where others have been polled since it was due, with a
        // minute to spare, the daemon is well.
        let since = last?.addingTimeInterval(-60) ?? Self.epoch
        let expected = sources.filter { ($0.nextDue ?? begin(of: stored, $0.name)) > since }
        let lateFrom = expected.map { latestBegin(of: $0, stored) }.min()
        guard let lateFrom else { return Verdict(.daemon, .ok, words) }
        let isLate = facts.now > lateFrom
        let isHeld = sources.contains { source in
            let isAsked = source.dueReason == .retryAfter || source.dueReason == .rateLimit
            return isAsked && source.nextDue ?? Self.epoch > facts.now
        }
        var reason = "\(words); late \(isLate ? "since" : "from") \(lateFrom.wholeSeconds)"
        if isLate { reason += isHeld ? "; a server asked for a pause" : "; does the daemon run, and can it poll?" }
        return Verdict(.daemon, isLate ? (isHeld ? .warning : .failed) : .ok, reason, lateFrom: lateFrom)
    }

    /// Whether a source is polled with success.
    func recorded(_ record: SourceRecord, _ stored: HealthFacts.Stored) -> Verdict {
        if let verdict = spent(record) ?? filling(record) { return verdict }
        let due = latestBegin(of: record, stored)
        let failing = record.failures > 0 ? record.failingSince?.adding(Self.slack) : nil
        return timed(
            .source, of: record.name, words(of: record),
            lateFrom: min(due, failing ?? due).earlier(of: lateFrom(record, wait(of: record) ?? .zero)),
            whenLate: next(of: record))
    }

    /// From the last poll to the next one.
    private func wait(of record: SourceRecord) -> Duration? {
        guard let due = record.nextDue, let last = record.lastAttempt else { return nil }
        return .milliseconds(due.milliseconds - last.milliseconds)
    }

    /// When a poll of the source must have begun: after its due time it may take as long again as it waits for that,
    /// within the bounds of `tolerance`; after a start it has the time for a first poll.
    private func latestBegin(of record: SourceRecord, _ stored: HealthFacts.Stored) -> Date {
        let first = begin(of: stored, record.name).adding(Self.slack)
        guard let due = record.nextDue else { return max(first, record.lastAttempt?.adding(Self.slack) ?? first) }
        return max(first, due.adding((wait(of: record) ?? .zero).tolerance))
    }
}
