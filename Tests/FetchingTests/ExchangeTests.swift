import Fetching
import Foundation
import Model
import Testing

/// Sent requests, connections, cancellation and shutdown.
@Suite(.timeLimit(.minutes(60)))
struct ExchangeTests {
    /// A server that accepts a request and never answers.
    private static func silentServer() throws -> RawServer {
        try RawServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
    }

    @Test func requestsCarryWhatTheyWereGiven() async throws {
        let server = try RawServer(replies: [reply(), reply()])
        defer { server.stop() }
        let fetcher = try makeFetcher { $0.userAgent = "visiventd/1 (+mailto:me@example.org)" }
        let request = FetchRequest(
            url: server.url("/feed?q=a%20b#part"),
            headers: ["Accept": "application/xml", "authorization": "other", "X-Empty": "", "Accept-Encoding": "gzip"],
            authorization: Secret("Bearer t0ken"))
        _ = try await fetcher.fetch(request)
        let get = try #require(server.requests.first)
        #expect(get.text.hasPrefix("GET /feed?q=a%20b HTTP/1.1\r\n"))
        #expect(get.header("Accept") == "application/xml")
        #expect(get.header("Accept-Encoding") == "gzip")
        #expect(get.header("Authorization") == "Bearer t0ken")
        #expect(!get.text.contains("other"))
        #expect(get.text.contains("X-Empty:"))
        #expect(get.header("User-Agent") == "visiventd/1 (+mailto:me@example.org)")

        _ = try await fetcher.fetch(FetchRequest(url: server.url("/token"), form: "grant_type=client_credentials"))
        let post = try #require(server.requests.last)
        #expect(post.text.hasPrefix("POST /token HTTP/1.1\r\n"))
        #expect(post.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(post.text.hasSuffix("\r\n\r\ngrant_type=client_credentials"))
        #expect(post.header("Authorization") == nil)
    }

    @Test func connectionsAreUsedAgain() async throws {
        let server = try RawServer(replies: [
            reply(200, body: [1]), reply(404, body: [2]), reply(302, ["Location: /"], body: [3]), reply(200, body: [4]),
        ])
        defer { server.stop() }
        let fetcher = try makeFetcher()
        #expect(try await fetcher.body(server.url("/"))?.data == Data([1]))
        #expect(await fetcher.failure(server.url("/"))?.code == "http_404")
        _ = try await fetcher.fetch(FetchRequest(url: server.url("/")))
        #expect(try await fetcher.body(server.url("/"))?.data == Data([4]))
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [false, true])
    func aRequestIsNotRepeatedAtOnceWhenAKeptConnectionEnds(isReset: Bool) async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(reply(200, body: [1]))
            guard connection.readRequest() != nil else { return }
            if isReset { connection.resetOnClose() }
        }
        defer { server.stop() }
        let fetcher = try makeFetcher()
        #expect(try await fetcher.body(server.url("/"))?.data == Data([1]))
        let failure = await fetcher.failure(server.url("/?key=s3cret"))
        #expect(failure?.code == "connection_lost")
        #expect(failure?.fault == .network)
        #expect(failure?.message == "127.0.0.1:\(server.port) ended the connection in place of an answer")
        #expect(try await fetcher.body(server.url("/"))?.data == Data([1]))
        let lines = server.requests.map { String($0.text.prefix { !$0.isNewline }) }
        #expect(lines == ["GET / HTTP/1.1", "GET /?key=s3cret HTTP/1.1", "GET / HTTP/1.1"])
    }

    @Test func fetchesRunSideBySide() async throws {
        let silent = try RawServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { silent.stop() }
        let server = try RawServer(reply: reply(200, body: [1]))
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let slow = Task { await fetcher.failure(silent.url("/")) }
        guard case .request = await silent.next() else {
            Issue.record("the first request did not come")
            return
        }
        #expect(try await fetcher.body(server.url("/"))?.data == Data([1]))
        slow.cancel()
        #expect(await slow.value?.code == "cancelled")
    }

    @Test func cancellingReturnsAndClosesTheConnection() async throws {
        let server = try Self.silentServer()
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let task = Task { await fetcher.failure(server.url("/")) }
        guard case .request = await server.next() else {
            Issue.record("the request did not come")
            return
        }
        task.cancel()
        let failure = await task.value
        #expect(failure?.code == "cancelled")
        #expect(failure?.fault == .ours)
        guard case .closed = await server.next() else {
            Issue.record("the connection is still open")
            return
        }
    }

    @Test func aCancelledTaskFetchesNothing() async throws {
        let server = try RawServer(reply: reply())
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await fetcher.failure(server.url("/"))
        }
        task.cancel()
        #expect(await task.value?.code == "cancelled")
        _ = try await fetcher.fetch(FetchRequest(url: server.url("/")))
        #expect(server.requests.count == 1)
    }

    @Test func shuttingDownFailsWhatIsInFlightAndWhatComesLater() async throws {
        let server = try Self.silentServer()
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let task = Task { await fetcher.failure(server.url("/")) }
        guard case .request = await server.next() else {
            Issue.record("the request did not come")
            return
        }
        fetcher.shutdown()
        fetcher.shutdown()
        let failure = await task.value
        #expect(failure?.code == "shut_down")
        #expect(failure?.fault == .ours)
        #expect(await fetcher.failure(server.url("/"))?.code == "shut_down")
    }

    @Test func aProxyIsUsedWhereOneIsSet() async throws {
        let proxy = try RawServer(replies: [
            reply(200, body: [7]), reply(407, ["Proxy-Authenticate: Basic"]),
        ])
        defer { proxy.stop() }
        let fetcher = try makeFetcher()
        let address = "http://user:s3cret@127.0.0.1:\(proxy.port)"
        let body = try await fetcher.body(FetchRequest(url: "http://feeds.example/x", proxy: address))
        #expect(body?.data == Data([7]))
        #expect(proxy.requests.first?.text.hasPrefix("GET http://feeds.example/x HTTP/1.1\r\n") == true)
        let failure = await fetcher.failure(FetchRequest(url: "https://feeds.example/x", proxy: address))
        #expect(proxy.requests.last?.text.hasPrefix("CONNECT feeds.example:443 ") == true)
        #expect(failure?.code == "proxy_refused")
        #expect(failure?.fault == .operator)
        #expect(failure?.message.contains("s3cret") == false)
    }
}
