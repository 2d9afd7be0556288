import Foundation
import Model
import Testing

@testable import Simulation

/// Followers of the changes in a simulation, and the oracle's verdict on changes that are missing, doubled, invented or
/// late.
@Suite struct FollowingTests {
    /// The result of `deed` after the follower has slept for some hours with many changes.
    private func afterSleep<Value: Sendable>(
        _ deed: @escaping @Sendable (MonthSimulation) throws -> Value
    ) async throws -> Value {
        try await aside {
            let simulation = try MonthSimulation(seed: 4, days: 1, hasFaults: false)
            let oracle = simulation.oracle
            try simulation.pass(days: 0.05)
            oracle.follower.isAsleep = true
            try simulation.pass(days: 0.2)
            guard oracle.follower.cursor > 1, oracle.follower.cursor + 30 < Int64(oracle.lastChange) else {
                throw SimulationError("the follower has nothing to catch up with")
            }
            return try deed(simulation)
        }
    }

    /// The promise that the waking follower finds broken after `deed`; nil: none.
    private func broken(by deed: @escaping @Sendable (MonthSimulation) throws -> Void) async throws -> Int? {
        try await afterSleep { simulation -> Int? in
            do {
                try deed(simulation)
                simulation.oracle.follower.isAsleep = false
                try simulation.oracle.catchUp(at: simulation.daemon.now)
                return nil
            } catch let violation as Violation {
                return violation.promise
            }
        }
    }

    @Test func nothingIsFoundWhereNothingIsWrong() async throws {
        #expect(try await broken { _ in } == nil)
    }

    @Test func aFollowerThatHasSleptThroughACutIsToldSo() async throws {
        let counts = try await afterSleep { simulation -> [Int] in
            let oracle = simulation.oracle
            try simulation.ageChanges()
            try simulation.pass(days: 0.1)
            try simulation.look()
            var counts = [oracle.faults.counts[.cursorTooOld, default: 0]]
            oracle.follower.isAsleep = false
            try simulation.look()
            counts.append(oracle.faults.counts[.cursorTooOld, default: 0])
            try simulation.pass(days: 0.1)
            try simulation.look()
            return counts + [oracle.faults.counts[.cursorTooOld, default: 0]]
        }
        #expect(counts == [0, 1, 1])
    }

    @Test func aFollowerGoesOnAfterADeath() async throws {
        let seen = try await afterSleep { simulation -> (before: Int64, after: Int64, last: Int) in
            let before = simulation.oracle.follower.cursor
            simulation.daemon.die()
            try simulation.revive()
            simulation.oracle.follower.isAsleep = false
            try simulation.oracle.catchUp(at: simulation.daemon.now)
            return (before, simulation.oracle.follower.cursor, simulation.oracle.lastChange)
        }
        #expect(seen.before < seen.after && seen.after == Int64(seen.last))
    }

    private static let deeds = [
        // A change is missing, doubled, of another event, or of another kind.
        "DELETE FROM change WHERE seq = CURSOR + 2",
        "DELETE FROM change WHERE seq = (SELECT max(seq) FROM change)",
        """
        UPDATE change SET (public_id, kind) = (SELECT public_id, 'new' FROM change WHERE seq = 1)
        WHERE seq = CURSOR + 1
        """,
        "UPDATE change SET public_id = 'nobody' WHERE seq = CURSOR + 3",
        "UPDATE change SET kind = 'truncated' WHERE seq = CURSOR + 3",
        // The record changes without a change in the log.
        "DELETE FROM event WHERE id = (SELECT min(id) FROM event)",
        "UPDATE event SET change_seq = change_seq + 1 WHERE id = (SELECT min(id) FROM event)",
        """
        UPDATE event SET withdrawn_reason = 'deleted'
        WHERE id = (SELECT min(id) FROM event WHERE withdrawn_reason IS NULL)
        """,
        "INSERT INTO merged_event VALUES ('0123456789abcdef', (SELECT min(id) FROM event))",
        // The log is pruned without notice, or a notice is wrong.
        "DELETE FROM change WHERE seq < CURSOR + 5",
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('oldest_change', '2')",
    ]

    @Test(arguments: deeds) func whatIsToldWronglyIsNoticed(deed: String) async throws {
        let promise = try await broken { simulation in
            let cursor = simulation.oracle.follower.cursor
            try simulation.daemon.store.tamper(deed.replacingOccurrences(of: "CURSOR", with: "\(cursor)"))
        }
        #expect(promise == 15)
    }

    @Test func aCommitThatNobodyIsToldOfIsNoticed() async throws {
        let promise = try await broken { simulation in
            try simulation.daemon.store.tamper(
                "INSERT INTO change (public_id, kind, at_ms) SELECT public_id, 'merged', 1 FROM event LIMIT 1")
            try simulation.oracle.readChanges(of: nil, at: simulation.daemon.now)
        }
        #expect(promise == 15)
    }

    // MARK: - The follower itself

    private static func change(_ number: Int64, _ kind: EventChange.Kind, _ id: String) -> EventChange {
        EventChange(sequence: number, kind: kind, publicID: id, at: InProcessDaemon.start)
    }

    /// The fault of the last change; nil if all changes are possible.
    private func complaint(about changes: (EventChange.Kind, String)...) -> String? {
        var follower = Follower()
        var complaint: String?
        for (index, (kind, id)) in changes.enumerated() {
            guard complaint == nil else { return "an earlier change: \(complaint ?? "")" }
            complaint = follower.take(Self.change(Int64(index) + 1, kind, id))
        }
        return complaint
    }

    @Test func aLifeOfEventsIsTakenIn() {
        var follower = Follower()
        let changes: [(EventChange.Kind, String)] = [
            (.new, "a"), (.new, "b"), (.new, "c"), (.located, "a"), (.revised, "b"), (.withdrawn, "a"),
            (.restored, "a"), (.merged, "c"), (.merged, "b"), (.merged, "b"), (.merged, "a"), (.new, "d"),
            (.withdrawn, "d"),
        ]
        for (index, (kind, id)) in changes.enumerated() {
            #expect(follower.take(Self.change(Int64(index) + 1, kind, id)) == nil)
        }
        #expect(follower.cursor == 13)
        #expect(
            follower.record
                == Follower.Record(
                    events: [
                        "a": Follower.Known(change: 11, isWithdrawn: false),
                        "d": Follower.Known(change: 13, isWithdrawn: true),
                    ], merged: ["b": "a", "c": "a"]))
        // A split event is new, and links to an event end with it.
        #expect(follower.take(Self.change(14, .new, "c")) == nil)
        #expect(follower.record.merged == ["b": "a"])
        #expect(follower.take(Self.change(15, .truncated, "a")) == nil)
        #expect(follower.record.merged.isEmpty && follower.record.events.keys.sorted() == ["c", "d"])
    }

    @Test func whatCannotBeIsSaid() {
        #expect(complaint(about: (.new, "a"), (.new, "a")) != nil)
        for kind in EventChange.Kind.allCases where kind != .new { #expect(complaint(about: (kind, "a")) != nil) }
        #expect(complaint(about: (.new, "a"), (.restored, "a")) != nil)
        #expect(complaint(about: (.new, "a"), (.withdrawn, "a"), (.located, "a")) != nil)
        #expect(complaint(about: (.new, "a"), (.new, "b"), (.merged, "a"), (.revised, "b")) != nil)
        #expect(complaint(about: (.new, "a"), (.merged, "a"), (.merged, "a")) != nil)
        #expect(complaint(about: (.new, "a"), (.truncated, "a"), (.revised, "a")) != nil)
        var follower = Follower()
        #expect(follower.take(Self.change(2, .new, "a")) != nil)
    }
}
