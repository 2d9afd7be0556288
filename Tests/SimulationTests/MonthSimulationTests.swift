import Foundation
import Testing

@testable import Simulation

/// Short simulations on a real file; `make simulate` runs whole months on a failing disk.
@Suite struct MonthSimulationTests {
    @Test func theSameSeedGivesTheSameDays() async throws {
        let one = try await aside { try MonthSimulation(seed: 11, days: 2).run() }
        let other = try await aside { try MonthSimulation(seed: 11, days: 2).run() }
        #expect(one == other)
        #expect(one.polls > 300 && one.stored > 100, "\(one.line)")
        #expect(one.restarts > 5, "\(one.line)")
        let hit = FaultKind.allCases.filter { one.faults[$0, default: 0] > 0 }
        #expect(hit.count > 15, "\(hit)")
    }

    @Test func anotherSeedGivesOtherDays() async throws {
        let one = try await aside { try MonthSimulation(seed: 12, days: 1).run() }
        let other = try await aside { try MonthSimulation(seed: 13, days: 1).run() }
        #expect(one.hash != other.hash)
    }

    @Test func sumsAddUp() {
        var sum = SimulationSummary()
        var one = SimulationSummary()
        one.seeds = 1
        one.polls = 3
        one.faults = [.reset: 2]
        sum.add(one)
        sum.add(one)
        #expect(sum.seeds == 2 && sum.polls == 6 && sum.faults == [.reset: 4])
    }
}
