public import Engine
import Foundation
public import Model

// Outcomes of polls and resets, each in one line for people.

extension Failure {
    /// A line for people that says why a source was not polled: `NAME: not polled: MESSAGE`.
    public func notPolled(_ source: String) -> String { "\(source): not polled: \(message)" }
}

extension PollReport {
    /// A line for people with the counts of the poll, `NAME: 3 new, 0 changed, 40 unchanged` and what else is not
    /// zero; or with its failure, `NAME: failed: FAILURE; due again at TIME`, in UTC and whole seconds rounded up.
    public var summary: String {
        if let failure = end.failure {
            let due = Date(timeIntervalSince1970: end.nextDue.timeIntervalSince1970.rounded(.up))
            return "\(source): failed: \(failure.description); due again at \(due.rfc3339)"
        }
        let refused = result.refused.values.reduce(0, +)
        var text = "\(source): \(result.new) new, \(result.changed) changed, \(result.unchanged) unchanged"
        if result.withdrawn > 0 { text += ", \(result.withdrawn) withdrawn" }
        if result.merged > 0 { text += ", \(result.merged) merged" }
        if refused > 0 { text += ", \(refused) refused (\(result.refused.reasons))" }
        if notModified > 0 { text += ", not modified" }
        if end.dueReason == .stream { text += ", the stream is open" }
        if let remark = end.remark, !remark.isEmpty { text += "; no event, but \(remark)" }
        if !end.partialFailures.isEmpty { text += "; failed: \(end.partialFailures.joined(separator: "; "))" }
        return text
    }
}

extension Daemon {
    /// A line for people with the result of a reset: `NAME: state forgotten`, or `NAME: state and 12 events forgotten`
    /// if the events were included.
    public static func resetMessage(_ name: String, _ events: Int, _ includingEvents: Bool) -> String {
        includingEvents ? "\(name): state and \(events.counted("event")) forgotten" : "\(name): state forgotten"
    }
}
