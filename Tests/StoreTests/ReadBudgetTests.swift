import Dispatch
import Foundation
import Model
import Synchronization
import Testing

@testable import Store

/// The CPU time of a request, its cancellation, and the shares of clients.
@Suite(.timeLimit(.minutes(60))) struct ReadBudgetTests {
    /// A CPU clock that moves as the test says.
    private final class CPUTime: Sendable {
        private let now = Mutex(Duration.zero)
        var clock: @Sendable () -> Duration { { [self] in now.withLock { $0 } } }
        func spend(_ time: Duration) { now.withLock { $0 += time } }
    }

    /// The code of the error that a read throws; nil without one.
    private func code<T: Sendable>(
        _ pool: ReaderPool, for client: String, _ budget: ReadBudget,
        _ body: @escaping @Sendable (EventStore) throws -> T
    ) async -> StoreError.Code? {
        do {
            _ = try await pool.run(for: client, within: budget, body)
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    private static let endless =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    @Test func oneBudgetHoldsForAllTransactionsAndWhatIsBetweenThem() async throws {
        let test = try TestStore()
        let time = CPUTime()
        let pool = ReaderPool(path: test.path, readers: 1, cpuTime: time.clock)
        let budget = pool.budget()
        for _ in 0..<2 {
            // No transaction takes more than a second, and none of the time is SQLite's.
            try await pool.run(within: budget) { store in
                _ = try store.lastChange()
                time.spend(.seconds(1))
                try store.checkBudget()
            }
            // Time between two turns is another request's.
            time.spend(.seconds(60))
        }
        let error = await #expect(throws: StoreError.self) {
            try await pool.run(within: budget) { store in
                time.spend(.milliseconds(1))
                try store.checkBudget()
            }
        }
        #expect(error?.code == .tooCostly)
        #expect(try await pool.run { try $0.lastChange() } == 0, "another request has its own")
    }

    @Test func aStatementEndsWhenTheBudgetIsSpentOutsideOfIt() async throws {
        let test = try TestStore()
        let time = CPUTime()
        let pool = ReaderPool(path: test.path, readers: 1, cpuTime: time.clock)
        let error = await #expect(throws: StoreError.self) {
            try await pool.run { store in
                time.spend(.seconds(3))
                _ = try store.read { try $0.firstInt64(Self.endless) }
            }
        }
        #expect(error?.code == .tooCostly)
    }

    @Test func halfOfTheBudgetMayBeSpentInVain() throws {
        let time = CPUTime()
        let budget = ReadBudget(.seconds(2), clock: time.clock)
        budget.spending {
            let half = budget.half()
            time.spend(.milliseconds(1001))
            #expect(half.isOver && !budget.isOver && budget.isHalfSpent)
            #expect(throws: Never.self) { try budget.check() }
            time.spend(.seconds(1))
            #expect(budget.isOver)
        }
    }

    @Test func aRequestThatWaitsLeavesWhenItsClientDoes() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 1)
        let gate = DispatchSemaphore(value: 0)
        async let first: Void = pool.run(for: "a") { _ in gate.wait() }
        while pool.load < 1 { await Task.yield() }
        let budget = pool.budget()
        async let waiting = code(pool, for: "b", budget) { try $0.lastChange() }
        while pool.load < 2 { await Task.yield() }
        budget.cancel()
        let refused = await waiting
        #expect(refused == .interrupted)
        #expect(pool.load == 1, "its place is free")
        gate.signal()
        try await first
    }

    @Test func aRequestThatRunsEndsWhenItsClientLeaves() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 1, cpuTime: { .zero })
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let budget = pool.budget()
        async let running = code(pool, for: "a", budget) { store in
            begin.finish()
            return try store.read { try $0.firstInt64(Self.endless) }
        }
        for await _ in begins {}
        budget.cancel()
        let refused = await running
        #expect(refused == .interrupted)
        // Otherwise the one thread would never read again.
        #expect(try await pool.run(for: "b") { try $0.lastChange() } == 0)
    }

    @Test func oneClientNeverTakesTheLastThread() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 2)
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await pool.run(for: "a") { _ in gate.wait() } } }
            while pool.load < 8 { await Task.yield() }
            // One of them runs, and seven wait.
            for _ in 0..<3 { #expect(try await pool.run(for: "b") { try $0.lastChange() } == 0) }
            for _ in 0..<8 { gate.signal() }
            try await group.waitForAll()
        }
    }

    @Test func aFullQueueHasRoomForAnotherClient() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 1, waiting: 4)
        let gate = DispatchSemaphore(value: 0)
        let outcomes = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { group in
            for number in 0..<5 {
                group.addTask {
                    do {
                        try await pool.run(for: "a") { _ in gate.wait() }
                        return "a done"
                    } catch {
                        return "a \((error as? StoreError)?.code == .busy ? "busy" : "\(error)")"
                    }
                }
                while pool.load < number + 1 { await Task.yield() }
            }
            group.addTask { "b \(try await pool.run(for: "b") { try $0.lastChange() })" }
            let refused = try await group.next()
            for _ in 0..<4 { gate.signal() }
            return try await group.reduce(into: [refused ?? ""]) { $0.append($1) }
        }
        #expect(outcomes.first == "a busy")
        #expect(outcomes.sorted() == ["a busy", "a done", "a done", "a done", "a done", "b 0"])
        #expect(outcomes.firstIndex(of: "b 0") ?? 9 <= 3, "one of the others goes before it")
    }
}
