import Foundation
import Model
import Testing

@testable import Engine

/// The summary of the sources for the service manager.
@Suite struct EngineSummaryTests {
    @Test func itCountsEnabledSourcesNamesThoseThatFailAndKnowsTheNextPoll() throws {
        var off = EngineHarness.source("off")
        off.isEnabled = false
        let harness = EngineHarness([
            EngineHarness.source("a", offset: .seconds(10)), EngineHarness.source("b", offset: .seconds(20)), off,
        ])
        let start = harness.now.uptime
        #expect(harness.engine.summary == EngineSummary(enabled: 2, nextPoll: start + .seconds(10)))
        harness.advance(.seconds(10))
        #expect(harness.engine.summary.nextPoll == start + .seconds(20), "what is being polled is not due")
        let order = try #require(harness.takeOrder())
        harness.give(.failed(order.id, Failure(.network, .timeout, "no answer"), FetchFacts()))
        #expect(harness.engine.summary.failing == ["a"])
        harness.advance(.seconds(120))
        for _ in 0..<2 { if let next = harness.takeOrder() { harness.give(.empty(next)) } }
        #expect(harness.engine.summary.failing == [])
    }

    @Test func itKnowsUntilWhenNothingCanBeStored() {
        let harness = EngineHarness([EngineHarness.source("a")])
        harness.storeWorks = false
        harness.advance(.zero)
        #expect(harness.engine.summary.storePausedUntil == harness.now.uptime + .seconds(30))
        harness.storeWorks = true
        harness.advance(.seconds(30))
        #expect(harness.engine.summary.storePausedUntil == nil)
    }
}
