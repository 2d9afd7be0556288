import Foundation
import Model
import Testing

@testable import Feeds

/// Polls a small server that behaves like Twitter's search, while messages keep arriving.
@Suite struct TwitterPagingTests {
    private static let now = Date(timeIntervalSince1970: 1_772_366_400)

    /// Messages by ascending id; the answers have the format of either API, newest first.
    private struct Server {
        var ids: [Int64] = []
        private var next: Int64 = (TwitterPagingTests.now.milliseconds - 3_600_000 - 1_288_834_974_657) << 22

        mutating func write(_ count: Int) {
            for _ in 0..<count {
                next += 4_194_304 * 7
                ids.append(next)
            }
        }

        func answer(_ request: FeedRequest, api: String) -> Data {
            let items = URLComponents(string: request.url)?.queryItems ?? []
            let asked = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
            func bound(_ name: String) -> Int64? { asked[name].flatMap { Int64($0) } }
            let size = Int(bound(api == "v2" ? "max_results" : "count") ?? 0)
            var upper = bound("until_id") ?? .max
            if let last = bound("max_id") { upper = min(upper, last + 1) }
            if let token = asked["next_token"]?.dropFirst(), let last = Int64(token) { upper = min(upper, last) }
            let lower = bound("since_id") ?? 0
            let matching = ids.filter { $0 > lower && $0 < upper }
            let page = Array(matching.suffix(size).reversed())
            let hasMore = matching.count > page.count
            let messages = page.map { "{\"id\":\"\($0)\",\"text\":\"message\"}" }.joined(separator: ",")
            guard api == "v2" else {
                let more = hasMore ? "\"next_results\":\"?max_id=1\"" : ""
                return Data("{\"statuses\":[\(messages)],\"search_metadata\":{\(more)}}".utf8)
            }
            let data = page.isEmpty ? "" : "\"data\":[\(messages)],"
            let token = hasMore ? ",\"next_token\":\"t\(page.last ?? 0)\"" : ""
            return Data("{\(data)\"meta\":{\"result_count\":\(page.count)\(token)}}".utf8)
        }
    }

    @Test(arguments: ["v2", "v1.1"])
    func noMessageIsLostOrReadTwice(api: String) throws {
        let most = 45
        let feed = try TwitterFeed(
            SourceSettings(
                name: "t", kind: "twitter", url: "http://127.0.0.1/search",
                options: [
                    "query": .text("x"), "api": .text(api), "most_messages": .integer(most),
                    "page_size": .integer(20),
                ]))
        var server = Server()
        var state = FeedState()
        var read: [Int64] = []
        server.write(100)
        for round in 0..<40 {
            // Bursts of more messages than a poll may read are followed by quiet time to catch up.
            if round > 0 && round < 20 { server.write([0, 3, 70, 15, 120, 1][round % 6]) }
            var context = PollContext(now: Self.now, state: state, secrets: ["bearer": Secret("b")])
            var pending = feed.requests(for: context)
            var (spent, used) = (0, 0)
            while let request = pending.first {
                // A message that arrives between two pages belongs to a later poll or run of pages.
                if round < 20 { server.write(1) }
                let body = server.answer(request, api: api)
                let answer = try feed.decode(FeedResponse(request: request, body: body), for: context)
                read += answer.events.compactMap { Int64($0.id) }
                spent += request.cost
                used += answer.cost
                #expect(answer.cost <= request.cost)
                if let moved = answer.state { context.state = moved }
                pending = answer.followUps
            }
            state = context.state
            #expect(used <= most)
            #expect(spent >= used)
        }
        let floor = try #require(read.min())
        #expect(read.count == Set(read).count)
        #expect(Set(read) == Set(server.ids.filter { $0 >= floor }))
        // The first poll reads the newest messages only.
        #expect(server.ids.filter { $0 < floor }.count >= 100 - most)
        #expect(state["until_id"] == nil)
        #expect(state["since_id"] == server.ids.last.map { String($0) })
    }
}
