import Fetching
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct RedirectTests {
    /// Locations relative to `/a/b?key=1`, with the expected target: a path on the same server, or a URL.
    @Test(arguments: [
        ("/c", "/c"), ("c?x=1#part", "/a/c?x=1"), ("../d", "/d"), ("?y=2", "/a/b?y=2"), ("/e f", "/e%20f"),
        ("https://other.example/g", "https://other.example/g"), ("//other.example/h", "http://other.example/h"),
    ])
    func locationsAreResolved(location: String, target: String) async throws {
        let server = try RawServer(reply: reply(302, ["Location: \(location)"], body: Array("moved".utf8)))
        defer { server.stop() }
        let outcome = try await makeFetcher().fetch(FetchRequest(url: server.url("/a/b?key=1")))
        guard case .redirect(let found, let status, let isPermanent, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(status == 302)
        #expect(!isPermanent)
        #expect(found == (target.hasPrefix("/") ? server.url(target) : target))
        // The redirect is not followed.
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(301, true), (302, false), (303, false), (307, false), (308, true)])
    func someRedirectsArePermanent(status: Int, isPermanent: Bool) async throws {
        let server = try RawServer(reply: reply(status, ["Location: /new", "Date: Tue, 14 Nov 2023 22:00:00 GMT"]))
        defer { server.stop() }
        let outcome = try await makeFetcher().fetch(FetchRequest(url: server.url("/")))
        guard case .redirect(let target, let foundStatus, let foundPermanent, let facts) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(foundStatus == status)
        #expect(foundPermanent == isPermanent)
        #expect(target == server.url("/new"))
        #expect(facts.serverDate == Date(timeIntervalSince1970: 1_699_999_200))
    }

    @Test func aRedirectCountsThoughItsBodyIsCut() async throws {
        let server = try RawServer(
            reply: Array("HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 100\r\n\r\ncut".utf8))
        defer { server.stop() }
        let outcome = try await makeFetcher().fetch(FetchRequest(url: server.url("/")))
        guard case .redirect(let target, _, _, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(target == server.url("/new"))
    }

    @Test(arguments: [
        "Location: file:///etc/passwd", "Location: ftp://other.example/", "Location: javascript:alert(1)",
        "Location: http://user:word@other.example/", "Location: http://", "Location:", "X-No: location",
    ])
    func redirectsElsewhereAreRefused(header: String) async throws {
        let server = try RawServer(reply: reply(302, [header]))
        defer { server.stop() }
        let failure = try #require(try await makeFetcher().failure(server.url("/")))
        #expect(failure.code == "bad_redirect")
        #expect(failure.fault == .server)
        #expect(failure.status == 302)
    }
}
