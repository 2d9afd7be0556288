import Foundation
import Model
import Store
import Testing

@testable import Serving

/// Pages that clients share.
@Suite struct ChangeHubTests {
    private func words(_ page: SharedPage, _ query: EventQuery = EventQuery()) -> [String] {
        page.changes.flatMap { StreamStep.bytes($0.message(to: query) ?? []).told }
    }

    @Test func clientsAtOnePlaceShareOnePage() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)") })
        let hub = ChangeHub()
        let first = try hub.page(after: 0, from: record.store)
        let other = try hub.page(after: 2, from: record.store)
        #expect(first.last == 5 && first.newest == 5)
        #expect(other.changes.count == 3)
        #expect(zip(first.changes.dropFirst(2), other.changes).allSatisfy { $0 === $1 })
        // The run grows with the log.
        try record.poll([version("us6")])
        let next = try hub.page(after: 5, from: record.store)
        #expect(words(next) == ["6 new us6"])
        let late = try hub.page(after: 0, from: record.store)
        #expect(late.changes.count == 6 && late.changes.first === first.changes.first)
        #expect(try hub.page(after: 6, from: record.store).changes.isEmpty)
    }

    @Test func aCommitThatAClientHasReadIsStillNoticed() throws {
        let record = try TestRecord()
        try record.poll([version("us1")])
        let hub = ChangeHub()
        #expect(hub.commitNoticed(newest: 1))
        #expect(!hub.commitNoticed(newest: 1))
        try record.poll([version("us2")])
        _ = try hub.page(after: 1, from: record.store)
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
            let page = try hub.page(after: cursor, from: record.store)
            guard let last = page.last else { break }
            count += page.changes.count
            cursor = last
            #expect(hub.cost <= ChangeHub.totalBytes + 16 * 100_000)
        }
        #expect(count == 400)
        for cursor in stride(from: Int64(390), to: 0, by: -30) { _ = try hub.page(after: cursor, from: record.store) }
        #expect(hub.cost <= ChangeHub.totalBytes + 16 * 100_000)
    }

    @Test func whatIsTruncatedIsToldNoMore() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        #expect(words(try hub.page(after: 0, from: record.store)) == ["1 new us1", "2 new us2"])
        try record.truncate()
        #expect(words(try hub.page(after: 0, from: record.store)).filter { $0.contains("new") }.isEmpty)
    }

    @Test func whatIsErasedIsToldNoMore() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        _ = try hub.page(after: 0, from: record.store)
        try record.withdraw("us1", minute: 5, erases: true)
        let page = try hub.page(after: 0, from: record.store)
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
        #expect(words(try hub.page(after: 0, from: record.store)) == ["2 new us2", "3 withdrawn"])
        try record.poll([version("us2", updated: 6, aliases: ["us1"])])
        let cached = words(try hub.page(after: 0, from: record.store))
        let fresh = words(try ChangeHub().page(after: 0, from: record.store))
        #expect(cached == fresh)
    }

    @Test func anotherLogIsReadAnew() throws {
        let (record, other) = (try TestRecord(), try TestRecord())
        try record.poll([version("us1"), version("us2")])
        try other.poll([version("ci1")])
        let hub = ChangeHub()
        _ = try hub.page(after: 0, from: record.store)
        #expect(try hub.page(after: 2, from: other.store).isTooOld)
        #expect(words(try hub.page(after: 0, from: other.store)) == ["1 new ci1"])
        // Also where its log goes on as far.
        try other.poll([version("ci2"), version("ci3")])
        #expect(words(try hub.page(after: 0, from: record.store)) == ["1 new us1", "2 new us2"])
        #expect(words(try hub.page(after: 0, from: other.store)) == ["1 new ci1", "2 new ci2", "3 new ci3"])
    }
}
