import Fetching
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct FetchFailureTests {
    @Test(
        arguments: [
            (204, .server), (206, .server), (400, .server), (401, .operator), (403, .server), (404, .server),
            (407, .operator), (410, .server), (429, .server), (500, .server), (503, .server),
        ] as [(Int, Failure.Fault)])
    func refusalsAreFailures(status: Int, fault: Failure.Fault) async throws {
        let text = status == 204 ? "" : "no such luck"
        let server = try RawServer(reply: reply(status, body: Array(text.utf8)))
        defer { server.stop() }
        let failure = try #require(try await makeFetcher().failure(server.url("/feed?key=s3cret")))
        #expect(failure.fault == fault)
        #expect(failure.code == "http_\(status)")
        #expect(failure.status == status)
        #expect(failure.retryAfter == nil)
        #expect(failure.excerpt.map { String(decoding: $0, as: UTF8.self) } ?? "" == text)
        #expect(failure.message.contains("127.0.0.1:\(server.port)"))
        #expect(!failure.message.contains("s3cret"))
    }

    /// It also reports requests that fail later, but not those without a connection.
    @Test func tellsWhenTheRequestLeaves() async throws {
        let server = try RawServer(replies: [reply(), reply(503)])
        defer { server.stop() }
        let refusing = try RefusingPort()
        let fetcher = try makeFetcher()
        var request = FetchRequest(url: server.url("/feed"))
        try await confirmation(expectedCount: 2) { leaves in
            request.whenSent = { leaves() }
            _ = try await fetcher.body(request)
            #expect(await fetcher.failure(request)?.status == 503)
            request.url = "http://127.0.0.1:\(refusing.port)/"
            #expect(await fetcher.failure(request)?.code == "connection_refused")
        }
    }

    @Test func anErrorsBodyIsKeptInPartOnly() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 503 X\r\nRetry-After: 120\r\n\r\n")
            let bytes = [UInt8](repeating: 0x61, count: 1000)
            while connection.send(bytes) {}
        }
        defer { server.stop() }
        let failure = try #require(try await makeFetcher().failure(server.url("/")))
        #expect(failure.code == "http_503")
        #expect(failure.excerpt == Data(repeating: 0x61, count: 2048))
        #expect(failure.retryAfter == testTime.addingTimeInterval(120))
    }

    @Test func connectionsFail() async throws {
        let refusing = try RefusingPort()
        let fetcher = try makeFetcher()
        let refused = try #require(await fetcher.failure("http://127.0.0.1:\(refusing.port)/?key=s3cret"))
        #expect(refused.code == "connection_refused")
        #expect(refused.fault == .network)
        #expect(refused.message.contains("127.0.0.1:\(refusing.port)"))
        #expect(!refused.message.contains("s3cret"))
        // A label of 64 letters is no valid name, so no resolver is asked.
        let nameless = await fetcher.failure("http://\(String(repeating: "a", count: 64)).test/?key=s3cret")
        #expect(nameless?.code == "name_not_found")
        #expect(nameless?.fault == .network)
        #expect(nameless?.message.contains("s3cret") == false)
    }

    @Test(arguments: [
        ("", "reset"), ("HTTP/1.1 200", "reset"), ("SSH-2.0-OpenSSH_9.2\r\n", "not_http"),
        ("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n", "not_http"),
    ])
    func oddAnswersHaveTheirCodes(answer: String, code: String) async throws {
        let server = try RawServer(reply: Array(answer.utf8))
        defer { server.stop() }
        #expect(try await makeFetcher().failure(server.url("/"))?.code == code)
    }

    /// libcurl 8 overlooks it.
    @Test func aFirstLineThatIsFoldedIsNoHTTPAtMost() async throws {
        let head = "HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 0\r\n\r\n"
        let server = try RawServer(reply: Array(head.utf8))
        defer { server.stop() }
        #expect(["not_http", nil].contains(try await makeFetcher().failure(server.url("/"))?.code))
    }

    @Test func aResetIsAFailureOfTheNetwork() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.resetOnClose()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234")
        }
        defer { server.stop() }
        let failure = try await makeFetcher().failure(server.url("/"))
        #expect(failure?.code == "reset")
        #expect(failure?.fault == .network)
    }

    @Test func plainTextIsNoTLS() async throws {
        let server = try RawServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let failure = try await makeFetcher().failure(server.url("/?key=s3cret", scheme: "https"))
        #expect(failure?.code == "tls")
        #expect(failure?.fault == .network)
        #expect(failure?.message.contains("s3cret") == false)
    }

    @Test func anUnreadableAuthorityFileIsTheOperators() async throws {
        let server = try RawServer { $0.waitForClose() }
        defer { server.stop() }
        // A device, like a pipe, could block all requests.
        for file in ["/nonexistent/authorities.pem", "/dev/zero"] {
            let request = FetchRequest(url: server.url("/", scheme: "https"), certificateAuthorityFile: file)
            let failure = try await makeFetcher().failure(request)
            #expect(failure?.code == "ca_file")
            #expect(failure?.fault == .operator)
        }
    }

    @Test(arguments: [
        "", "example.org/feed", "/feed", "ftp://example.org/", "http://user:s3cret@example.org/", "http://a:99999/",
        "http://a b/", "javascript:alert(1)", "http://example.org/\u{0}s3cret",
    ])
    func otherURLsAreRefused(url: String) async throws {
        let failure = try #require(try await makeFetcher().failure(url))
        #expect(failure.code == "bad_url")
        #expect(failure.fault == .operator)
        #expect(!failure.message.contains("s3cret"))
    }

    @Test(arguments: [["X": "a\r\nY: s3cret"], ["X Y": "s3cret"], ["": "s3cret"]])
    func headersCannotBreakTheirLine(headers: [String: String]) async throws {
        let failure = try #require(
            try await makeFetcher().failure(FetchRequest(url: "http://127.0.0.1:9/", headers: headers)))
        #expect(failure.code == "bad_header")
        #expect(!failure.message.contains("s3cret"))
    }
}
