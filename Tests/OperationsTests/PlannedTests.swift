import Foundation
import Model
import Operations
import Store
import Testing

/// What `status` makes of a record and the daemon's plan.
@Suite struct PlannedTests {
    /// 2026-03-01T00:00:00Z, and less than a millisecond.
    private let start = Date(timeIntervalSince1970: 1_772_323_200.000_4)

    private func isFirstPolled(
        attempt: Double?, success: Double? = nil, failures: Int = 0, isEnabled: Bool = true, runs: Bool = true,
        isPlanned: Bool = true
    ) -> Bool {
        // Stored times have milliseconds.
        func time(_ seconds: Double?) -> Date? {
            seconds.map { Date(timeIntervalSince1970: 1_772_323_200).addingTimeInterval($0) }
        }
        var record = SourceRecord(name: "quakes", kind: "usgs")
        (record.isEnabled, record.failures) = (isEnabled, failures)
        (record.lastAttempt, record.lastSuccess) = (time(attempt), time(success))
        let plan = PollPlan(at: start, dues: isPlanned ? ["quakes": start] : [:])
        return record.isFirstPolled(since: runs ? plan : nil)
    }

    @Test func aFirstPollUnderWayIsKnownByItsAttempt() {
        #expect(isFirstPolled(attempt: 0) && isFirstPolled(attempt: 60))
        #expect(!isFirstPolled(attempt: nil), "it has not begun")
        #expect(!isFirstPolled(attempt: -60), "it ended with an earlier daemon")
        #expect(!isFirstPolled(attempt: 60, runs: false), "no daemon runs")
        #expect(isFirstPolled(attempt: -60, isPlanned: false), "the plan was made during the poll, as by a reload")
        #expect(!isFirstPolled(attempt: 60, success: 61) && !isFirstPolled(attempt: 60, failures: 1))
        #expect(!isFirstPolled(attempt: 60, isEnabled: false))
    }
}
