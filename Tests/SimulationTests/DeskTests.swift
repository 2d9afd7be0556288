import Engine
import Foundation
import Model
import Operations
import Store
import Telling
import Testing

@testable import Simulation

/// Targets of messages in a simulation, and the oracle's verdict on a daemon that tells them twice, wrongly or nothing.
@Suite struct DeskTests {
    /// A seed whose months have targets.
    private static let seed: UInt64 = 5

    /// What is broken in some days of a daemon whose tables do `deed`; nil: none.
    private func broken(by deed: String?, days: Double = 2, hasFaults: Bool = false) async throws -> Violation? {
        try await aside { () throws -> Violation? in
            let simulation = try MonthSimulation(seed: Self.seed, days: days, hasFaults: hasFaults)
            try simulation.pass(days: 0.01)
            if let deed { try simulation.daemon.store.tamper("CREATE TRIGGER sabotage \(deed)") }
            do {
                _ = try simulation.run()
                let messages = simulation.daemon.telling?.desk.arrivals.count ?? 0
                guard messages > 20 else { throw SimulationError("\(messages) messages are not enough") }
                return nil
            } catch let violation as Violation {
                return violation
            }
        }
    }

    @Test func nothingIsFoundWhereNothingIsWrong() async throws {
        let violation = try await broken(by: nil)
        #expect(violation == nil, "\(String(describing: violation))")
    }

    private static let here = "target = new.target AND public_id = new.public_id"
    private static let deeds = [
        // What was announced is forgotten, and announced again.
        """
        AFTER UPDATE OF outcome ON delivery WHEN new.outcome = 'sent' AND new.kind = 'announced' AND new.target = 'cms'
        BEGIN
          UPDATE told SET kind = 'announced', reason = 'new', since_ms = new.ended_ms, due_ms = new.ended_ms + 3600000
          WHERE \(here);
        END
        """,
        // Corrections and ends are dropped.
        """
        AFTER UPDATE OF kind ON told WHEN new.kind IN ('updated', 'ended')
        BEGIN UPDATE told SET kind = NULL WHERE \(here); END
        """,
        // Announcements are dropped, and nothing is left of them.
        "AFTER INSERT ON told WHEN new.kind = 'announced' BEGIN DELETE FROM told WHERE \(here); END",
        // What was there before is announced.
        """
        AFTER INSERT ON told WHEN new.passed = 'first_poll'
        BEGIN
          UPDATE told SET passed = NULL, kind = 'announced', reason = 'new', since_ms = new.at_ms, due_ms = new.at_ms + 60000
          WHERE \(here);
        END
        """,
    ]

    @Test(arguments: deeds.dropLast()) func aDaemonThatTellsWronglyIsNoticed(deed: String) async throws {
        #expect(try await broken(by: deed)?.promise == 16)
    }

    @Test func otherBytesUnderAnIdAreNoticed() async throws {
        let deed = """
            AFTER INSERT ON delivery
            BEGIN
              UPDATE delivery SET letter = CAST(letter || ' ' AS BLOB) WHERE target = new.target AND id = new.id;
            END
            """
        #expect(try await broken(by: deed, days: 4, hasFaults: true)?.promise == 16)
    }

    @Test func whatWasThereBeforeAndIsAnnouncedIsNoticed() async throws {
        let promise = try await aside { () throws -> Int? in
            let simulation = try MonthSimulation(seed: Self.seed, days: 2, hasFaults: false)
            try simulation.daemon.store.tamper("CREATE TRIGGER sabotage \(Self.deeds.last ?? "")")
            do {
                _ = try simulation.run()
                return nil
            } catch let violation as Violation {
                return violation.promise
            }
        }
        #expect(promise == 16)
    }

    /// The promise that an arrival breaks that is made of the last one at a target, some days from the start; nil: none.
    private func broken(
        at target: String, days: Double, by change: @escaping @Sendable (inout Desk.Arrival, Desk) -> Void
    ) async throws -> Int? {
        try await aside { () throws -> Int? in
            let simulation = try MonthSimulation(seed: Self.seed, days: 3, hasFaults: false)
            try simulation.pass(days: days)
            let now = simulation.daemon.now
            guard let desk = simulation.daemon.telling?.desk, let oracle = simulation.deskOracle,
                var arrival = desk.arrivals.last(where: { $0.target == target && $0.kind == "announced" })
            else { throw SimulationError("nothing has arrived") }
            arrival.at = now
            change(&arrival, desk)
            desk.arrivals.append(arrival)
            do {
                try oracle.arrived(arrival, at: now)
                return nil
            } catch let violation as Violation {
                return violation.promise
            }
        }
    }

    @Test func aRepeatedMessageIsFine() async throws {
        #expect(try await broken(at: "cms", days: 1.5) { _, _ in } == nil)
    }

    @Test func aMessageInQuietHoursIsNoticed() async throws {
        // At noon and at midnight; the magnitude is one that must wait.
        for (days, promise) in [(1.5, nil), (2.0, 16)] as [(Double, Int?)] {
            let found = try await broken(at: "night", days: days) { arrival, _ in
                arrival.told = nil
                for index in arrival.subjects.indices { arrival.subjects[index].magnitude = 5 }
            }
            #expect(found == promise)
        }
    }

    @Test func aFloodIsNoticed() async throws {
        let promise = try await broken(at: "desk", days: 1.5) { arrival, desk in
            desk.arrivals += Array(repeating: arrival, count: 20)
        }
        #expect(promise == 16)
    }

    @Test func aSecondDigestIsNoticed() async throws {
        let promise = try await broken(at: "desk", days: 1.5) { arrival, desk in
            arrival.kind = "digest"
            desk.arrivals.append(arrival)
            arrival.id = "vd_other"
        }
        #expect(promise == 16)
    }

    // MARK: - Replay

    /// Kind and title of a message, without its age.
    private static func words(_ kind: String, _ title: String) -> String {
        let parts = title.components(separatedBy: " · ")
        return "\(kind) " + parts.filter { !$0.hasSuffix(" ago") && $0 != "just now" }.joined(separator: " · ")
    }

    /// Ten days, for which earthquakes are kept; a replay knows nothing of events that are gone.
    @Test func aReplayTellsWhatWasSent() async throws {
        let replays = try await aside { () throws -> [(sent: [String], replayed: [String])] in
            let simulation = try MonthSimulation(seed: Self.seed, days: 7, hasFaults: false)
            _ = try simulation.run()
            return try ["cms", "desk"].map { try Self.compare($0, in: simulation) }
        }
        for (sent, replayed) in replays {
            #expect(sent.count > 50)
            let difference = sent.difference(from: replayed)
            #expect(difference.isEmpty, "\(difference)")
        }
    }

    /// What a target was sent about earthquakes, and what a replay would send it.
    private static func compare(
        _ target: String, in simulation: MonthSimulation
    ) throws -> (sent: [String], replayed: [String]) {
        var plan = Desk.settings([]).tellingPlan
        plan.targets.removeAll { $0.name != target }
        plan.watches.removeAll { !$0.targets.contains(target) || $0.name == "texts" }
        var replay = try WatchReplay(plan, from: InProcessDaemon.start)
        var cursor: Int64?
        repeat {
            let page = try simulation.daemon.store.replaySteps(after: cursor, limit: 1000)
            for step in page.steps { try replay.take(step) }
            cursor = page.cursor
        } while cursor != nil
        try replay.advance(to: simulation.daemon.now.wall)
        let arrivals =
            simulation.daemon.telling?.desk.arrivals.filter { arrival in
                arrival.target == target && arrival.subjects.contains { $0.magnitude != nil }
            } ?? []
        return (
            arrivals.map { words($0.kind, $0.title) }.sorted(),
            replay.messages.map { words($0.kind.rawValue, Words($0).title) }.sorted()
        )
    }
}
