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
        object.add([
            "name": name, "kind": kind, "configured": isConfigured, "enabled": isEnabled,
            "last_success": lastSuccess?.timestamp, "last_attempt": lastAttempt?.timestamp,
            "last_new": lastNew?.timestamp, "next_due": nextDue?.timestamp, "due_reason": dueReason?.rawValue,
            "waits_for": waitsFor,
        ])
        if let arrivals { object.add(["streaming_since": lastAttempt?.timestamp, "messages_since": arrivals]) }
        object.add(["failures": failures, "failing_since": failingSince?.timestamp])
        if let failure = lastFailure {
            object.add([
                "last_failure_at": lastFailureAt?.timestamp, "last_failure": completed(failure.message),
                "last_failure_code": failure.code, "last_failure_fault": failure.fault.rawValue,
            ])
        }
        let parts = shortfalls.map { shortfall in
            JSONWriter.object([
                "part": shortfall.part, "since": shortfall.since.timestamp, "reason": completed(shortfall.words),
            ])
        }
        let found = issues.sorted { $0.key < $1.key }.map { code, count -> (String, any JSONMember) in
            (code, .object(["items": count.items, "sample": count.sample.isEmpty ? nil : count.sample]))
        }
        func numbers(_ counts: [String: Int]) -> RawJSON {
            .object(of: counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        let (total, today, most, daily) = (use.total, use.today(at: now), use.budget.total, use.budget.daily)
        object.add([
            "partial_failures": partialFailures, "shortfalls": .array(parts), "remark": remark, "moved_to": movedTo,
            "home": home.context.code, "requested_interval_s": requestedInterval?.seconds,
            "refused": numbers(refused), "refused_last_poll": numbers(lastRefused), "issues": .object(of: found),
            "unproved": numbers(unproved.mapValues(\.items)), "paid_reads_this_month": paidReads,
            "monthly_cap": monthlyCap,
            "budget": .object([
                "rows": total.rows, "bytes": total.bytes, "today_rows": today.rows, "today_bytes": today.bytes,
                "most_rows": most.rows, "most_bytes": most.bytes, "daily_rows": daily.rows, "daily_bytes": daily.bytes,
            ]),
        ])
        return object.finish()
    }
}
