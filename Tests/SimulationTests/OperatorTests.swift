import Engine
import Foundation
import Model
import Store
import Testing

@testable import Simulation

/// Commands, backups and migrations in a simulation, and the oracle's verdict on those that go wrong.
@Suite struct OperatorTests {
    /// The promise that is broken by `deed` after some hours without faults; nil: none.
    /// - Parameter seed: Every fourth seed has clients of the read API, such as 6.
    private func broken(
        seed: UInt64 = 5, by deed: @escaping @Sendable (MonthSimulation) throws -> Void
    ) async throws -> Int? {
        try await aside { () throws -> Int? in
            let simulation = try MonthSimulation(seed: seed, days: 1, hasFaults: false)
            try simulation.pass(days: 0.2)
            do {
                try deed(simulation)
                try simulation.pass(days: 0.1)
                try simulation.look()
                return nil
            } catch let violation as Violation {
                return violation.promise
            }
        }
    }

    private static let kinds = [
        FaultKind.commandPoll, .stateReset, .eventsReset, .commandRefused, .statusRead, .backup, .migration,
    ]

    @Test(arguments: kinds) func nothingIsFoundWhereAllIsRight(kind: FaultKind) async throws {
        let promise = try await broken(seed: kind == .eventsReset ? 6 : 5) { simulation in
            for _ in 0..<3 {
                switch kind {
                case .backup: try simulation.backUp()
                case .migration: try simulation.migrate()
                default: try simulation.meetCommand(kind)
                }
            }
            guard simulation.faults.counts[kind] == 3 else { throw SimulationError("\(kind) does nothing") }
        }
        #expect(promise == nil)
    }

    private static let fileKinds = [FaultKind.reloadRefused, .fileGone, .secretUnread, .reloadDeath]

    @Test(arguments: fileKinds) func aSpoiledConfigurationDoesNoHarm(kind: FaultKind) async throws {
        let faults = try await aside { () throws -> [FaultKind: Int] in
            let simulation = try MonthSimulation(seed: 5, days: 1, hasFaults: false)
            try simulation.pass(days: 0.2)
            for size in [2.0, 30, 3000] {
                try simulation.meetReload(Faults.Incident(at: simulation.truth, kind: kind, size: size))
            }
            return try simulation.run().faults
        }
        #expect(faults[kind, default: 0] > 0)
        #expect(faults[.editReload, default: 0] + faults[.reload, default: 0] > 0 || kind == .reloadDeath, "\(faults)")
    }

    @Test func anEditTakesEffectByItself() async throws {
        let promise = try await broken { simulation in
            simulation.settings[0].maxAge += .seconds(3600)
            try simulation.edit()
            guard simulation.daemon.reloads.isEmpty else { throw SimulationError("an edit is not left to settle") }
            try simulation.daemon.advance(.milliseconds(200))
            guard simulation.daemon.reloads.count == 1 else { throw SimulationError("an edit has no effect") }
        }
        #expect(promise == nil)
    }

    @Test func aPollThatNobodyHasAskedForIsNoticed() async throws {
        let promise = try await broken { simulation in
            _ = try simulation.daemon.command(
                Data(#"{"command":"poll","sources":["volcanoes"],"includingEvents":false}"#.utf8))
        }
        #expect(promise == 6)
    }

    @Test func aResetThatForgetsNothingIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.oracle.wasReset("week", includingEvents: false, nil, at: simulation.daemon.now)
        }
        #expect(promise == 11)
    }

    @Test func aResetThatTakesAnEventOfAnotherSourceIsNoticed() async throws {
        let promise = try await broken { simulation in
            let oracle = simulation.oracle
            guard let entry = oracle.entries.values.first(where: { $0.sources.count > 1 }),
                let name = entry.sources.first
            else { throw SimulationError("no event has two sources") }
            try oracle.forgotten(entry, by: name, at: simulation.daemon.now)
        }
        #expect(promise == 1)
    }

    @Test func aResetAtAnEarlierTimeIsNoticed() async throws {
        let promise = try await broken(seed: 6) { simulation in
            let daemon = simulation.daemon
            guard simulation.oracle.hasClients else { throw SimulationError("there are no clients") }
            let earlier = daemon.now.wall.addingTimeInterval(-3600)
            _ = try daemon.store.reset(source: "week", includingEvents: true, at: earlier)
            try simulation.oracle.wasReset("week", includingEvents: true, nil, at: daemon.now)
        }
        #expect(promise == 15)
    }

    @Test func aWaiterWhoIsForgottenIsNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.daemon.waiting["week"] = .zero
            simulation.oracle.resumed = .zero
            try simulation.pass(days: 0.15)
            simulation.daemon.waiting["week"] = .zero
            try simulation.checkWaiting()
        }
        #expect(promise == 11)
    }

    @Test func aBackupOfSomethingElseIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.backUp()
            simulation.lastBackup = 1
            try simulation.checkBackup()
        }
        #expect(promise == 1)
    }

    @Test func messagesOfAStreamThatAreNeverStoredAreNoticed() async throws {
        let promise = try await broken { simulation in
            guard let order = simulation.daemon.sent.last(where: { $0.request.stream != nil }) else {
                throw SimulationError("no stream was opened")
            }
            let reply = WorldReply(.body(Data()))
            simulation.oracle.batches[order.id] = [Oracle.Pending(reply: reply, order: order)]
            try simulation.oracle.checkBatches(at: simulation.daemon.now)
        }
        #expect(promise == 1)
    }

    @Test(arguments: [200, 400]) func aStreamThatIsOpenedAgainTooSoonIsNoticed(milliseconds: Int) async throws {
        let promise = try await broken { simulation in
            let now = simulation.daemon.now
            guard var source = simulation.oracle.sources[SimulatedSources.stream] else { return }
            source.due = now.uptime + .milliseconds(milliseconds)
            source.stream.failure = Failure(.network, .reset, "the connection broke")
            // The second consecutive attempt waits half a second.
            source.stream.attempts = (.broken, milliseconds / 300)
            source.stream.opened = nil
            let end = PollEnd(
                failure: source.stream.failure, nextDue: now.wall, dueReason: .reconnect, failures: 1)
            try simulation.oracle.checkReopening(&source, end, at: now)
        }
        #expect(promise == 6)
    }

    @Test func aStreamThatIsNotNotedAsOpenIsNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.oracle.resumed = .zero
            simulation.oracle.sources[SimulatedSources.stream]?.stream.noted = .zero
            try simulation.oracle.checkPunctuality(at: simulation.daemon.now)
        }
        #expect(promise == 5)
    }
}
