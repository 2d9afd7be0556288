import Foundation
import Model
import Testing

@testable import Operations

/// What the map says of the record.
@Suite struct UpkeepTests {
    /// 2026-03-01T00:00:00Z.
    private let start = Date(timeIntervalSince1970: 1_772_323_200)

    /// A source that was last polled at a second after the start and waits so many seconds for the next poll.
    private func source(
        _ name: String = "quakes", polled: Double? = 0, wait: Double? = 60, because reason: DueReason = .interval,
        failures: Int = 0, isEnabled: Bool = true
    ) -> SourceRecord {
        let last = polled.map { start + $0 }
        var record = SourceRecord(name: name, kind: "usgs")
        (record.isEnabled, record.lastAttempt) = (isEnabled, last)
        (record.nextDue, record.dueReason) = (wait.map { (last ?? start) + $0 }, reason)
        (record.failures, record.failingSince) = (failures, failures > 0 ? start - 30 : nil)
        return record
    }

    private func upkeep(_ sources: [SourceRecord], runs: Bool?, after seconds: Double) -> Upkeep {
        Upkeep(of: sources, isRunning: runs, at: start + seconds)
    }

    @Test(arguments: [(10.0, 20.0), (60, 120), (149, 298), (151, 300), (3600, 300), (604_800, 300)])
    func withoutADaemonTwiceTheShortestIntervalIsWaitedForAndFiveMinutesAtMost(wait: Double, grace: Double) {
        let sources = [source(wait: wait), source("news", polled: -100, wait: 700_000)]
        #expect(upkeep(sources, runs: false, after: grace).state == .live)
        let stopped = upkeep(sources, runs: false, after: grace + 1)
        #expect(stopped.state == .stopped && stopped.reason == .noDaemon && stopped.since == start)
        #expect(upkeep([], runs: true, after: 0).reason == .noSource)
        #expect(upkeep([source(isEnabled: false)], runs: true, after: 0).reason == .noSource)
        #expect(upkeep([source(polled: nil, wait: nil)], runs: false, after: 0).reason == .noDaemon, "never polled")
    }

    @Test(arguments: [true, nil] as [Bool?])
    func aDaemonThatDoesNotPollHasStopped(runs: Bool?) {
        #expect(upkeep([source(), source("news")], runs: runs, after: 360).state == .live)
        let stopped = upkeep([source(), source("news")], runs: runs, after: 361)
        #expect(stopped.state == .stopped && stopped.reason == .noPoll && stopped.since == start + 60)
        #expect(stopped.laggards.map { $0.name } == ["quakes", "news"])
        // Long intervals are no standstill.
        #expect(upkeep([source(wait: 3600)], runs: runs, after: 3600).state == .live)
        #expect(upkeep([source(polled: nil, wait: nil)], runs: runs, after: 0).state == .live, "it has just begun")
        // A server that has asked for a pause holds up what is at its host.
        let paused = upkeep([source(), source("news", wait: 86_400, because: .retryAfter)], runs: runs, after: 361)
        #expect(paused.state == .late)
    }

    @Test func oneSourceMakesItLateAndIsNamed() {
        #expect(upkeep([source(polled: 300), source("news", polled: 300)], runs: true, after: 310).state == .live)
        let overdue = upkeep([source(polled: 350), source("news")], runs: true, after: 361)
        #expect(overdue.state == .late && overdue.since == start + 60)
        #expect(overdue.laggards == [.init(name: "news", trouble: .overdue, since: start + 60)])
        let failing = upkeep(
            [source(), source("news", failures: 1), source("off", isEnabled: false)], runs: true, after: 1)
        #expect(failing.state == .late && failing.since == start - 30 && failing.reason == nil)
        #expect(failing.laggards == [.init(name: "news", trouble: .failing, since: start - 30)])
        var parts = source()
        parts.partialFailures = ["one topic failed"]
        let partly = upkeep([parts], runs: true, after: 1)
        #expect(partly.state == .late && partly.since == nil)
        #expect(partly.laggards.map { $0.trouble } == [.partlyFailing])
    }
}
