import Engine
import Foundation
import Model
import Testing

@testable import Simulation

/// The oracle notices manipulations: each of its checks can fail.
@Suite struct OracleTests {
    /// The promise that is broken by `deed` after some hours without faults; nil: none.
    private func broken(by deed: @escaping @Sendable (MonthSimulation) throws -> Void) async throws -> Int? {
        try await aside { () throws -> Int? in
            let simulation = try MonthSimulation(seed: 3, days: 1, hasFaults: false)
            try simulation.pass(days: 0.2)
            try simulation.look()
            do {
                try deed(simulation)
                return nil
            } catch let violation as Violation {
                return violation.promise
            }
        }
    }

    @Test func nothingIsFoundWhereNothingIsWrong() async throws {
        let promise = try await broken { simulation in
            try simulation.pass(days: 0.1)
            try simulation.look()
        }
        #expect(promise == nil)
    }

    @Test func nothingIsFoundAfterAReload() async throws {
        let promise = try await broken { simulation in
            try simulation.editInterval()
            try simulation.pass(days: 0.1)
            try simulation.look()
        }
        #expect(promise == nil)
    }

    @Test func aSourceThatIsEditedWhileItIsPolledIsPolledAgainAtOnce() async throws {
        let promise = try await broken { simulation in
            let daemon = simulation.daemon
            let due = try #require(daemon.engine.dues.first(where: { $0.source == "quakes" }))
            try daemon.advance(to: due.at + .milliseconds(15))
            let isUnderWay = daemon.flights.contains { $0.order.source == "quakes" }
            simulation.settings[0].maxAge += .seconds(3600)
            try daemon.reload(simulation.settings)
            let began = simulation.oracle.sources["quakes"]?.pollBegan
            guard isUnderWay, simulation.settings[0].name == "quakes", began == daemon.now.uptime else {
                throw simulation.oracle.broken(6, "the poll that was cut short does not begin again", at: daemon.now)
            }
            try simulation.pass(days: 0.1)
            try simulation.look()
        }
        #expect(promise == nil)
    }

    @Test func aLostRowIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper(
                "DELETE FROM upstream_id WHERE event_id = (SELECT min(id) FROM event)",
                "DELETE FROM event WHERE id = (SELECT min(id) FROM event)")
            try simulation.look()
        }
        #expect(promise == 1)
    }

    @Test func aDoubledRowIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper(
                "CREATE TABLE copy AS SELECT * FROM event LIMIT 1", "UPDATE copy SET id = 99999, public_id = 'doubled'",
                "INSERT INTO event SELECT * FROM copy",
                "INSERT INTO upstream_id SELECT provider, 'another name', 99999 FROM copy", "DROP TABLE copy")
            try simulation.look()
        }
        #expect(promise == 2)
    }

    @Test func twoThatAreListedApartAndStayOneRowAreNoticed() async throws {
        let promise = try await broken { simulation in
            let oracle = simulation.oracle
            let pair = oracle.entries.values.filter { $0.provider == "usgs" && $0.withdrawn == nil }
                .sorted { $0.publicID < $1.publicID }.prefix(2)
            guard pair.count == 2, let first = pair.first, let second = pair.last else {
                throw SimulationError("no two earthquakes are stored")
            }
            let expectedEvents = pair.map { ExpectedEvent("usgs", $0.names.sorted(), updated: .distantFuture) }
            try simulation.daemon.store.tamper(
                """
                UPDATE upstream_id SET event_id = (SELECT id FROM event WHERE public_id = '\(first.publicID)')
                WHERE event_id = (SELECT id FROM event WHERE public_id = '\(second.publicID)')
                """)
            first.names.formUnion(second.names)
            oracle.record(first)
            _ = try oracle.split(expectedEvents, at: simulation.daemon.now)
        }
        #expect(promise == 2)
    }

    @Test func anEarlyPollIsNoticed() async throws {
        let promise = try await broken { simulation in
            let now = simulation.daemon.now
            let beginning = PollBeginning(source: "volcanoes", at: now.wall, nextDue: now.wall, fingerprint: "")
            try simulation.oracle.begun(beginning, at: now)
        }
        #expect(promise == 6)
    }

    @Test func aLatePollIsNoticed() async throws {
        let promise = try await broken { simulation in
            let now = simulation.daemon.now
            simulation.oracle.sources["volcanoes"]?.due = now.uptime - .seconds(60)
            simulation.oracle.resumed = .zero
            try simulation.oracle.checkPunctuality(at: now)
        }
        #expect(promise == 5)
    }

    /// A request for the week's feed during a poll, changed before the oracle sees it.
    private static func ask(_ simulation: MonthSimulation, _ change: (inout FetchOrder) -> Void) throws {
        guard var order = simulation.daemon.sent.last(where: { $0.source == "week" }) else {
            throw SimulationError("the source was not asked")
        }
        let now = simulation.daemon.now
        let oracle = simulation.oracle
        oracle.sources["week"]?.pollBegan = now.uptime
        oracle.underWay = [:]
        oracle.lastStart = [:]
        order.fetch.validators = oracle.sources["week"]?.validators[order.url]?.value ?? Validators()
        guard !order.fetch.validators.isEmpty else { throw SimulationError("the source has no validators") }
        change(&order)
        try oracle.sending(order, at: now)
    }

    @Test func aConditionalRequestIsFine() async throws {
        let promise = try await broken { try Self.ask($0) { _ in } }
        #expect(promise == nil)
    }

    @Test func anUnconditionalRequestIsNoticed() async throws {
        let promise = try await broken { try Self.ask($0) { $0.fetch.validators = Validators() } }
        #expect(promise == 6)
    }

    @Test func aRequestTooSoonAfterTheLastIsNoticed() async throws {
        let promise = try await broken { simulation in
            try Self.ask(simulation) { _ in
                simulation.oracle.lastStart["mirror.test"] = simulation.daemon.now.uptime - .milliseconds(500)
            }
        }
        #expect(promise == 6)
    }

    @Test func aRequestWithinRetryAfterIsNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.oracle.restUntil["mirror.test"] = simulation.daemon.now.uptime + .seconds(10)
            try Self.ask(simulation) { _ in }
        }
        #expect(promise == 6)
    }

    /// The promise that is broken if a reload of the week's feed changes the schedule like this; nil: none.
    private func brokenByReload(
        _ change: @escaping @Sendable (_ before: inout Oracle.Schedule, _ after: inout Oracle.Schedule) -> Void
    ) async throws -> Int? {
        try await broken { simulation in
            var before = simulation.schedule
            before.requests = Set(simulation.daemon.sent.suffix(20).map { .init(id: $0.id, source: $0.source) })
            var after = before
            change(&before, &after)
            try simulation.oracle.checkReload(
                from: before, to: after, sparing: ["week"], at: simulation.daemon.now)
        }
    }

    @Test func aReloadThatChangesItsOwnSourceAloneIsFine() async throws {
        let promise = try await brokenByReload { _, after in
            after.dues["week"] = .zero
            after.requests = after.requests.filter { $0.source != "week" }
        }
        #expect(promise == nil)
    }

    @Test func aReloadThatMovesAnothersDueTimeIsNoticed() async throws {
        let promise = try await brokenByReload { _, after in after.dues["news"] = .zero }
        #expect(promise == 6)
    }

    @Test func aReloadThatCutsAnothersRequestIsNoticed() async throws {
        let promise = try await brokenByReload { _, after in after.requests = [] }
        #expect(promise == 6)
    }

    @Test func aReloadThatForgetsASourceIsNoticed() async throws {
        let promise = try await brokenByReload { _, after in after.names.remove("news") }
        #expect(promise == 11)
    }

    @Test func anEditThatHasNoEffectIsNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.settings[0].maxAge += .seconds(3600)
            // The daemon is not told.
            simulation.daemon.write(.good(simulation.settings))
            try simulation.pass(days: 0.01)
            try simulation.look()
        }
        #expect(promise == 11)
    }

    @Test func aConfigurationThatWasRefusedAndIsStoredIsNoticed() async throws {
        let promise = try await broken { simulation in
            let (oracle, daemon) = (simulation.oracle, simulation.daemon)
            let fault = Failure(.operator, .notConfigured, "a fault")
            let reading = ConfigurationReading(content: 1, outcome: .faulty([fault], isGone: false))
            try oracle.reads(reading, by: daemon, at: daemon.now)
            try oracle.wrote(.reconcile(simulation.settings), answering: nil, .reconciled([]), at: daemon.now)
        }
        #expect(promise == 11)
    }

    @Test func aConfigurationThatWaitsForItsSecretsTooLongIsNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.oracle.waitsSince = .zero
            try simulation.meetReload(Faults.Incident(at: simulation.truth, kind: .secretUnread, size: 3000))
            try simulation.daemon.advance(.seconds(1))
        }
        #expect(promise == 11)
    }

    @Test func secretsThatCanBeReadAgainAndAreNotUsedAreNoticed() async throws {
        let promise = try await broken { simulation in
            simulation.oracle.lacking = ["messages"]
            try simulation.look()
        }
        #expect(promise == 11)
    }

    @Test func storedSettingsThatAreNotInForceAreNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper("UPDATE source SET max_age_ms = 1 WHERE name = 'week'")
            try simulation.look()
        }
        #expect(promise == 11)
    }

    @Test func anEventThatOutlivesItsTruncationIsNoticed() async throws {
        let promise = try await broken { simulation in
            for name in simulation.oracle.sources.keys { simulation.oracle.sources[name]?.horizon = .distantFuture }
            try simulation.oracle.checkAges(at: simulation.daemon.now)
        }
        #expect(promise == 9)
    }

    private static func log(_ kind: String) -> String {
        """
        INSERT INTO change (public_id, kind, at_ms)
        SELECT public_id, '\(kind)', 1 FROM event WHERE id = (SELECT max(id) FROM event)
        """
    }

    @Test func aWithdrawalWithoutEvidenceIsNoticed() async throws {
        for reason in ["absent", "deleted"] {
            let promise = try await broken { simulation in
                try simulation.daemon.store.tamper(
                    "UPDATE event SET withdrawn_reason = '\(reason)' WHERE id = (SELECT max(id) FROM event)",
                    Self.log("withdrawn"))
                try simulation.oracle.readChanges(of: nil, at: simulation.daemon.now)
            }
            #expect(promise == 4, "\(reason)")
        }
    }

    @Test func aRevisionOutOfNothingIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper(Self.log("revised"))
            try simulation.oracle.readChanges(of: nil, at: simulation.daemon.now)
        }
        #expect(promise == 3)
    }

    @Test(
        arguments: [
            ("rumours", "usgs"), ("impostor", AlertWorld.sender), ("impostor", NewsWorld.provider(of: "wire")),
        ])
    func aSourceThatMaySpeakForAnotherIsNoticed(source: String, provider: String) async throws {
        let promise = try await broken { simulation in
            let index = try #require(simulation.settings.firstIndex { $0.name == source })
            simulation.settings[index].trustedFor = [provider]
            try simulation.daemon.reload(simulation.settings)
            try simulation.pass(days: 0.5)
            try simulation.look()
        }
        #expect(promise != nil)
    }

    @Test func aTruncationBeforeItsTimeIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper(Self.log("truncated"))
            try simulation.oracle.readChanges(of: nil, at: simulation.daemon.now)
        }
        #expect(promise == 9)
    }

    @Test func truncationInTheFutureIsNoticed() async throws {
        let promise = try await broken { simulation in
            let now = simulation.daemon.now
            try simulation.oracle.truncated(asOf: now.wall.addingTimeInterval(86_400), nil, at: now)
        }
        #expect(promise == 14)
    }

    @Test func aFalsePinIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper("UPDATE event SET latitude = 0, longitude = 0 WHERE id = 1")
            try simulation.look()
        }
        #expect(promise == 7)
    }

    @Test func aQuestionAskedTwiceIsNoticed() async throws {
        let promise = try await broken { simulation in
            let now = simulation.daemon.now
            let query = PlaceQuery(text: "Town 1", folded: "town 1", evidence: .title)
            simulation.oracle.answeredQuestions[query.key] = now.wall.addingTimeInterval(60)
            try simulation.oracle.asks(query, at: now)
        }
        #expect(promise == 8)
    }

    @Test func validatorsWithoutTheirEventsAreNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper("DELETE FROM event", "DELETE FROM upstream_id", "DELETE FROM link")
            simulation.oracle.entries = [:]
            simulation.oracle.byName = [:]
            try simulation.oracle.begins(
                simulation.daemon.store, SimulatedSources.all, after: .powerLoss, at: simulation.daemon.now)
        }
        #expect(promise == 1)
    }
}
