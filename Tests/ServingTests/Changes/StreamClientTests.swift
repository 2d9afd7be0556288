import Foundation
import Model
import Store
import Testing

@testable import Serving

/// What a client of `/stream` receives, step by step.
@Suite struct StreamClientTests {
    /// All changes until the client waits or is closed.
    private func read(
        _ client: inout StreamClient, _ record: TestRecord, _ hub: ChangeHub, at now: Date = start
    ) throws -> [String] {
        var told: [String] = []
        while true {
            let step = try client.next(from: record.store, hub: hub, now: now)
            told += step.told
            guard case .bytes = step else { return told }
        }
    }

    @Test func theFirstLinesSayWhereTheStreamBegins() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        let hub = ChangeHub()
        var client = try #require(record.stream())
        let head = try client.next(from: record.store, hub: hub, now: start)
        #expect(head.text == "retry: 3000\n: visiventd 9.9, oldest 1, newest 2\nid: 2\n\n")
        #expect(try client.next(from: record.store, hub: hub, now: start) == .wait)
        try record.poll([version("us3")])
        #expect(try client.next(from: record.store, hub: hub, now: start) == .wait, "nobody has noticed it yet")
        hub.commitNoticed(newest: 3)
        #expect(try read(&client, record, hub) == ["3 new us3"])
    }

    @Test func theHeaderCountsMoreThanTheAddress() throws {
        let record = try TestRecord()
        try record.poll((1...5).map { version("us\($0)") })
        let hub = ChangeHub()
        var first = try #require(record.stream("after=0"))
        #expect(try read(&first, record, hub).count == 5)
        var again = try #require(record.stream("after=0", lastEventID: "3"))
        #expect(try read(&again, record, hub) == ["4 new us4", "5 new us5"])
        var empty = try #require(record.stream("after=4", lastEventID: ""))
        #expect(try read(&empty, record, hub) == ["5 new us5"])
    }

    @Test(arguments: ["-1", "+1", "1.0", " 1", "x", "99999999999999999999"]) func idsAreNumbers(id: String) throws {
        let record = try TestRecord()
        #expect(record.answer("/stream", headers: ["last-event-id": id]).status == 400)
        #expect(record.answer("/stream", "after=\(id)").status == 400)
    }

    @Test func aFilterHearsWhatComesAndWhatLeaves() throws {
        let record = try TestRecord()
        let hub = ChangeHub()
        var client = try #require(record.stream("after=0&min_magnitude=5"))
        try record.poll([version("us1", magnitude: 4), version("us2", magnitude: 6)])
        try record.poll([version("us1", updated: 2, magnitude: 5), version("us2", updated: 2, magnitude: 4)])
        try record.poll([version("us2", updated: 3, magnitude: 3)])
        try record.withdraw("us1", minute: 4)
        try record.withdraw("us2", minute: 4)
        #expect(try read(&client, record, hub) == ["2 new us2", "3 revised us1", "4 left", "6 withdrawn"])
        try record.poll([version("us1", updated: 5, magnitude: 7)])
        hub.commitNoticed(newest: 8)
        #expect(try read(&client, record, hub) == ["8 restored us1"])
    }

    @Test func anEventIsToldAsItWasAtItsChange() throws {
        let record = try TestRecord()
        try record.poll([version("us1", magnitude: 4)])
        try record.poll([version("us1", updated: 2, magnitude: 6)])
        let hub = ChangeHub()
        var client = try #require(record.stream("after=0"))
        _ = try client.next(from: record.store, hub: hub, now: start)
        let text = try #require(client.next(from: record.store, hub: hub, now: start).text)
        #expect(text.contains("\"seq\":1,\"kind\":\"new\"") && text.contains("M 4.0 - us1"))
        #expect(text.contains("\"seq\":2,\"kind\":\"revised\"") && text.contains("M 6.0 - us1"))
        #expect(text.hasPrefix("id: 1\nevent: change\ndata: {") && text.hasSuffix("}\n\n"))
    }

    @Test func endsGoToEveryClient() throws {
        let record = try TestRecord()
        try record.poll([version("us1"), version("us2")])
        try record.poll([version("us1", updated: 2, aliases: ["us2"])])
        let hub = ChangeHub()
        var client = try #require(record.stream("after=2&category=news"))
        #expect(try read(&client, record, hub).first == "3 merged")
        try record.truncate()
        let last = try record.store.lastChange()
        hub.commitNoticed(newest: last)
        #expect(try read(&client, record, hub) == ["\(last) truncated"])
        // The event of earlier changes is gone, and the id of the merged one leads to it no more.
        var late = try #require(record.stream("after=0"))
        #expect(try read(&late, record, hub) == ["3 merged", "\(last) truncated"])
        #expect(record.body("/changes", "after=2&limit=1").contains("\"into\":\""))
    }

    @Test func heartbeatsComeWhenNothingElseDoes() throws {
        let record = try TestRecord()
        let hub = ChangeHub()
        var client = try #require(record.stream("category=news"))
        _ = try client.next(from: record.store, hub: hub, now: start)
        #expect(try client.next(from: record.store, hub: hub, now: start + 14) == .wait)
        #expect(try client.next(from: record.store, hub: hub, now: start + 15).text == ": beat\n\n")
        // A client resumes behind what does not concern it.
        try record.poll([version("us1")])
        hub.commitNoticed(newest: 1)
        #expect(try client.next(from: record.store, hub: hub, now: start + 16) == .wait)
        #expect(try client.next(from: record.store, hub: hub, now: start + 30).text == "id: 1\n\n: beat\n\n")
    }

    // MARK: - Gaps

    @Test func aCursorOutsideTheLogEndsTheStream() throws {
        let record = try TestRecord()
        try record.poll((1...9).map { version("us\($0)") })
        try record.cut(upTo: 4)
        for cursor in ["3", "10"] {
            var client = try #require(record.stream(lastEventID: cursor))
            let step = try client.next(from: record.store, hub: ChangeHub(), now: start)
            guard case .close = step else {
                Issue.record("\(step)")
                continue
            }
            #expect(
                step.text?.hasSuffix("\n\nid: 9\nevent: gap\ndata: {\"oldest\":5,\"newest\":9}\n\n") == true)
            #expect(try client.next(from: record.store, hub: ChangeHub(), now: start) == .close([]))
        }
        var client = try #require(record.stream(lastEventID: "4"))
        #expect(try read(&client, record, ChangeHub()).count == 5)
    }

    @Test func aClientThatIsOvertakenByTruncationIsToldSo() throws {
        let record = try TestRecord()
        let hub = ChangeHub()
        var client = try #require(record.stream())
        #expect(try read(&client, record, hub).isEmpty)
        try record.poll((1...9).map { version("us\($0)") })
        try record.cut(upTo: 4)
        #expect(try read(&client, record, hub).isEmpty)
        hub.commitNoticed(newest: 9)
        #expect(try read(&client, record, hub) == ["gap"])
    }

    @Test func aSlowClientReadsOn() throws {
        let record = try TestRecord()
        let hub = ChangeHub()
        var client = try #require(record.stream())
        _ = try client.next(from: record.store, hub: hub, now: start)
        try record.poll([version("us1")])
        hub.commitNoticed(newest: 1)
        #expect(try client.next(from: record.store, hub: hub, now: start + 3600).told == ["1 new us1"])
    }

    // MARK: - Bounds

    @Test func aStepIsShortUnlessOneChangeIsLong() throws {
        let record = try TestRecord()
        var long = version("long")
        long.summary = String(repeating: "x", count: 40_000)
        try record.poll((1...60).map { version("us\($0)") } + [long, version("last")])
        let hub = ChangeHub()
        var client = try #require(record.stream("after=0"))
        var (told, sizes): ([String], [Int]) = ([], [])
        while case .bytes(let bytes) = try client.next(from: record.store, hub: hub, now: start) {
            sizes.append(bytes.count)
            told += StreamStep.bytes(bytes).told
        }
        #expect(told.count == 62 && told.last == "62 new last")
        #expect(sizes.count > 4 && sizes.filter { $0 > StreamClient.stepBytes }.count == 1)
    }

    @Test func aStepLooksThroughFewPages() throws {
        let record = try TestRecord()
        try record.poll((0..<1100).map { version("us\($0)") })
        let hub = ChangeHub()
        var client = try #require(record.stream("after=0&category=news"))
        _ = try client.next(from: record.store, hub: hub, now: start)
        #expect(try client.next(from: record.store, hub: hub, now: start).text == "id: 1024\n\n")
        #expect(try client.next(from: record.store, hub: hub, now: start) == .wait)
        #expect(client.cursor == 1100)
    }
}
