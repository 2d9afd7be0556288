import Foundation
import Model
import Testing

@testable import Store

/// Followers receive every change once, in commit order.
@Suite(.timeLimit(.minutes(60))) struct ChangeFeedTests {
    private let hour = 3600.0

    /// A step wakes the waiter, which finds changes of these kinds.
    private func expect(
        _ kinds: [EventChange.Kind], in test: TestStore, at place: SourceLocation = #_sourceLocation,
        by step: () throws -> Void
    ) async throws {
        let feed = ChangeFeed(of: test.store)
        let cursor = try test.store.lastChange()
        async let waiting = feed.wait(after: cursor)
        try step()
        let newest = try await waiting
        let page = try feed.next(after: cursor)
        let last = try test.store.lastChange()
        #expect(page.changes.map(\.kind) == kinds, sourceLocation: place)
        #expect(page.changes.map(\.sequence) == Array((cursor + 1)...last), sourceLocation: place)
        #expect(!page.isTooOld && page.cursor == last, sourceLocation: place)
        // With several transactions the first one may have woken it.
        #expect(newest > cursor && newest <= last, sourceLocation: place)
    }

    // MARK: - Numbers

    @Test func changesAreKeptInOrderAndNumbersGoBackWithTheirTransaction() throws {
        let test = try TestStore()
        let code = storeErrorCode {
            try test.store.transaction { writer in
                _ = writer.nextChange()
                throw StoreError(.closed, "rolled back")
            }
        }
        #expect(code == .closed)
        try test.store.transaction { writer in
            let (first, second) = (writer.nextChange(), writer.nextChange())
            #expect((first, second) == (1, 2))
            try writer.appendChange(.new, of: "a", at: 7, as: first)
            try writer.appendChange(.withdrawn, of: "a", at: 7, as: second)
            #expect(try writer.appendChange(.new, of: "b", at: 8) == 3)
            #expect(
                writer.appended == [
                    EventChange(sequence: 1, kind: .new, publicID: "a", at: Date(milliseconds: 7)),
                    EventChange(sequence: 2, kind: .withdrawn, publicID: "a", at: Date(milliseconds: 7)),
                    EventChange(sequence: 3, kind: .new, publicID: "b", at: Date(milliseconds: 8)),
                ])
        }
        #expect(test.store.signal.newest == 3)
        #expect(test.store.signal.newest(of: [.withdrawn]) == 2)
    }

    // MARK: - What is told

    @Test func eachKindOfChangeIsTold() async throws {
        let test = try TestStore()
        try await expect([.new, .new], in: test) {
            var unlocated = quake("us2", hours: -3)
            unlocated.location = nil
            try test.poll([quake("us1", updated: 1), unlocated])
        }
        try await expect([.revised], in: test) { try test.poll([quake("us1", updated: 2, magnitude: 6)]) }
        try await expect([.located], in: test) {
            let waiting = try test.store.unlocated(limit: 1, generation: "g")
            let place = try #require(Coordinate(latitude: 1, longitude: 2))
            let outcomes = waiting.map {
                (event: $0, outcome: LocalOutcome.located(Location(place, method: .gazetteer)))
            }
            _ = try test.store.apply(outcomes, generation: "g", at: start)
        }
        let withdrawal = Withdrawal(
            provider: "usgs", id: "us1", reason: .deleted, time: start + 180, evidence: "deleted")
        try await expect([.withdrawn], in: test) { try test.poll([], withdrawals: [withdrawal]) }
        try await expect([.restored], in: test) { try test.poll([quake("us1", updated: 4, magnitude: 6)]) }
        try await expect([.new], in: test) { try test.poll([quake("ci1", hours: -4)], from: "more") }
        try await expect([.merged, .merged], in: test) {
            try test.poll([quake("us1", aliases: ["ci1"], updated: 5, magnitude: 6)])
        }
        try await expect([.truncated, .truncated], in: test) {
            _ = try test.store.truncate(asOf: start + 100 * hour)
        }
        try await expect([.new], in: test) { try test.poll([quake("us9", hours: 99)], at: start + 100 * hour) }
        try await expect([.truncated], in: test) {
            _ = try test.store.reset(source: "quakes", includingEvents: true, at: start + 100 * hour)
        }
    }

    @Test func pagesFollowOneAnother() throws {
        let test = try TestStore()
        try test.poll((0..<7).map { quake("us\($0)") }, at: start + 0.5)
        let feed = ChangeFeed(of: test.store)
        let first = try feed.next(after: 0, limit: 5)
        #expect(first.changes.map(\.sequence) == [1, 2, 3, 4, 5] && first.cursor == 5)
        #expect(first.changes.allSatisfy { $0.kind == .new && $0.at == start + 0.5 })
        let second = try feed.next(after: first.cursor, limit: 5)
        #expect(second.changes.map(\.sequence) == [6, 7] && second.cursor == 7)
        let last = try feed.next(after: 7, limit: 5)
        #expect(last == ChangePage(changes: [], cursor: 7, oldest: 1, newest: 7, isTooOld: false))
        #expect(try feed.next(after: 0, limit: 0).changes.map(\.sequence) == [1])
        let ids = try test.rows("SELECT public_id FROM changes_v1 ORDER BY seq").compactMap(\.first)
        #expect((first.changes + second.changes).map(\.publicID) == ids)
    }

    @Test func aCursorThatIsTooOldOrAheadStartsAgainFromTheNewest() throws {
        let test = try TestStore()
        let feed = ChangeFeed(of: test.store)
        let empty = ChangePage(changes: [], cursor: 0, oldest: 1, newest: 0, isTooOld: false)
        #expect(try feed.next(after: 0) == empty)
        #expect(try feed.next(after: nil) == empty)
        #expect(try feed.next(after: 1).isTooOld, "it is ahead")
        try test.poll([quake("us1"), quake("us2")])
        #expect(try test.store.truncate(asOf: start + 31 * 24 * hour).changes == 2)
        let kept = try test.store.lastChange()
        #expect(kept == 4)
        for cursor in [-1, 0, 1, 5] as [Int64] {
            let page = try feed.next(after: cursor)
            #expect(page == ChangePage(changes: [], cursor: 4, oldest: 3, newest: 4, isTooOld: true))
        }
        #expect(try feed.next(after: 2).changes.map(\.kind) == [.truncated, .truncated])
        #expect(try feed.next(after: nil) == feed.next(after: 2))
        // The changes have the time of that run, so they go after another month, and nothing is left.
        #expect(try test.store.truncate(asOf: start + 62 * 24 * hour).changes == 2)
        var rest = ChangePage(changes: [], cursor: 4, oldest: 5, newest: 4, isTooOld: false)
        #expect(try feed.next(after: 4) == rest)
        #expect(try feed.next(after: nil) == rest)
        rest.isTooOld = true
        #expect(try feed.next(after: 3) == rest)
    }

    // MARK: - What is not

    @Test func whatIsRolledBackIsNotTold() async throws {
        let test = try TestStore()
        let step = PollStep(source: "quakes", at: start, answer: FeedAnswer(events: [quake("us1")]), fingerprint: "f1")
        let bad = PollStep(source: "nobody", at: start, fingerprint: "f1")
        let feed = ChangeFeed(of: test.store)
        let waiter = Task { try await feed.wait(after: 0) }
        while test.store.signal.waiters == 0 { await Task.yield() }
        #expect(storeErrorCode { _ = try test.store.write([.step(step), .step(bad)]) } == .unknownSource)
        #expect(test.store.signal.waiters == 1)
        // Invisible writes do not wake it either.
        try test.store.setTrouble("x", of: .nominatim)
        #expect(test.store.signal.waiters == 1)
        try test.step(step)
        #expect(try await waiter.value == 1)
        #expect(test.store.signal.waiters == 0)
    }

    @Test func onlyTheKindsThatAreAskedForWake() async throws {
        let test = try TestStore()
        try test.poll([quake("us1", updated: 1), quake("us2", hours: -3)])
        let feed = ChangeFeed(of: test.store)
        let kinds: Set<EventChange.Kind> = [.new, .restored]
        let waiter = Task { try await feed.wait(after: 2, for: kinds) }
        while test.store.signal.waiters == 0 { await Task.yield() }
        try test.poll([quake("us1", updated: 2, magnitude: 6)])
        let withdrawal = Withdrawal(
            provider: "usgs", id: "us1", reason: .deleted, time: start + 180, evidence: "deleted")
        try test.poll([], withdrawals: [withdrawal])
        #expect(test.store.signal.waiters == 1)
        try test.poll([quake("us1", updated: 4, magnitude: 6)])
        #expect(try await waiter.value == 5)
        // The kinds of changes from before the store was opened are unknown.
        let again = try EventStore(path: test.path)
        #expect(try await ChangeFeed(of: again).wait(after: 4, for: [.located]) == 5)
        // Another process learns the kinds from the log, as far back as it goes.
        let reader = try EventStore(path: test.path, mode: .readOnly)
        let beside = ChangeFeed(of: reader) { throw CancellationError() }
        #expect(try await beside.wait(after: 0, for: [.revised]) == 3)
        #expect(try await beside.wait(after: 0, for: [.revised, .withdrawn]) == 4)
        await #expect(throws: CancellationError.self) { try await beside.wait(after: 0, for: [.located]) }
        await #expect(throws: CancellationError.self) { try await beside.wait(after: 3, for: [.revised]) }
    }

    // MARK: - Waiting

    @Test func noWakeUpIsLost() async throws {
        let test = try TestStore()
        let count = 300
        let feed = ChangeFeed(of: test.store)
        let writing = Task.detached {
            for number in 0..<count { try test.poll([quake("us\(number)")]) }
        }
        let followers = (0..<2).map { _ in
            Task.detached { () async throws -> [Int64] in
                var seen: [Int64] = []
                while seen.count < count {
                    let page = try feed.next(after: seen.last ?? 0, limit: 7)
                    seen += page.changes.map(\.sequence)
                    if page.changes.isEmpty { try await feed.wait(after: page.cursor) }
                }
                return seen
            }
        }
        for follower in followers { #expect(try await follower.value == Array(1...Int64(count))) }
        try await writing.value
        #expect(test.store.signal.waiters == 0)
    }

    @Test func eachWaiterHasItsOwnCursor() async throws {
        let test = try TestStore()
        let feed = ChangeFeed(of: test.store)
        let near = Task { try await feed.wait(after: 0) }
        let far = Task { try await feed.wait(after: 2) }
        while test.store.signal.waiters < 2 { await Task.yield() }
        try test.poll([quake("us1"), quake("us2")])
        #expect(try await near.value == 2)
        #expect(test.store.signal.waiters == 1)
        try test.poll([quake("us3")])
        #expect(try await far.value == 3)
        #expect(try await feed.wait(after: 2) == 3, "what is there already is not waited for")
    }

    @Test func aWaiterThatIsCancelledIsGone() async throws {
        let test = try TestStore()
        let feed = ChangeFeed(of: test.store)
        let early = Task {
            // The task is cancelled before it waits.
            while !Task.isCancelled { await Task.yield() }
            return try await feed.wait(after: 0)
        }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        let late = Task { try await feed.wait(after: 0) }
        let other = Task { try await feed.wait(after: 0) }
        while test.store.signal.waiters < 2 { await Task.yield() }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(test.store.signal.waiters == 1)
        try test.poll([quake("us1")])
        #expect(try await other.value == 1)
    }

    // MARK: - Beside the process that writes

    @Test func theCommitOfAnotherConnectionIsSeenAtTheNextLook() async throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let (pauses, pause) = AsyncStream.makeStream(of: CheckedContinuation<Void, any Error>.self)
        let beside = try EventStore(path: test.path, mode: .readOnly)
        let feed = ChangeFeed(of: beside) { try await withCheckedThrowingContinuation { _ = pause.yield($0) } }
        #expect(try await feed.wait(after: 0) == 1, "what is there already is not waited for")
        let waiter = Task { try await feed.wait(after: 1) }
        var looks = pauses.makeAsyncIterator()
        // First nothing is committed, then an invisible write, then an event.
        await looks.next()?.resume()
        let second = await looks.next()
        try test.store.setTrouble("x", of: .nominatim)
        second?.resume()
        let third = await looks.next()
        try test.poll([quake("us2"), quake("us3", hours: -3)])
        third?.resume()
        #expect(try await waiter.value == 3)
        #expect(try feed.next(after: 1).changes.map(\.sequence) == [2, 3])
        let ending = Task { try await feed.wait(after: 3) }
        let fourth = await looks.next()
        ending.cancel()
        fourth?.resume()
        await #expect(throws: CancellationError.self) { try await ending.value }
    }

    @Test func whatThePauseThrowsEndsTheWait() async throws {
        struct Enough: Error {}
        let test = try TestStore()
        let beside = try EventStore(path: test.path, mode: .readOnly)
        let feed = ChangeFeed(of: beside) { throw Enough() }
        await #expect(throws: Enough.self) { try await feed.wait(after: 0) }
    }
}
