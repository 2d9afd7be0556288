package import Foundation
package import Model
import Reading

extension SourceRecord {
    /// The source as one JSON object, as `visiventd status --json` and `/status` have it. No URL has a query, and no
    /// message a secret.
    /// - Parameters:
    ///   - now: Wall time, for what was added today.
    ///   - arrivals: The messages since its stream was opened; nil: it has no open stream, or they are not counted.
    ///   - isConfigured: Whether the configuration has the source; nil: not known.
    ///   - monthlyCap: The most paid reads in a month; nil: it makes none, or it is not known.
    ///   - completed: Completes the commands that a message recommends; by default messages stay as they are.
    package func statusJSON(
        at now: Date, arrivals: Int? = nil, isConfigured: Bool? = nil, monthlyCap: Int? = nil,
        completed: (String) -> String = { $0 }
    ) -> String {
        var object = JSONWriter()
        object.member("name", name)
        object.member("kind", kind)
        object.member("configured", isConfigured)
        object.member("enabled", isEnabled)
        object.member("last_success", lastSuccess?.timestamp)
        object.member("last_attempt", lastAttempt?.timestamp)
        object.member("last_new", lastNew?.timestamp)
        object.member("next_due", nextDue?.timestamp)
        object.member("due_reason", dueReason?.rawValue)
        object.member("waits_for", waitsFor)
        if let arrivals {
            object.member("streaming_since", lastAttempt?.timestamp)
            object.member("messages_since", arrivals)
        }
        object.member("failures", failures)
        object.member("failing_since", failingSince?.timestamp)
        if let failure = lastFailure {
            object.member("last_failure_at", lastFailureAt?.timestamp)
            object.member("last_failure", completed(failure.message))
            object.member("last_failure_code", failure.code)
            object.member("last_failure_fault", failure.fault.rawValue)
        }
        object.member("partial_failures", partialFailures)
        let parts = shortfalls.map { shortfall in
            var part = JSONWriter()
            part.member("part", shortfall.part)
            part.member("since", shortfall.since.timestamp)
            part.member("reason", completed(shortfall.words))
            return part.finish()
        }
        object.member("shortfalls", raw: "[" + parts.joined(separator: ",") + "]")
        object.member("remark", remark)
        object.member("moved_to", movedTo)
        object.member("home", home.context.code)
        object.member("requested_interval_s", requestedInterval?.seconds)
        for (key, counts) in [("refused", refused), ("refused_last_poll", lastRefused)] {
            var refusals = JSONWriter()
            for (reason, count) in counts.sorted(by: { $0.key < $1.key }) { refusals.member(reason, count) }
            object.member(key, raw: refusals.finish())
        }
        var found = JSONWriter()
        for (code, count) in issues.sorted(by: { $0.key < $1.key }) {
            var issue = JSONWriter()
            issue.member("items", count.items)
            issue.member("sample", count.sample.isEmpty ? nil : count.sample)
            found.member(code, raw: issue.finish())
        }
        object.member("issues", raw: found.finish())
        var claims = JSONWriter()
        for (provider, claim) in unproved.sorted(by: { $0.key < $1.key }) { claims.member(provider, claim.items) }
        object.member("unproved", raw: claims.finish())
        object.member("paid_reads_this_month", paidReads)
        object.member("monthly_cap", monthlyCap)
        var figures = JSONWriter()
        for (key, amount) in [
            ("", use.total), ("today_", use.today(at: now)), ("most_", use.budget.total), ("daily_", use.budget.daily),
        ] {
            figures.member(key + "rows", amount.rows)
            figures.member(key + "bytes", amount.bytes)
        }
        object.member("budget", raw: figures.finish())
        return object.finish()
    }
}
