import Dispatch
import Foundation
import GRDBSQLite
import Model
import Store
import Synchronization
import Testing

@testable import Serving

/// Answers from one snapshot, whatever is committed between two reads.
@Suite struct SnapshotTests {
    /// Runs a body once, on another thread, when so many read transactions after its own have ended.
    private final class Interruption: Sendable {
        /// Negative before its own read.
        private let reads = Mutex(-1)
        private let most: Int
        private let body: @Sendable () throws -> Void

        init(after reads: Int, _ body: @escaping @Sendable () throws -> Void) {
            most = reads
            self.body = body
        }

        func begin(in store: EventStore) throws {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = try store.read { connection in
                sqlite3_trace_v2(
                    connection.handle, UInt32(SQLITE_TRACE_PROFILE),
                    { _, context, statement, _ in
                        guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)),
                            String(cString: sql) == "COMMIT"
                        else { return 0 }
                        Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().noteRead()
                        return 0
                    }, context)
            }
        }

        func end(in store: EventStore) throws {
            try store.read { connection in _ = sqlite3_trace_v2(connection.handle, 0, nil, nil) }
        }

        private func noteRead() {
            let isDue = reads.withLock { reads in
                reads += 1
                return reads == most
            }
            guard isDue else { return }
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [body] in
                do { try body() } catch { Issue.record(error) }
                done.signal()
            }
            done.wait()
        }
    }

    /// The result of `read`; `body` runs after its first read transaction, or a later one.
    private func reading<T>(
        _ record: TestRecord, afterReads count: Int = 1, interruptedBy body: @escaping @Sendable () throws -> Void,
        _ read: () throws -> T
    ) throws -> T {
        let interruption = Interruption(after: count, body)
        try interruption.begin(in: record.store)
        let result = try read()
        try interruption.end(in: record.store)
        return result
    }

    @Test func anEventIsFoundWhileItIsMerged() throws {
        let record = try TestRecord()
        try record.poll([version("us1")])
        try record.poll([version("ci1")])
        let younger = try #require(try record.store.events(EventQuery()).first { $0.event.id == "ci1" }).publicID
        let merge: @Sendable () throws -> Void = { try record.poll([version("us1", updated: 2, aliases: ["ci1"])]) }
        let event = try reading(record, interruptedBy: merge) { try record.store.event(publicID: younger) }
        #expect(event?.event.id == "ci1")
        let merged = try record.store.event(publicID: younger)
        #expect(merged?.event.id == "us1" && merged?.publicID != younger)
    }

    @Test func withoutACursorThePageIsThereWhileChangesArePruned() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)") })
        let prune: @Sendable () throws -> Void = { try record.cut(upTo: 3) }
        let answer = try reading(record, interruptedBy: prune) { record.answer("/changes") }
        #expect(answer.status == 200)
        #expect(record.answer("/changes", "after=0").status == 410, "they are pruned now")
    }

    @Test func theStatesBeforeAndAfterAChangeAreOfOneMoment() throws {
        let record = try TestRecord()
        try record.poll([version("us1", magnitude: 4)])
        try record.poll([version("us1", updated: 2, magnitude: 6)])
        let feed = ChangeFeed(of: record.store)
        let changes = try feed.next(after: 1).changes
        let whole = try feed.steps(changes[...])
        #expect(whole.map { $0.before?.event.magnitude } == [4])
        let erase: @Sendable () throws -> Void = { try record.withdraw("us1", minute: 5, erases: true) }
        let steps = try reading(record, interruptedBy: erase) { try feed.steps(changes[...]) }
        #expect(steps == whole)
        #expect(try feed.steps(changes[...]).allSatisfy { $0.after == nil }, "it is erased now")
    }

    // MARK: - Shared pages

    @Test func aLookIsNoNewerThanACommitNoticedMeanwhile() throws {
        let record = try TestRecord()
        try record.poll([version("us1")])
        let hub = ChangeHub()
        let commit: @Sendable () throws -> Void = {
            try record.poll([version("us2")])
            hub.commitNoticed(newest: 2)
        }
        let look = try reading(record, interruptedBy: commit) { try hub.look(at: record.store) }
        #expect(look.newest == 1)
        #expect(!hub.isAtEnd(1), "a client there would rest")
        #expect(hub.isAtEnd(2))
    }

    @Test func aPageThatWasReadBeforeAnErasureIsNotKept() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        let look = try hub.look(at: record.store)
        let erase: @Sendable () throws -> Void = {
            try record.withdraw("us1", minute: 5, erases: true)
            _ = try hub.look(at: record.store)
        }
        // The page is read in two transactions, that of the log and that of the events.
        let page = try reading(record, afterReads: 2, interruptedBy: erase) {
            try hub.page(after: 0, in: look, from: record.store)
        }
        #expect(words(page) == ["1 new us1", "2 new us2"])
        let later = try hub.page(after: 0, in: hub.look(at: record.store), from: record.store)
        #expect(words(later) == ["2 new us2", "3 withdrawn"])
    }

    private func words(_ page: SharedPage) -> [String] {
        page.changes.flatMap { StreamStep.bytes($0.message(to: EventMatcher(EventQuery())) ?? []).told }
    }
}
