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

    /// Hashes of a day with clients of the API or without, then after each statement.
    private func hashes(hasClients: Bool, _ statements: String...) async throws -> [[Substring]] {
        try await aside {
            let simulation = try MonthSimulation(seed: 14, days: 1, hasClients: hasClients)
            _ = try simulation.run()
            return try ([nil] + statements).map { statement in
                if let statement { try simulation.daemon.store.tamper(statement) }
                return try simulation.daemon.visibleHashes().split(separator: " ")
            }
        }
    }

    @Test func hashesTellOneRecordFromAnother() async throws {
        let seen = try await hashes(
            hasClients: false, "UPDATE event SET title = title || '!'", "UPDATE history SET at_ms = at_ms + 1",
            "UPDATE change SET at_ms = at_ms + 1")
        #expect(seen.allSatisfy { $0.count == 3 })
        for changed in 0..<3 {
            let isOther = zip(seen[changed], seen[changed + 1]).map { $0 != $1 }
            #expect(isOther == (0..<3).map { $0 == changed })
        }
        // Clients of the API, which this seed can have, change nothing of the record.
        #expect(try await hashes(hasClients: true) == [seen[0]])
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
