import Foundation
import Model
import Testing

@testable import Engine

@Suite struct ClockTests {
    @Test func truncationWaitsUntilAServerConfirmsTheClock() {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        harness.run(.seconds(301)) { .empty($0) }
        #expect(harness.truncations.isEmpty, "nothing is known of the clock yet")
        #expect(harness.notices.contains(.truncationSkipped))
        harness.run(.seconds(3600)) { .empty($0, serverDate: harness.now.wall) }
        #expect(harness.truncations == [EngineHarness.start.addingTimeInterval(3900)])
    }

    @Test func aClockThatRunsAheadMovesTheHorizonByRealTimeOnly() {
        let last = EngineHarness.start.addingTimeInterval(-100)
        // The clock has jumped ten years ahead of the servers.
        let harness = EngineHarness(
            [EngineHarness.source("a", every: .seconds(60))],
            wall: EngineHarness.start.addingTimeInterval(315_360_000), lastTruncation: last)
        harness.run(.seconds(4000)) { .empty($0, serverDate: EngineHarness.start) }
        #expect(harness.truncations == [last.addingTimeInterval(300), last.addingTimeInterval(3900)])
        #expect(harness.notices.contains { if case .clockDoubted = $0 { true } else { false } })
        #expect(harness.steps.allSatisfy { !$0.isClockTrusted })
    }

    @Test func aClockThatServersContradictIsKnownToBeWrongUntilTheyAgree() {
        let harness = EngineHarness([EngineHarness.source("a", every: .seconds(60))])
        harness.run(.seconds(1)) { .empty($0) }
        #expect(harness.engine.summary.clockError == nil, "nobody has said what time it is")
        harness.run(.seconds(60)) { .empty($0, serverDate: harness.now.wall + 40 * 86_400) }
        #expect(harness.engine.summary.clockError == 40 * 86_400)
        harness.run(.seconds(60)) { .empty($0, serverDate: harness.now.wall - 601) }
        #expect(harness.engine.summary.clockError == -601)
        harness.run(.seconds(60)) { .empty($0, serverDate: harness.now.wall - 600) }
        #expect(harness.engine.summary.clockError == nil)
    }

    @Test func aClockBehindTheLastStoredTimeIsNotTrusted() {
        let harness = EngineHarness(
            [EngineHarness.source("a", every: .seconds(60))],
            lastTrusted: EngineHarness.start.addingTimeInterval(1_000_000))
        harness.run(.seconds(110)) { .empty($0, serverDate: harness.now.wall) }
        #expect(harness.steps.allSatisfy { !$0.isClockTrusted })
        #expect(harness.sent.count == 2, "polls go on by monotonic time")
    }
}
