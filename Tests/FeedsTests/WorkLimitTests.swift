import Foundation
import Model
import Reading
import Synchronization
import Testing

@testable import Feeds

/// A document that takes too long is refused, whatever it is made of. The clock counts how often it is looked at.
@Suite struct WorkLimitTests {
    /// Takes one second a look.
    private final class Clock: Sendable {
        private let looks = Mutex(0)
        @Sendable func time() -> Duration {
            looks.withLock { looks in
                looks += 1
                return .seconds(looks)
            }
        }
        var count: Int { looks.withLock { $0 } }
    }

    static let documents: [(kind: String, text: String)] = [
        (
            "rss",
            "<rss><channel>" + String(repeating: "<item><title>t</title></item>", count: 1000) + "</channel></rss>"
        ),
        ("rss", "<rss><channel>" + String(repeating: "<a/>", count: 50_000) + "</channel></rss>"),
        (
            "rss",
            "<rss><channel><item><title>t</title>" + String(repeating: "<a>x</a>", count: 50_000)
                + "</item></channel></rss>"
        ),
        (
            "rss",
            "<rss><channel>" + String(repeating: "<item><title>&</title></item>", count: 1000) + "</channel></rss>"
        ),
        ("sitemap", "<urlset>" + String(repeating: "<url><loc>http://x/</loc></url>", count: 1000) + "</urlset>"),
        (
            "kml",
            "<kml><Folder>" + String(repeating: "<Placemark><name>t</name></Placemark>", count: 1000)
                + "</Folder></kml>"
        ),
        (
            "cap",
            "<alerts>"
                + String(
                    repeating: "<alert><identifier>c</identifier><sender>a</sender><status>Actual</status></alert>",
                    count: 1000) + "</alerts>"
        ),
        ("usgs", #"{"features":["# + String(repeating: #"{"id":"us1","properties":{}},"#, count: 1000) + "{}]}"),
        ("usgs", #"{"features":["# + String(repeating: #"{"id":"us1","properties":{}},"#, count: 1000) + "1]}"),
        ("twitter", String(repeating: "{}\n", count: 1000)),
        ("twitter", #"{"data":["# + String(repeating: #"{"id":"1","text":"t"},"#, count: 1000) + "{}]}"),
        ("twitter", #"{"statuses":["# + String(repeating: #"{"id":1,"text":"t"},"#, count: 1000) + "{}]}"),
    ]

    private func decode(_ document: (kind: String, text: String), within limit: WorkLimit) throws -> FeedAnswer {
        let url = document.kind == "twitter" ? "file:///messages.json" : "https://e.org/feed"
        let feed = try #require(
            try FeedRegistry.feed(for: SourceSettings(name: "n", kind: document.kind, url: url)))
        let response = FeedResponse(request: FeedRequest(url: url), body: Data(document.text.utf8))
        return try feed.decode(response, for: PollContext(now: Date(timeIntervalSince1970: 0)), within: limit)
    }

    @Test(arguments: documents.indices) func aSlowDocumentIsRefused(_ index: Int) throws {
        let clock = Clock()
        let failure = #expect(throws: Failure.self) {
            try decode(Self.documents[index], within: WorkLimit(.seconds(10), usage: clock.time))
        }
        #expect(failure?.hasCode(.tooSlow) == true && failure?.fault == .feed && failure?.isTransient == false)
        #expect(failure?.message.contains("10s") == true && failure?.excerpt?.isEmpty == false)
        #expect(clock.count < 40, "it goes on for \(clock.count) looks")
    }

    @Test(arguments: documents.indices) func aQuickDocumentIsNot(_ index: Int) throws {
        let limit = WorkLimit(.seconds(10), usage: { .zero })
        let failure = Result { try decode(Self.documents[index], within: limit) }.failure as? Failure
        #expect(failure?.hasCode(.tooSlow) != true && !limit.isExceeded)
    }

    @Test func withoutALimitThereIsNone() { #expect(!WorkLimit.isExceeded) }
}

extension Result {
    fileprivate var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
