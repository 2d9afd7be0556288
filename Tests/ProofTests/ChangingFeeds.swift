import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Synchronization

/// The feeds of the kill rounds: a large USGS feed, four topics of news and a search of messages, on 127.0.0.1. They
/// change with every edition, and each edition has distinct numbers.
final class ChangingFeeds: Sendable {
    /// A request as received.
    struct Arrival: Sendable {
        var life: String
        var source: String
        var path: String
        var etag: String?
        var isUnchanged: Bool
        var at: Date
    }

    /// Number of earthquakes in a store, and the sum of their magnitudes in tenths.
    struct Sums: Hashable, Sendable {
        var count: Int
        var tenths: Int
    }

    static let quakesPath = "/summary/all_month.geojson"
    static let searchPath = "/2/tweets/search/recent"
    static let topics = ["a", "b", "c", "d"]
    private static let features = 20_000

    private struct State: Sendable {
        /// Number of the edition, from 0; -1 before the first.
        var edition = -1
        var features: [Data] = []
        var tenths: [Int] = []
        var quakes = Data()
        var sums: [Sums] = []
        var messages: [Int64] = []
    }

    let server = ScriptedUpstream()
    let arrivals = Facts<Arrival>()
    private let start = Date()
    private let state = Mutex(State())

    init() {
        advance()
        server.answerOthers { [self] request in answer(request) }
    }

    /// Creates the next edition: a fiftieth of the earthquakes revised and 20 new, one more item in each topic, 30 new
    /// messages.
    func advance() {
        state.withLock { state in
            state.edition += 1
            let edition = state.edition
            let first = start.milliseconds - 3_600_000
            for number in 0..<(Self.features + 20 * edition) {
                let isNew = number >= state.features.count
                guard isNew || number % 50 == edition % 50 else { continue }
                let tenths = 10 + (number + edition) % 70
                let feature = Documents.feature(
                    "us\(number)", time: first - Int64(number) * 1000, updated: first + Int64(edition) * 1000,
                    magnitude: Double(tenths) / 10)
                if isNew {
                    state.features.append(feature)
                    state.tenths.append(tenths)
                } else {
                    state.features[number] = feature
                    state.tenths[number] = tenths
                }
            }
            // By its `generated` an edition is newer than the last one, however quickly the rounds follow.
            let generated = first + 1_800_000 + Int64(edition) * 1000
            state.quakes = Documents.usgs(state.features, generated: generated)
            state.sums.append(Sums(count: state.features.count, tenths: state.tenths.reduce(0, +)))
            for _ in 0..<(edition == 0 ? 150 : 30) {
                // An id contains its time (milliseconds since Twitter's epoch, above bit 22).
                let time = first - 3_600_000 + Int64(state.messages.count) * 1000
                state.messages.append((time - 1_288_834_974_657) << 22)
            }
        }
    }

    /// The number of the current edition.
    var edition: Int { state.withLock { $0.edition } }

    /// The contents of a store that has the whole edition.
    func sums(of edition: Int) -> Sums { state.withLock { $0.sums[edition] } }

    /// The number of items of a topic in an edition.
    func itemCount(of edition: Int) -> Int { 20 + edition }

    /// The upstream ids of all messages so far, sorted as texts.
    var messageIDs: [String] { state.withLock { $0.messages.map { "\($0)" }.sorted() } }

    /// The ETag of a document in an edition.
    static func etag(of path: String, edition: Int) -> String { "\"\(path)#\(edition)\"" }

    /// The edition of an ETag.
    static func edition(of etag: String) -> Int? { Int(etag.filter { $0 != "\"" }.split(separator: "#").last ?? "") }

    // MARK: Answers

    private func answer(_ request: RecordedRequest) -> Reply {
        let edition = edition
        let path = request.path
        let tag = Self.etag(of: path, edition: edition)
        let asked = request.headers["if-none-match"]
        var source = "news"
        var reply = Reply.status(404)
        if path == Self.quakesPath {
            source = "quakes"
            reply = .body(state.withLock { $0.quakes }, type: "application/json", etag: .exactly(tag))
        } else if path == Self.searchPath {
            source = "messages"
            reply = .body(search(request.query), type: "application/json", etag: .absent)
        } else if let topic = Self.topics.first(where: { path == "/news/\($0).xml" }) {
            let items = (0..<itemCount(of: edition)).map { number -> (guid: String, title: String) in
                let isRevised = number == edition % 20
                return ("\(topic)\(number)", "Item \(topic) \(number)" + (isRevised ? ", edition \(edition)" : ""))
            }
            reply = .body(Documents.rss(items, at: start - 7200), type: "text/xml", etag: .exactly(tag))
        }
        arrivals.append(
            Arrival(
                life: request.headers["x-life"] ?? "", source: source, path: path, etag: asked,
                isUnchanged: asked == tag, at: Date()))
        return reply
    }

    /// A page of API v2: newest first, bounded by `since_id` and `until_id`.
    private func search(_ query: String) -> Data {
        var parameters: [String: String] = [:]
        for item in URLComponents(string: "http://h/?\(query)")?.queryItems ?? [] { parameters[item.name] = item.value }
        func number(_ name: String) -> Int64? { parameters[name].flatMap { Int64($0) } }
        let since = number("since_id") ?? 0
        let until = number("until_id") ?? .max
        let skipped = Int(number("next_token") ?? 0)
        let size = Int(number("max_results") ?? 10)
        let found = state.withLock { $0.messages }.reversed().filter { $0 > since && $0 < until }
        let page = found.dropFirst(skipped).prefix(size)
        let data = page.map { id in
            let time = Date(milliseconds: (id >> 22) + 1_288_834_974_657)
            return """
                {"id":"\(id)","text":"lava number \(id)","author_id":"11","created_at":"\(time.rfc3339)"}
                """
        }
        let next = skipped + size < found.count ? ",\"next_token\":\"\(skipped + size)\"" : ""
        return Data(
            """
            {"data":[\(data.joined(separator: ","))],\
            "includes":{"users":[{"id":"11","name":"The Observatory","username":"obs"}]},\
            "meta":{"result_count":\(page.count)\(next)}}
            """.utf8)
    }
}
