public import Engine
import Foundation
public import Model

// Outcomes of polls and resets, each in one line for people.

extension Failure {
    /// A line that says why a source was not polled.
    public func notPolled(_ source: String) -> String { "\(source): not polled: \(message)" }
}

extension PollReport {
    /// A line with the counts of the poll, or with its failure and the next due time.
    public var summary: String {
        if let failure = end.failure {
            let due = Date(timeIntervalSince1970: end.nextDue.timeIntervalSince1970.rounded(.up))
            return "\(source): failed: \(failure.description); due again at \(due.rfc3339)"
        }
        let refused = result.refused.values.reduce(0, +)
        var text = "\(source): \(result.new) new, \(result.changed) changed, \(result.unchanged) unchanged"
        if result.withdrawn > 0 { text += ", \(result.withdrawn) withdrawn" }
        if refused > 0 { text += ", \(refused) refused (\(result.refused.reasons))" }
        if notModified > 0 { text += ", not modified" }
        if end.dueReason == .stream { text += ", the stream is open" }
        if let remark = end.remark, !remark.isEmpty { text += "; no event, but \(remark)" }
        if !end.partialFailures.isEmpty { text += "; failed: \(end.partialFailures.joined(separator: "; "))" }
        return text
    }
}

extension Daemon {
    /// A line with the result of a reset.
    public static func resetMessage(_ name: String, _ events: Int, _ includingEvents: Bool) -> String {
        includingEvents ? "\(name): state and \(events.counted("event")) forgotten" : "\(name): state forgotten"
    }
}
