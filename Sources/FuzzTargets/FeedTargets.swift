import Feeds
import Foundation
import Model

extension FuzzTarget {
    /// One target for each kind of feed and format of answer.
    static let feeds: [FuzzTarget] = [
        feed("usgs", kind: "usgs", seeds: ["usgs/*", "demo/*.geojson"]),
        feed(
            "cap", kind: "cap", roles: ["feed", "document"],
            seeds: ["cap/*.xml", "gvp/*.cap.xml", "demo/volcanoes.cap.xml"]),
        feed("kml", kind: "kml", seeds: ["kml/*.kml", "gvp/*.kml", "volcanoes/*.kml", "demo/*.kml"]),
        feed("kmz", kind: "kml", isPacked: true, seeds: ["kml/*.kmz", "volcanoes/*.kmz"]),
        feed(
            "rss", kind: "rss", isPacked: true,
            seeds: ["rss/*.xml", "rss/*.gz", "gvp/*.rss.xml", "demo/*.atom", "demo/news/*.xml"]),
        feed(
            "sitemap", kind: "sitemap", roles: ["feed", "document"], isPacked: true,
            seeds: ["sitemap/*.xml", "sitemap/*.gz"]),
        feed("twitter-v1", kind: "twitter", api: "v1.1", roles: ["search"], seeds: ["twitter/v1*", "twitter/errors*"]),
        feed(
            "twitter-v2", kind: "twitter", api: "v2", roles: ["search", "token"],
            seeds: ["twitter/v2*", "twitter/errors*", "demo/tweets.json"]),
        feed(
            "twitter-lines", kind: "twitter", url: "file:///messages.ndjson", seeds: ["twitter/*"],
            also: checkPieces),
    ]

    /// 2026-09-21T12:53:20Z, the arrival of all documents.
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// A target that decodes its bytes as the answer to a request in each role.
    private static func feed(
        _ name: String, kind: String, url: String = "https://feeds.example.org/index", api: String? = nil,
        roles: [String] = ["feed"], isPacked: Bool = false, seeds: [String],
        also: @escaping @Sendable (Data, FeedAnswer) throws -> Void = { _, _ in }
    ) -> FuzzTarget {
        FuzzTarget(name, seeds: seeds) { data in
            guard let type = FeedRegistry.all.first(where: { $0.kind.name == kind }) else {
                throw BrokenInvariant("there is no kind \(kind)")
            }
            var settings = SourceSettings(name: name, kind: kind, url: url)
            for option in type.kind.options { settings.options[option.key] = option.defaultValue }
            if let api {
                settings.options["api"] = .text(api)
                settings.options["query"] = .text("volcano")
            }
            let feed = try type.init(settings)
            let poll = PollContext(now: now, secrets: api == nil ? [:] : ["bearer": Secret("bearer")])
            let planned = feed.requests(for: poll).first ?? FeedRequest(url: url)
            let check = AnswerCheck(bodyBytes: data.count, isPacked: isPacked)
            for role in roles {
                var request = planned
                request.role = role
                let response = FeedResponse(request: request, body: data)
                let first = outcome(of: feed, response, poll)
                let second = outcome(of: feed, response, poll)
                switch (first, second) {
                case (.success(let answer), .success(let again)):
                    try check.check(answer)
                    try AnswerCheck.compare(answer, again)
                    try also(data, answer)
                case (.failure(let failure), .failure(let again)):
                    try FailureCheck.check(failure, isSecret: role == "token")
                    try hold(failure == again, "the same bytes give another failure")
                default: throw BrokenInvariant("the same bytes give an answer and a failure")
                }
            }
        }
    }

    /// Throws unless JSON lines in small pieces give the same events as the whole.
    @Sendable private static func checkPieces(_ data: Data, _ whole: FeedAnswer) throws(BrokenInvariant) {
        guard var stream = TwitterStream(beginning: data.prefix(TwitterStream.sampleSize)) else { return }
        var events: [Event] = []
        for start in stride(from: 0, to: data.count, by: 61) {
            events += stream.feed(Data(data[start..<min(start + 61, data.count)])).events
        }
        do throws(Failure) {
            events += try stream.finish().events
        } catch {
            throw BrokenInvariant("pieces fail where the whole does not: \(error.message)")
        }
        try hold(events == whole.events, "pieces give \(events.count) events, the whole \(whole.events.count)")
    }

    private static func outcome(
        of feed: any Feed, _ response: FeedResponse, _ poll: PollContext
    ) -> Result<FeedAnswer, Failure> {
        do throws(Failure) {
            return .success(try feed.decode(response, for: poll))
        } catch {
            return .failure(error)
        }
    }
}

/// Invariants of every failure.
enum FailureCheck {
    /// Throws unless the message is bounded and not empty; a body with secrets must leave no excerpt.
    static func check(_ failure: Failure, isSecret: Bool = false) throws(BrokenInvariant) {
        try TextCheck.check(failure.code, "a failure's code", atMost: 60)
        try hold((1...8_192).contains(failure.message.utf8.count), "a message of \(failure.message.utf8.count) bytes")
        try hold((failure.excerpt?.count ?? 0) <= 64 << 10, "a failure keeps \(failure.excerpt?.count ?? 0) bytes")
        try hold(!isSecret || failure.excerpt == nil, "a failure keeps what may be a token")
        // Malformed XML is mended instead.
        try hold(!failure.message.contains("libxml2"), "mended XML is refused: \(quoted(failure.message))")
    }
}
