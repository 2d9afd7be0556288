import Dispatch
import Foundation
import Model
import Store
import Synchronization
import Testing

@testable import Serving

/// Pages that clients share.
@Suite struct ChangeHubTests {
    private func words(_ page: SharedPage, _ query: EventQuery = EventQuery()) -> [String] {
        page.changes.flatMap { StreamStep.bytes($0.message(to: EventMatcher(query)) ?? []).told }
    }

    private func read(_ hub: ChangeHub, after cursor: Int64, _ record: TestRecord) throws -> SharedPage {
        var reading = ChangeReading(hub, from: record.store)
        return try reading.page(after: cursor)
    }

    @Test func clientsAtOnePlaceShareOnePage() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)") })
        let hub = ChangeHub()
        let first = try read(hub, after: 0, record)
        let other = try read(hub, after: 2, record)
        #expect(first.last == 5 && first.newest == 5)
        #expect(other.changes.count == 3)
        #expect(zip(first.changes.dropFirst(2), other.changes).allSatisfy { $0 === $1 })
        // The run grows with the log.
        try record.poll([version("us6")])
        let next = try read(hub, after: 5, record)
        #expect(words(next) == ["6 new us6"])
        let late = try read(hub, after: 0, record)
        #expect(late.changes.count == 6 && late.changes.first === first.changes.first)
        #expect(try read(hub, after: 6, record).changes.isEmpty)
    }

    @Test func aCommitThatAClientHasReadIsStillNoticed() throws {
        let record = try TestRecord()
        try record.poll([version("us1")])
        let hub = ChangeHub()
        #expect(hub.commitNoticed(newest: 1))
        #expect(!hub.commitNoticed(newest: 1))
        try record.poll([version("us2")])
        _ = try read(hub, after: 1, record)
        #expect(hub.commitNoticed(newest: 2), "those that rest at 1 do not know")
        #expect(!hub.commitNoticed(newest: 2))
        // A copy was restored.
        #expect(hub.commitNoticed(newest: 1))
    }

    @Test func memoryIsBounded() throws {
        let record = try TestRecord()
        let text = String(repeating: "x", count: 30_000)
        try record.poll(
            (0..<400).map {
                var event = version("us\($0)")
                event.summary = text
                return event
            })
        let hub = ChangeHub()
        var (cursor, count): (Int64, Int) = (0, 0)
        while true {
            let page = try read(hub, after: cursor, record)
            guard let last = page.last else { break }
            count += page.changes.count
            cursor = last
            #expect(hub.cost <= ChangeHub.totalBytes + 16 * 100_000)
        }
        #expect(count == 400)
        for cursor in stride(from: Int64(390), to: 0, by: -30) { _ = try read(hub, after: cursor, record) }
        #expect(hub.cost <= ChangeHub.totalBytes + 16 * 100_000)
    }

    @Test func whatIsTruncatedIsToldNoMore() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        #expect(words(try read(hub, after: 0, record)) == ["1 new us1", "2 new us2"])
        try record.truncate()
        #expect(words(try read(hub, after: 0, record)).filter { $0.contains("new") }.isEmpty)
    }

    @Test func whatIsErasedIsToldNoMore() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        _ = try read(hub, after: 0, record)
        try record.withdraw("us1", minute: 5, erases: true)
        let page = try read(hub, after: 0, record)
        #expect(words(page) == ["2 new us2", "3 withdrawn"])
        // Nobody can tell who has the event, so all learn that it is gone.
        var news = EventQuery()
        news.categories = [.news]
        #expect(words(page, news) == ["3 withdrawn"])
    }

    @Test func whatIsMergedIntoAnErasedEventIsToldNoMore() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        try record.withdraw("us1", minute: 5, erases: true)
        let hub = ChangeHub()
        #expect(words(try read(hub, after: 0, record)) == ["2 new us2", "3 withdrawn"])
        try record.poll([version("us2", updated: 6, aliases: ["us1"])])
        let cached = words(try read(hub, after: 0, record))
        let fresh = words(try read(ChangeHub(), after: 0, record))
        #expect(cached == fresh)
    }

    @Test func aSlowPageKeepsNobodyWaiting() throws {
        let record = try TestRecord()
        try record.poll((1...3).map { version("us\($0)") })
        let hub = ChangeHub()
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (others, page) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let looks = Mutex(0)
        // The second look at the clock comes amid the page, before its events are read.
        let budget = ReadBudget(.seconds(1)) {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look == 2 {
                begun.signal()
                gate.wait()
            }
            return .zero
        }
        let last = Mutex<Int64?>(nil)
        Thread.detachNewThread {
            var reading = ChangeReading(hub, from: record.store)
            let read = try? reading.withBudget(budget) { try $0.page(after: 0) }
            last.withLock { $0 = read?.last }
            page.signal()
        }
        begun.wait()
        Thread.detachNewThread {
            hub.commitNoticed(newest: 3)
            var reading = ChangeReading(hub, from: record.store)
            if let read = try? reading.page(after: 1), read.last == 3, hub.isAtEnd(3) { others.signal() }
        }
        // The time passes only if they do wait.
        #expect(others.wait(timeout: .now() + 10) == .success)
        gate.signal()
        page.wait()
        #expect(last.withLock { $0 } == 3)
        #expect(try read(hub, after: 0, record).last == 3)
    }

    @Test func anotherLogIsReadAnew() throws {
        let (record, other) = (try TestRecord(), try TestRecord())
        try record.poll([version("us1"), version("us2")])
        try other.poll([version("ci1")])
        let hub = ChangeHub()
        _ = try read(hub, after: 0, record)
        #expect(try read(hub, after: 2, other).isTooOld)
        #expect(words(try read(hub, after: 0, other)) == ["1 new ci1"])
        // Also where its log goes on as far.
        try other.poll([version("ci2"), version("ci3")])
        #expect(words(try read(hub, after: 0, record)) == ["1 new us1", "2 new us2"])
        #expect(words(try read(hub, after: 0, other)) == ["1 new ci1", "2 new ci2", "3 new ci3"])
    }
}
