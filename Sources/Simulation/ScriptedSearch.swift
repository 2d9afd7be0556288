package import Engine
package import Foundation
import Model

/// A search of Twitter's API v2 over a fixed list of messages, with pages, `since_id` and `until_id`.
package final class ScriptedSearch {
    private let messages: [(id: Int64, time: Date)]
    /// Messages returned so far, each of which X bills; a repeated one counts again.
    package private(set) var billed = 0

    /// Creates `count` messages one second apart, the newest at `time`; the ids are snowflakes of their times.
    package init(_ count: Int, newest time: Date) {
        messages = (0..<count).map { number -> (id: Int64, time: Date) in
            let written = time.addingTimeInterval(Double(-number))
            return (id: (written.milliseconds - 1_288_834_974_657) << 22, time: written)
        }
    }

    /// The upstream ids of all messages, newest first.
    package var ids: [String] { messages.map { "\($0.id)" } }

    /// The answer to a search: 200 with a page of `max_results` messages (default 10), newest first, in
    /// `since_id`…`until_id` without the ends. It adds to `billed`.
    package func answer(_ order: FetchOrder) -> ScriptedAnswer {
        var parameters: [String: String] = [:]
        for item in URLComponents(string: order.url)?.queryItems ?? [] { parameters[item.name] = item.value }
        let since = parameters["since_id"].flatMap { Int64($0) } ?? 0
        let until = parameters["until_id"].flatMap { Int64($0) } ?? .max
        let first = parameters["next_token"].flatMap { Int($0) } ?? 0
        let size = parameters["max_results"].flatMap { Int($0) } ?? 10
        let found = messages.filter { $0.id > since && $0.id < until }
        let page = found.dropFirst(first).prefix(size)
        billed += page.count
        let data = page.map { message in
            """
            {"id":"\(message.id)","text":"lava number \(message.id)","author_id":"11",\
            "created_at":"\(message.time.rfc3339)"}
            """
        }
        let next = first + size < found.count ? ",\"next_token\":\"\(first + size)\"" : ""
        return .body(
            Data(
                """
                {"data":[\(data.joined(separator: ","))],\
                "includes":{"users":[{"id":"11","name":"The Observatory","username":"obs"}]},\
                "meta":{"result_count":\(page.count)\(next)}}
                """.utf8))
    }
}
