import Dispatch
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(60))) struct ReaderPoolTests {
    /// The code of the error that a read throws; nil without one.
    private func code<T: Sendable>(
        _ pool: ReaderPool, _ body: @escaping @Sendable (EventStore) throws -> T
    ) async -> StoreError.Code? {
        do {
            _ = try await pool.run(body)
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    private func ids(_ pool: ReaderPool) async throws -> [String] {
        try await pool.run { try $0.events(EventQuery()).map(\.event.id) }
    }

    // MARK: - Bounds

    @Test func theSixtyFifthThatWaitsIsRefused() async throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let pool = ReaderPool(path: test.path, readers: 1)
        let gate = DispatchSemaphore(value: 0)
        let found = try await withThrowingTaskGroup(of: Int64.self, returning: [Int64].self) { group in
            group.addTask {
                try await pool.run { store in
                    gate.wait()
                    return try store.lastChange()
                }
            }
            while pool.load < 1 { await Task.yield() }
            for _ in 0..<64 { group.addTask { try await pool.run { try $0.lastChange() } } }
            while pool.load < 65 { await Task.yield() }
            #expect(await code(pool) { try $0.lastChange() } == .busy)
            gate.signal()
            return try await group.reduce(into: [Int64]()) { $0.append($1) }
        }
        #expect(found == [Int64](repeating: 1, count: 65))
        #expect(try await ids(pool) == ["us1"])
    }

    @Test func readsRunBesideEachOther() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 2)
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Each waits for the other. One client alone would not get both threads.
        async let one: Void = pool.run(for: "one") { store in
            try store.read { _ in
                second.signal()
                first.wait()
            }
        }
        async let other: Void = pool.run(for: "other") { store in
            try store.read { _ in
                first.signal()
                second.wait()
            }
        }
        _ = try await (one, other)
    }

    @Test func aCostlyQueryIsInterruptedAndTheNextIsWell() async throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let pool = ReaderPool(path: test.path, readers: 1, budget: .zero)
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        for _ in 0..<2 {
            #expect(await code(pool) { store in try store.read { try $0.firstInt64(endless) } } == .tooCostly)
            #expect(try await pool.run { try $0.lastChange() } == 1)
        }
        // What the body makes of the error is its own affair.
        let words = try await pool.run { store -> String in
            do throws(StoreError) {
                _ = try store.read { try $0.firstInt64(endless) }
                return ""
            } catch {
                return error.message
            }
        }
        #expect(words.hasPrefix("The query was given up after 0ms; ask for less"))
        #expect(try await pool.run { try $0.lastChange() } == 1)
    }

    @Test func connectionsOnlyReadAndTrustNoSchema() async throws {
        let test = try TestStore()
        try test.poll([quake("us1", title: "Chile")])
        let pool = ReaderPool(path: test.path)
        let pragmas = try await pool.run { store -> [Int64?] in
            try store.read { connection in
                [
                    try connection.firstInt64("PRAGMA query_only"),
                    try connection.firstInt64("PRAGMA trusted_schema"),
                ]
            }
        }
        #expect(pragmas == [1, 0])
        #expect(await code(pool) { try $0.setTrouble("1", of: .nominatim) } == .readOnly)
        // Words, shapes and views still work.
        let found = try await pool.run { store -> (Int, Int64?) in
            var query = EventQuery()
            query.text = "chile"
            query.box = BoundingBox(west: -71, south: -21, east: -69, north: -19)
            let views = try store.read { try $0.firstInt64("SELECT count(*) FROM events_v1") }
            return (try store.events(query).count, views)
        }
        #expect(found.0 == 1 && found.1 == 1)
    }

    @Test func afterClosingEverythingIsRefused() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 1)
        let gate = DispatchSemaphore(value: 0)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        async let running: Void = pool.run { _ in
            begin.finish()
            gate.wait()
        }
        // A read that has not begun would be refused, too.
        for await _ in begins {}
        async let waiting = code(pool) { try $0.lastChange() }
        while pool.load < 2 { await Task.yield() }
        pool.close()
        let refused = await waiting
        #expect(refused == .closed)
        #expect(await code(pool) { try $0.lastChange() } == .closed)
        gate.signal()
        pool.close()
        try await running
    }

    // MARK: - The file

    @Test func aDatabaseThatAppearsIsRead() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let pool = ReaderPool(path: path)
        #expect(await code(pool) { try $0.lastChange() } == .cannotOpen)
        try Data().write(to: URL(fileURLWithPath: path))
        let older = StoreError.Code.olderSchema(found: 0, known: Migrations.newest)
        #expect(await code(pool) { try $0.lastChange() } == older)
        let store = try EventStore(path: path)
        #expect(try await ids(pool) == [])
        try store.reconcile(TestStore.sources, at: start)
        #expect(try await pool.run { try $0.lastReconciliation() } == start)
        #expect(!pool.hasSchemaMoved)
    }

    @Test func anOlderFileIsReadOnceItIsMigrated() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        try EventStore(path: path, version: Migrations.newest - 1).close()
        let pool = ReaderPool(path: path)
        let older = StoreError.Code.olderSchema(found: Migrations.newest - 1, known: Migrations.newest)
        #expect(await code(pool) { try $0.lastChange() } == older)
        try EventStore(path: path).close()
        #expect(try await ids(pool) == [])
        #expect(!pool.hasSchemaMoved)
    }

    @Test func aFileThatANewerProgramHasMigratedIsReadNoMore() async throws {
        let test = try TestStore()
        let pool = ReaderPool(path: test.path, readers: 2)
        #expect(try await ids(pool) == [])
        #expect(!pool.hasSchemaMoved)
        try test.store.maintain { try $0.run("PRAGMA user_version = 99") }
        let newer = StoreError.Code.newerSchema(found: 99, known: Migrations.newest)
        #expect(await code(pool) { try $0.lastChange() } == newer)
        #expect(pool.hasSchemaMoved)
        // To a program that starts with it the file is only too new.
        let late = ReaderPool(path: test.path)
        for _ in 0..<2 {
            #expect(await code(late) { try $0.lastChange() } == newer)
            #expect(!late.hasSchemaMoved)
        }
    }

    @Test func anotherFileOfTheNameIsOpened() async throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let pool = ReaderPool(path: test.path)
        #expect(try await ids(pool) == ["us1"])
        try test.store.close()
        let other = try TestStore()
        try other.poll([quake("us2")])
        try other.store.close()
        for end in ["-wal", "-shm"] { unlink(test.path + end) }
        try #require(rename(other.path, test.path) == 0)
        let restored = try EventStore(path: test.path)
        #expect(try await ids(pool) == ["us2"])
        try restored.setTrouble("1", of: .nominatim)
        #expect(try await pool.run { try $0.trouble(of: .nominatim) } == "1")
        try restored.close()
        unlink(test.path)
        #expect(await code(pool) { try $0.lastChange() } == .cannotOpen)
        #expect(!pool.hasSchemaMoved)
    }

    @Test func anotherWriteAheadLogMakesOtherFiles() throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let files = DatabaseFiles(test.path)
        try test.poll([quake("us2")])
        test.store.emptyLog()
        #expect(DatabaseFiles(test.path) == files)
        #expect(files.areStill(at: test.path))
        // The old one keeps its inode, so the new one has another.
        try #require(rename(test.path + "-wal", test.path + "-old") == 0)
        let without = DatabaseFiles(test.path)
        try Data().write(to: URL(fileURLWithPath: test.path + "-wal"))
        #expect(Set([files, without, DatabaseFiles(test.path)]).count == 3)
        #expect(!files.areStill(at: test.path) && !without.areStill(at: test.path))
    }
}
