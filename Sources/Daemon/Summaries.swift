public import Engine
import Foundation
public import Model
import Operations
public import Store

// Outcomes of polls, resets and corrections, each in one line for people.

extension Failure {
    /// A line for people that says why a source was not polled: `NAME: not polled: MESSAGE`, or of one that waits for
    /// its host `NAME: waits for HOST until TIME (it asked for it)`.
    public func notPolled(_ source: String) -> String {
        hasCode(.hostWaiting) ? "\(source): \(message)" : "\(source): not polled: \(message)"
    }
}

extension PollReport {
    /// A line for people with the counts of the poll, `NAME: 3 new, 0 changed, 40 unchanged` and what else is not
    /// zero, such as issues by code; or with its failure, `NAME: failed: FAILURE; due again at TIME`, in UTC and whole
    /// seconds rounded up.
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
        let issues = result.issues.numbers
        // A remark has the issue already.
        if !issues.isEmpty, end.remark?.isEmpty != false {
            text += ", \(issues.values.reduce(0, +).counted("issue")) (\(issues.reasons))"
        }
        if notModified > 0 { text += ", not modified" }
        if end.dueReason == .stream { text += ", the stream is open" }
        if let reads = result.paidReads { text += "; \(PaidReads.words(reads, of: monthlyCap))" }
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

extension CorrectionOutcome {
    /// Whether what was asked for holds now.
    public var isSuccess: Bool {
        switch self {
        case .corrected, .released, .forgotten, .uncorrected: true
        case .unknown, .erased, .tooMany: false
        }
    }

    /// A line for people that says what has become of the place of an event: `ID: is at -8.34, 115.5 now`.
    public func message(_ event: String, _ correction: PlaceCorrection) -> String {
        switch self {
        case .corrected:
            if case .at(let latitude, let longitude, _, _) = correction {
                "\(event): is at \(latitude), \(longitude) now; --automatic takes it back"
            } else {
                "\(event): has no place now; --automatic takes it back"
            }
        case .released(let hasPlace):
            "\(event): "
                + (hasPlace ? "has the place of its feed again" : "is located anew, since its feed gives no place")
        case .forgotten: "\(event): is gone, and its correction is forgotten"
        case .uncorrected: "\(event): its place was not corrected"
        case .unknown:
            "there is no event '\(event)'"
                + (event.count == 16 ? "" : "; a public id has 16 characters, as in the column ID of visiventd events")
        case .erased: "\(event): its provider has deleted its words, so it has no place for good"
        case .tooMany: "as many places are corrected as may be, 100 000; --automatic takes one back"
        }
    }
}
