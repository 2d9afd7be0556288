import Foundation
import Model
import Reading
import Store
import Synchronization
import Testing

@testable import Serving

/// Pieces are bounded by their bytes, and writing them by the request's budget.
@Suite struct BoundTests {
    /// 60 texts of 64 KiB.
    private func filled() throws -> TestAPI {
        let test = try TestAPI()
        let text = String(repeating: "long words ", count: 6_000)
        let events = (0..<60).map { number in
            Event(
                provider: "news", id: "n\(number)", time: start - Double(number) * 60, category: .news,
                title: "News \(number)", summary: text,
                location: Coordinate(latitude: 1, longitude: 2).map { Location($0) })
        }
        try test.poll(events, from: "news")
        return test
    }

    private func pieces(_ answer: APIAnswer, _ store: EventStore) throws -> [[UInt8]] {
        switch answer.body {
        case .none, .stream: return []
        case .whole(let bytes): return [bytes]
        case .pieces(let pieces):
            var all: [[UInt8]] = []
            while let piece = try pieces(store) { all.append(piece) }
            return all
        }
    }

    private static let documents = [
        ("/feed.atom", "limit=1000"), ("/events.kml", "limit=1000"),
        ("/collections/events/items", "f=json&limit=1000"), ("/collections/events/items", "f=ndjson&limit=1000"),
        ("/collections/events/items", "f=csv&limit=1000"), ("/collections/events/items", "f=json&as_of=60&limit=1000"),
    ]

    @Test(arguments: documents) func aPieceEndsByItsBytes(path: String, query: String) throws {
        let test = try filled()
        let pieces = try pieces(test.get(path, query), test.store)
        #expect(pieces.count > 3)
        // What a piece of 256 KiB may be longer by, where no character is escaped; 1 MiB of earlier states.
        let most = PieceSize.bytes + PieceSize.textBytes + (query.contains("as_of") ? 1 << 20 : 1 << 17)
        #expect(pieces.allSatisfy { $0.count <= most }, "\(pieces.map(\.count))")
        let text = pieces.reduce(into: []) { $0 += $1 }
        let whole = String(decoding: text, as: UTF8.self)
        let count = whole.components(separatedBy: "News ").count - 1
        #expect(count == 60, "all events, each once")
    }

    @Test func aPageOfColumnsEndsByItsBytesAndLeadsToTheNext() throws {
        let test = try filled()
        var (titles, pages) = ([String](), 0)
        var query = "f=columns&limit=1000&properties=title,summary&source=news"
        while true {
            let answer = test.get("/collections/events/items", query)
            guard case .whole(let bytes) = answer.body else { break }
            pages += 1
            #expect(bytes.count <= ItemWriter.columnBytes + (1 << 18))
            let page = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let columns = try #require(page["columns"] as? [String: [Any]])
            titles += try #require(columns["title"] as? [String])
            #expect(page["numberReturned"] as? Int == columns["id"]?.count)
            guard let next = test.link("next", of: page) else { break }
            #expect(answer.header("link")?.contains(next) == true)
            query = try #require(test.parts(next).query)
        }
        #expect(pages == 1)
        #expect(titles == (0..<60).map { "News \($0)" })
    }

    @Test func columnsThatAreFullEndThePage() throws {
        let test = try filled()
        var events: [Event] = []
        for number in 60..<100 {
            var event = Event(
                provider: "news", id: "n\(number)", time: start - Double(number) * 60, category: .news,
                title: "News \(number)", summary: String(repeating: "long words ", count: 6_000))
            event.place = "x"
            events.append(event)
        }
        try test.poll(events, from: "news")
        let first = try test.json("/collections/events/items", "f=columns&limit=1000&properties=title,summary")
        let count = try #require(first["numberReturned"] as? Int)
        #expect((60..<100).contains(count))
        let next = test.parts(try #require(test.link("next", of: first)))
        let second = try test.json(next.path, next.query)
        #expect(second["numberReturned"] as? Int == 100 - count)
        let columns = try #require(second["columns"] as? [String: [Any]])
        #expect(columns["title"]?.first as? String == "News \(count)")
        #expect(test.link("next", of: second) == nil)
    }

    // MARK: - CPU

    @Test(arguments: documents.filter { !$0.1.contains("f=json") } + [("/changes", "limit=1000")])
    func writersLookAtTheBudgetAtEachEvent(path: String, query: String) throws {
        let test = try filled()
        // Each look costs a millisecond.
        let looks = Mutex(0)
        let budget = ReadBudget(.milliseconds(20)) {
            looks.withLock { looks in
                looks += 1
                return .milliseconds(looks)
            }
        }
        let store = test.store.within(budget)
        budget.spending {
            let answer = test.api.answer(
                APIRequest(path: path, query: query, headers: ["host": "localhost"]), from: store, now: start)
            if path == "/changes" {
                // It ends with fewer changes, and the client goes on behind them.
                #expect(answer.status == 503 || answer.status == 200)
            } else if answer.status == 200, case .pieces(let pieces) = answer.body {
                #expect(throws: StoreError.self) { while try pieces(store) != nil {} }
            } else {
                #expect(answer.status == 503)
            }
        }
        #expect(looks.withLock { $0 } < 60, "far fewer than there are events")
    }

    @Test func aPageThatCostsTooMuchEndsEarlyAndLeadsToTheNext() throws {
        let test = try filled()
        func read(_ query: String?) throws -> [String: Any] {
            // Each look costs a millisecond.
            let looks = Mutex(0)
            let budget = ReadBudget(.milliseconds(100)) {
                looks.withLock { looks in
                    looks += 1
                    return .milliseconds(looks)
                }
            }
            let store = test.store.within(budget)
            let request = APIRequest(
                path: "/collections/events/items", query: query, headers: ["host": "api.example:8423"])
            return try budget.spending {
                let answer = test.api.answer(request, from: store, now: start)
                let text = try pieces(answer, store).reduce(into: []) { $0 += $1 }
                return try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
            }
        }
        var (titles, pages, query) = ([String](), 0, Optional("limit=1000"))
        while let asked = query {
            let page = try read(asked)
            pages += 1
            titles += test.features(page).compactMap { ($0["properties"] as? [String: Any])?["title"] as? String }
            query = test.link("next", of: page).flatMap { test.parts($0).query }
        }
        #expect(pages > 1)
        #expect(titles == (0..<60).map { "News \($0)" })
    }

    // MARK: - Streams

    @Test func aChangeIsReadOnceForAllFilters() throws {
        let event = ComparedEvent(
            StoredEvent(
                publicID: "0000000000000001",
                event: Event(
                    provider: "news", id: "1", category: .news, title: "Old sea",
                    geometry: #"{"type":"Point","coordinates":[1,2]}"#), firstSeen: start, lastChanged: start,
                changeSequence: 1))
        func matches(_ change: (inout EventQuery) -> Void) -> Bool {
            var query = EventQuery()
            change(&query)
            return EventMatcher(query).matches(event)
        }
        #expect(matches { $0.text = "sea" })
        #expect(matches { $0.text = "ol*" })
        #expect(!matches { $0.text = "zzz" })
        #expect(matches { $0.box = BoundingBox(west: 0, south: 0, east: 3, north: 3) })
        #expect(!matches { $0.box = BoundingBox(west: 5, south: 5, east: 6, north: 6) })
    }

    @Test func aClientThatIsFarBehindCatchesUp() throws {
        let record = try TestRecord()
        try record.poll((1...300).map { version("us\($0)") })
        let hub = ChangeHub()
        hub.commitNoticed(newest: 300)
        var old = try #require(record.stream("after=0&min_magnitude=9"))
        var near = try #require(record.stream("after=100"))
        #expect(!old.lags(behind: 300), "its first lines come at once")
        _ = try old.next(from: record.store, hub: hub, now: start)
        _ = try near.next(from: record.store, hub: hub, now: start)
        #expect(old.lags(behind: 300))
        #expect(!near.lags(behind: 300))
        while try old.next(from: record.store, hub: hub, now: start) != .wait {}
        #expect(!old.lags(behind: 300))
    }

    @Test func aRoundEndsEarlyWhenItCostsTooMuch() throws {
        let record = try TestRecord()
        try record.poll((1...200).map { version("us\($0)") })
        let hub = ChangeHub()
        var client = try #require(record.stream("after=0&min_magnitude=9"))
        _ = try client.next(from: record.store, hub: hub, now: start)
        var rounds = 0
        while client.cursor < 200 {
            // Each look costs a millisecond.
            let looks = Mutex(0)
            let budget = ReadBudget(.milliseconds(100)) {
                looks.withLock { looks in
                    looks += 1
                    return .milliseconds(looks)
                }
            }
            let before = client.cursor
            var reading = ChangeReading(hub, from: record.store)
            _ = try reading.withBudget(budget) { try client.next(&$0, now: start) }
            #expect(client.cursor > before, "each round goes on")
            rounds += 1
        }
        #expect(rounds > 4)
    }
}
