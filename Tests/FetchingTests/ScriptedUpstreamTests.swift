import Foundation
import ScriptedUpstream
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct ScriptedUpstreamTests {
    @Test func aMatchingETagIsAnswered304() async throws {
        let upstream = ScriptedUpstream()
        upstream.play("/feed", [.body("news", type: "text/plain", etag: .exactly("W/\"1\""))])
        let port = try await upstream.start()
        let first = await exchange(port, "GET /feed?a=1 HTTP/1.1")
        let same = await exchange(port, "GET /feed HTTP/1.1\r\nIf-None-Match: W/\"1\"")
        let other = await exchange(port, "GET /feed HTTP/1.1\r\nIf-None-Match: \"2\"")
        await upstream.stop()
        #expect(first.hasPrefix("HTTP/1.1 200") && first.hasSuffix("\r\n\r\nnews"))
        #expect(first.contains("ETag: W/\"1\"\r\n") && first.contains("Date: "))
        #expect(same.hasPrefix("HTTP/1.1 304") && same.hasSuffix("\r\n\r\n"))
        #expect(other.hasPrefix("HTTP/1.1 200"))
        let requests = upstream.requests(to: "/feed")
        #expect(requests.map(\.query) == ["a=1", "", ""])
        #expect(requests.last?.headers["if-none-match"] == "\"2\"")
    }

    @Test func lastModifiedCountsOnlyWithoutETag() async throws {
        let stamp = "Wed, 21 Oct 2015 07:28:00 GMT"
        let upstream = ScriptedUpstream()
        upstream.play("/feed", [.body("news", lastModified: stamp)])
        let port = try await upstream.start()
        let same = await exchange(port, "GET /feed HTTP/1.1\r\nIf-Modified-Since: \(stamp)")
        let both = await exchange(port, "GET /feed HTTP/1.1\r\nIf-None-Match: \"x\"\r\nIf-Modified-Since: \(stamp)")
        await upstream.stop()
        #expect(same.hasPrefix("HTTP/1.1 304"))
        #expect(both.hasPrefix("HTTP/1.1 200"))
    }

    @Test func repliesComeInTurnAndTheLastRepeats() async throws {
        let upstream = ScriptedUpstream()
        upstream.play("/a", [.status(429, headers: ["Retry-After": "7"]), .redirect(to: "/b", status: 308)])
        upstream.play("/a?page=2", [.gzip(Data("two".utf8))])
        let port = try await upstream.start()
        var replies: [String] = []
        for target in ["/a", "/a", "/a", "/a?page=2", "/b"] {
            replies.append(await exchange(port, "GET \(target) HTTP/1.1"))
        }
        await upstream.stop()
        #expect(replies.map { $0.dropFirst(9).prefix(3) } == ["429", "308", "308", "200", "404"])
        #expect(replies[0].contains("Retry-After: 7\r\n"))
        #expect(replies[1].contains("Location: /b\r\n"))
        #expect(replies[3].contains("Content-Encoding: gzip\r\n"))
    }

    @Test func bodiesCanBeCutShort() async throws {
        let upstream = ScriptedUpstream()
        upstream.play("/length", [.truncated(Data("half".utf8))])
        upstream.play("/chunks", [.truncated(Data("half".utf8)).chunked()])
        upstream.play("/slow", [.slow(Data("drop by drop".utf8), pieceBytes: 4, pause: .milliseconds(1)).chunked()])
        let port = try await upstream.start()
        let length = await exchange(port, "GET /length HTTP/1.1")
        let chunks = await exchange(port, "GET /chunks HTTP/1.1")
        let slow = await exchange(port, "GET /slow HTTP/1.1")
        await upstream.stop()
        #expect(length.contains("Content-Length: 1004\r\n") && length.hasSuffix("\r\n\r\nhalf"))
        #expect(chunks.hasSuffix("\r\n\r\n04\r\nhalf\r\n"))
        #expect(slow.hasSuffix("04\r\ndrop\r\n04\r\n by \r\n04\r\ndrop\r\n0\r\n\r\n"))
    }

    @Test func anUpstreamComesBackOnItsPortAndRefusesATakenOne() async throws {
        let upstream = ScriptedUpstream()
        upstream.play("/", [.body("here")])
        let port = try await upstream.start()
        await #expect(throws: (any Error).self) { try await ScriptedUpstream().start(port: port) }
        await upstream.stop()
        #expect(await exchange(port, "GET / HTTP/1.1") == "")
        #expect(try await upstream.start(port: port) == port)
        #expect(await exchange(port, "GET / HTTP/1.1").hasSuffix("here"))
        await upstream.stop()
    }

    @Test func aRecordedDirectoryGrows() throws {
        let directory = TemporaryDirectory()
        let first = "{\"time\":1395415243000}"
        let second = "{\"time\":1395415263000,\"x\":1}"
        try Data(first.utf8).write(to: directory.url.appendingPathComponent("quakes.geojson"))
        try Data(second.utf8).write(to: directory.url.appendingPathComponent("quakes@30s.geojson"))
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let recorded = try RecordedDirectory(directory.path, start: start, isShifted: true)
        let request = RecordedRequest(path: "/quakes.geojson")
        #expect(recorded.paths == ["/quakes.geojson"])
        #expect(recorded.reply(to: request, at: start).content == Data("{\"time\":1800000000000}".utf8))
        #expect(
            recorded.reply(to: request, at: start + 30).content == Data("{\"time\":1800000020000,\"x\":1}".utf8))
        #expect(recorded.reply(to: RecordedRequest(path: "/../secret"), at: start).statusCode == 404)
    }

    @Test func theDemonstrationsFeedsAreServedAndWhole() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let recorded = try RecordedDirectory(Fixtures.url("demo").path, start: start, isShifted: true)
        #expect(
            recorded.paths == [
                "/georss.atom", "/news/science.xml", "/news/world.xml", "/quakes.geojson", "/significant.geojson",
                "/tweets.json", "/volcanoes.cap.xml", "/volcanoes.kml",
            ])
        var quakes: [[String]] = []
        for seconds in [0.0, 45, 90] {
            let body = recorded.reply(to: RecordedRequest(path: "/quakes.geojson"), at: start + seconds).content
            let feed = try JSONDecoder().decode(QuakeFeed.self, from: body)
            #expect(feed.metadata.count == feed.features.count)
            #expect(feed.metadata.generated > 1_799_999_999_000 + seconds * 1000)
            quakes.append(feed.features.map(\.id))
        }
        #expect(Set(quakes).count == 3)
        let body = recorded.reply(to: RecordedRequest(path: "/significant.geojson"), at: start).content
        let significant = try JSONDecoder().decode(QuakeFeed.self, from: body)
        #expect(Set(significant.features.map(\.id)).intersection(quakes[0]).count == 3)
    }

    private struct QuakeFeed: Decodable {
        struct Metadata: Decodable {
            var generated: Double
            var count: Int
        }
        struct Feature: Decodable { var id: String }
        var metadata: Metadata
        var features: [Feature]
    }
}

/// Sends one request on a new connection and returns the whole answer, or "" if nobody listens.
private func exchange(_ port: UInt16, _ head: String) async -> String {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: blockingExchange(port, head)) }
    }
}

private func blockingExchange(_ port: UInt16, _ head: String) -> String {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { return "" }
    let request = [UInt8]("\(head)\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
    guard send(file, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return "" }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(file, &buffer, buffer.count, 0)
        guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
        answer.append(contentsOf: buffer[..<count])
    }
}
