import Fetching
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct ConditionalFetchTests {
    @Test func validatorsGoBackByteForByte() async throws {
        // A weak tag with two blanks and bytes that are not UTF-8.
        let etag: [UInt8] = Array(#"W/"a  b"#.utf8) + [0xE9, 0x80] + Array("\"".utf8)
        let lastModified = "Tue, 15 Nov 1994 12:45:26 GMT"
        let first =
            Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nLast-Modified: \(lastModified)\r\nETag:  ".utf8) + etag
            + Array(" \t\r\n\r\n{}".utf8)
        let server = try RawServer(replies: [first, reply(304)])
        defer { server.stop() }
        let fetcher = try makeFetcher()

        let body = try #require(try await fetcher.body(server.url("/feed")))
        #expect(body.data == Data("{}".utf8))
        #expect(body.facts.validators.lastModified == lastModified)
        let again = FetchRequest(url: server.url("/feed"), validators: body.facts.validators)
        guard case .notModified(let facts) = try await fetcher.fetch(again) else {
            Issue.record("a 304 is no body")
            return
        }
        #expect(facts.validators == body.facts.validators)
        let sent = try #require(server.requests.last)
        #expect(sent.header("If-None-Match") == latin1(etag))
        #expect(sent.header("If-Modified-Since") == lastModified)
    }

    @Test func validatorsSurviveStorageAsText() async throws {
        let etag: [UInt8] = [0x22, 0xC3, 0xA9, 0x22]
        let server = try RawServer(replies: [
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: ".utf8) + etag + [13, 10, 13, 10], reply(304),
        ])
        defer { server.stop() }
        let fetcher = try makeFetcher()
        let body = try #require(try await fetcher.body(server.url("/")))
        let stored = try JSONDecoder().decode(Validators.self, from: JSONEncoder().encode(body.facts.validators))
        _ = try await fetcher.fetch(FetchRequest(url: server.url("/"), validators: stored))
        #expect(server.requests.last?.header("If-None-Match") == latin1(etag))
    }

    @Test func notModifiedBringsNewFacts() async throws {
        let fields = [#"ETag: "new""#, "Date: Tue, 14 Nov 2023 22:00:00 GMT", "Cache-Control: max-age=600"]
        let server = try RawServer(reply: reply(304, fields))
        defer { server.stop() }
        let sent = Validators(etag: #""old""#, lastModified: "Tue, 15 Nov 1994 12:45:26 GMT")
        let outcome = try await makeFetcher().fetch(FetchRequest(url: server.url("/"), validators: sent))
        guard case .notModified(let facts) = outcome else {
            Issue.record("a 304 is no body")
            return
        }
        #expect(facts.validators == Validators(etag: #""new""#, lastModified: sent.lastModified))
        #expect(facts.serverDate == Date(timeIntervalSince1970: 1_699_999_200))
        #expect(facts.maxAge == .seconds(600))
    }

    @Test func unconditionalRequestsSendNoValidatorsAndGetNo304() async throws {
        let server = try RawServer(reply: reply(304))
        defer { server.stop() }
        let failure = try #require(try await makeFetcher().failure(server.url("/")))
        #expect(failure.code == "unexpected_304")
        #expect(failure.fault == .server)
        let sent = try #require(server.requests.first)
        #expect(sent.header("If-None-Match") == nil)
        #expect(sent.header("If-Modified-Since") == nil)
    }

    @Test func validatorsTooLongToSendAreNotKept() async throws {
        let etag = "\"" + String(repeating: "a", count: 5000) + "\""
        let server = try RawServer(reply: reply(200, ["ETag: \(etag)"]))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(body.facts.validators.isEmpty)
    }
}
