import Foundation
import Serving
import Store
import Synchronization
import Testing

@testable import HTTPService
@testable import Settings

/// What comes over the socket, for each kind of answer and refusal.
@Suite(.timeLimit(.minutes(60))) struct AnswerTests {
    private let scene = Scene()

    private static func pieces(_ texts: [String]) -> Scene.Answering {
        { _, _, _ in
            let left = Mutex(texts)
            let pieces: AnswerPieces = { _ in
                left.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) }
            }
            return APIAnswer(status: 200, headers: [(name: "ETag", value: "\"1\"")], body: .pieces(pieces))
        }
    }

    @Test func aWholeAnswerHasItsLengthAndRestrictsBrowsers() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let answer = try await served.ask("GET", "/a%20b?x=1&y=%3F")
            #expect(answer.status == 200)
            #expect(answer.body == "GET /a%20b x=1&y=%3F")
            #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
            #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none';") == true)
            #expect(answer.headers["content-security-policy"]?.hasSuffix("frame-ancestors 'none'") == true)
            #expect(answer.headers["date"] == "Sun, 01 Mar 2026 00:00:00 GMT")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["x-frame-options"] == "DENY")
            #expect(answer.headers["referrer-policy"] == "no-referrer")
            #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
            #expect(answer.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test func piecesComeInTheirOrder() async throws {
        try scene.makeStore()
        try await scene.serve(answering: Self.pieces(["one,", "two,", "three"])) { served in
            let answer = try await served.ask()
            #expect(answer.headers["transfer-encoding"] == "chunked")
            #expect(answer.body == "one,two,three")
        }
    }

    @Test func eachPieceNeedsRoom() async throws {
        try scene.makeStore()
        var limits = ServiceLimits.patient
        (limits.heldBytes, limits.clients) = (100_000, 1)
        let long = String(repeating: "x", count: 80_000)
        try await scene.serve(limits: limits, answering: Self.pieces(["one", long, long, "end"])) { served in
            let answer = try await served.ask()
            #expect(answer.body == "one\(long)\(long)end")
        }
        let tooLong = String(repeating: "x", count: 100_001)
        try await scene.serve(limits: limits, answering: Self.pieces([tooLong, "end"])) { served in
            let answer = try await served.ask()
            #expect(answer.status == 503)
        }
    }

    @Test func headHasTheHeadersAndTheConnectionGoesOn() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let client = try served.client()
            client.send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = RawAnswer(await client.receive { $0.hasSuffix("\r\n\r\n") })
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "10")
            client.send("GET /abc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(RawAnswer(await client.receive()).body == "GET /abc -")
        }
    }

    @Test func headOfPiecesHasNoBodyAtAll() async throws {
        try scene.makeStore()
        try await scene.serve(answering: Self.pieces(["one"])) { served in
            let client = try served.client()
            client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let text = await client.receive()
            #expect(text.hasSuffix("\r\n\r\n") && RawAnswer(text).headers["etag"] == "\"1\"")
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "SEARCH"])
    func otherMethodsAreRefused(method: String) async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let answer = try await served.ask(method, headers: "Content-Length: 0\r\n")
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET, HEAD")
            #expect(answer.headers["content-type"] == "application/problem+json")
        }
    }

    @Test(arguments: [
        ("GET /?q=Étna HTTP/1.1", 400, "percent-encoded"), ("GET /\u{1} HTTP/1.1", 400, ""),
        ("GET /a b HTTP/1.1", 400, ""), ("GET / HTTP/9.9", 400, ""),
        ("get / HTTP/1.1", 405, "capital letters"), ("FOO / HTTP/1.1", 405, "GET or HEAD"),
        ("GET / HTTP/1.1\r\nBad Field: x", 400, "field"),
    ]) func aRequestThatCannotBeReadIsToldWhy(request: String, status: Int, words: String) async throws {
        try scene.makeStore()
        try await scene.serve { served in
            for before in ["", "GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
                let client = try served.client()
                client.send("\(before)\(request)\r\nHost: localhost\r\n\r\n")
                let text = await client.receive()
                let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { RawAnswer("HTTP/1.1 " + $0) }
                #expect(answers.count == (before.isEmpty ? 1 : 2), "\(text)")
                let answer = try #require(answers.last)
                #expect(answer.status == status, "\(text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.headers["connection"] == "close")
                #expect(answer.headers["allow"] == (status == 405 ? "GET, HEAD" : nil))
                #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
                let problem = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
                #expect(problem?["status"] as? Int == status)
                #expect((problem?["detail"] as? String)?.contains(words) == true || words.isEmpty, "\(text)")
            }
        }
    }

    @Test func aBodyIsRefusedAndTheConnectionClosed() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            for headers in ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"] {
                let client = try served.client()
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\(headers)")
                let answer = RawAnswer(await client.receive())
                #expect(answer.status == 413)
                #expect(answer.headers["connection"] == "close")
            }
        }
    }

    @Test(arguments: [
        ("Transfer-Encoding: xchunked\r\n\r\n", 400), ("Transfer-Encoding: gzip\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\n\r\nzz\r\n", 413),
    ])
    func aBodyThatCannotBeParsedHasOneAnswer(rest: String, status: Int) async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let client = try served.client()
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\(rest)")
            let text = await client.receive()
            #expect(RawAnswer(text).status == status)
            #expect(RawAnswer(text).headers["connection"] == "close")
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "one answer")
        }
    }

    @Test(arguments: ["HTTP/1.1\r\nConnection: Close", "HTTP/1.1\r\nConnection: keep-alive, CLOSE", "HTTP/1.0"])
    func aClientThatAsksForItsEndIsHeardInAnyLetters(rest: String) async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let client = try served.client()
            client.send("GET / \(rest)\r\nHost: localhost\r\n\r\n")
            let answer = RawAnswer(await client.receive { $0.hasSuffix("GET / -") })
            // Otherwise it would stay open.
            try #require(answer.headers["connection"] == "close")
            #expect(await client.receive() == "")
        }
    }

    @Test func theHostOfATargetInAbsoluteFormCounts() async throws {
        let naming: Scene.Answering = { request, _, _ in
            APIAnswer(body: .whole(Array("\(request.headers["host"] ?? "-") \(request.path)".utf8)))
        }
        try scene.makeStore()
        try await scene.serve(answering: naming) { served in
            let own = try await served.ask("GET", "http://localhost:8423/a?x=1", host: "evil.example")
            #expect(own.status == 200)
            #expect(own.body == "localhost:8423 /a")
            #expect(try await served.ask("GET", "http://evil.example/a").status == 421)
            #expect(try await served.ask("GET", "http://localhost@evil.example/a").status == 400)
            #expect(try await served.ask("GET", "https://localhost/a").status == 400)
            // A second field Host is refused whatever the target says.
            #expect(try await served.ask("GET", "http://localhost/a", headers: "Host: localhost\r\n").status == 400)
        }
    }

    @Test(arguments: [
        ("http://localhost:8423/a?x=1", "localhost:8423", "/a?x=1"), ("HTTP://[::1]", "[::1]", "/"),
        ("http://localhost?x=/", "localhost", "/?x=/"), ("http://LOCALHOST/a/?", "localhost", "/a/?"),
    ])
    func anAddressHasAHostAndAPath(target: String, host: String, path: String) {
        let read = AbsoluteTarget(target)
        #expect(read?.host == host)
        #expect(read?.path == path)
    }

    @Test(arguments: [
        "https://localhost/", "http:///a", "http://:80/a", "http://user@localhost/a", "http:localhost",
        "/http://localhost", "*", "",
    ])
    func otherTargetsAreNoAddress(target: String) {
        #expect(AbsoluteTarget(target) == nil)
    }

    @Test func aForeignHostIsToldTheRemedyAndAsksNothing() async throws {
        let asked = Mutex(0)
        let counting: Scene.Answering = { request, store, now in
            asked.withLock { $0 += 1 }
            return Scene.echo(request, store, now)
        }
        try scene.makeStore()
        try await scene.serve(answering: counting) { served in
            for target in ["/", "/stream", "/summary/authors", "/status", "/health", "/metrics"] {
                let answer = try await served.ask("GET", target, host: "evil.example")
                #expect(answer.status == 421)
                #expect(answer.body.contains("serve.hosts") && answer.body.contains("evil.example"))
                #expect(answer.headers["x-content-type-options"] == "nosniff")
            }
            #expect(try await served.ask("POST", host: "evil.example").status == 421)
        }
        #expect(asked.withLock { $0 } == 0)
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.hosts = ["evil.example"]
        try await scene.serve(settings) { served in
            let answer = try await served.ask(host: "evil.example")
            #expect(answer.status == 200)
        }
    }

    @Test func aRequestNeedsOneHost() async throws {
        try scene.makeStore()
        try await scene.serve { served in
            for hosts in ["", "Host: localhost\r\nHost: evil.example\r\n"] {
                let client = try served.client()
                client.send("GET / HTTP/1.1\r\n\(hosts)\r\n")
                #expect(RawAnswer(await client.receive()).status == 400)
            }
        }
    }

    @Test func pagesOfConfiguredOriginsMayRead() async throws {
        try scene.makeStore()
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.origins = ["https://maps.example.org"]
        try await scene.serve(settings) { served in
            let own = try await served.ask(headers: "Origin: https://maps.example.org\r\n")
            #expect(own.headers["access-control-allow-origin"] == "https://maps.example.org")
            #expect(
                own.headers["access-control-expose-headers"] == "As-Of, Complete, ETag, Link, Near, Retry-After, Seq")
            #expect(own.headers["vary"] == "Origin")
            let foreign = try await served.ask(headers: "Origin: https://evil.example\r\n")
            #expect(foreign.status == 200)
            #expect(foreign.headers["access-control-allow-origin"] == nil)
            #expect(foreign.headers["vary"] == "Origin")
            let asked = "Origin: https://maps.example.org\r\nAccess-Control-Request-Method: PUT\r\n"
            #expect(try await served.ask("OPTIONS", headers: asked).status == 405)
        }
    }

    private func preflight(_ origin: String, _ method: String, _ fields: String) -> String {
        "Origin: \(origin)\r\nAccess-Control-Request-Method: \(method)\r\nAccess-Control-Request-Headers: \(fields)\r\n"
            + "Access-Control-Request-Private-Network: true\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: cross-site\r\n"
    }

    @Test func pagesOfConfiguredOriginsMaySendConditionsAndCursors() async throws {
        let asked = Mutex(0)
        let counting: Scene.Answering = { request, store, now in
            asked.withLock { $0 += 1 }
            return Scene.echo(request, store, now)
        }
        try scene.makeStore()
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.origins = ["https://maps.example.org", "http://localhost:8080"]
        try await scene.serve(settings, answering: counting) { served in
            for (origin, method, fields) in [
                ("https://maps.example.org", "GET", "if-none-match"),
                ("http://localhost:8080", "HEAD", "content-type,last-event-id"),
            ] {
                let answer = try await served.ask(
                    "OPTIONS", "/stream?after=1", headers: preflight(origin, method, fields))
                #expect(answer.status == 204)
                #expect(answer.body == "")
                #expect(answer.headers["access-control-allow-origin"] == origin)
                #expect(answer.headers["access-control-allow-methods"] == "GET, HEAD")
                #expect(
                    answer.headers["access-control-allow-headers"]
                        == "Accept, Content-Type, If-Modified-Since, If-None-Match, Last-Event-ID")
                #expect(answer.headers["access-control-max-age"] == "600")
                #expect(answer.headers["vary"] == "Origin")
                #expect(answer.headers["access-control-allow-private-network"] == nil)
                #expect(answer.headers["access-control-allow-credentials"] == nil)
            }
            #expect(asked.withLock { $0 } == 0)
            // The request itself comes on the same connection.
            let client = try served.client()
            let fields = preflight("https://maps.example.org", "GET", "if-none-match")
            client.send("OPTIONS /a HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            #expect(RawAnswer(await client.receive { $0.hasSuffix("\r\n\r\n") }).status == 204)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(RawAnswer(await client.receive()).body == "GET /a -")
        }
    }

    @Test func otherPreflightsGetNothing() async throws {
        try scene.makeStore()
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.origins = ["https://maps.example.org"]
        let own = preflight("https://maps.example.org", "GET", "if-none-match")
        let others = [
            (preflight("https://evil.example", "GET", "if-none-match"), "localhost", 405),
            (preflight("https://maps.example.org.evil.example", "GET", "accept"), "localhost", 405),
            (preflight("null", "GET", "accept"), "localhost", 405), (own + own, "localhost", 405),
            (preflight("https://maps.example.org", "DELETE", "accept"), "localhost", 405),
            ("Origin: https://maps.example.org\r\n", "localhost", 405), ("", "localhost", 405),
            (own, "evil.example", 421), (own + "Content-Length: 3\r\n\r\nx", "localhost", 413),
        ]
        try await scene.serve(settings) { served in
            for (headers, host, status) in others {
                let answer = try await served.ask("OPTIONS", host: host, headers: headers)
                #expect(answer.status == status, "\(headers)")
                #expect(answer.headers["access-control-allow-methods"] == nil, "\(headers)")
                #expect(answer.headers["access-control-allow-headers"] == nil, "\(headers)")
            }
        }
        try await scene.serve { served in
            let answer = try await served.ask("OPTIONS", headers: own)
            #expect(answer.status == 405)
        }
    }

    @Test func behindAProxyAllAddressesBeginWithItsPath() async throws {
        let api = ReadAPI(program: "1")
        let preparing: Scene.Preparing = { request, now in api.prepare(request, now: now) }
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.basePath = "/quakes"
        try await scene.serve(settings, preparing: preparing) { served in
            #expect(try await served.ask("GET", "/quakes/conformance").status == 200)
            #expect(try await served.ask("GET", "http://localhost/quakes/conformance").status == 200)
            let outside = try await served.ask("GET", "/conformance")
            #expect(outside.status == 404)
            #expect(outside.body.contains("X-Forwarded-Prefix: /quakes"))
            let stripped = "X-Forwarded-Prefix: /quakes\r\n"
            #expect(try await served.ask("GET", "/conformance", headers: stripped).status == 200)
            #expect(try await served.ask("GET", "/conformance", headers: stripped + stripped).status == 404)
            let start = try await served.ask("GET", "/quakes?f=json")
            #expect(start.status == 301)
            #expect(start.headers["location"] == "/quakes/?f=json")
            // What is refused before the interface is asked, or for want of a database, too.
            let path = "/quakes/fdsnws/event/1/query"
            for (method, status) in [("GET", 503), ("POST", 405)] {
                let answer = try await served.ask(method, path, headers: "Content-Length: 0\r\n")
                #expect(answer.status == status)
                #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
                #expect(answer.body.contains("\n\(path)\n"))
            }
        }
    }

    @Test func aFaultOfTheDatabaseIsLoggedOnceAndAQuerysOrTheEndIsNot() async throws {
        try scene.makeStore()
        let failing: Scene.Answering = { request, _, _ in
            let code: StoreError.Code? =
                switch request.path {
                case "/damaged": .corrupt
                case "/failing": .io
                case "/costly": .tooCostly
                case "/closed": .closed
                default: nil
                }
            guard let code else { return APIAnswer(body: .whole([0x78])) }
            let fault = StoreError(code, "it fails")
            var answer = Problem(fault).answer
            answer.fault = fault
            return answer
        }
        try await scene.serve(answering: failing) { served in
            // The pool is closed at the end of the program alone.
            for path in ["/costly", "/closed"] {
                let answer = try await served.ask("GET", path)
                #expect(answer.status == 503)
            }
            #expect(scene.linesSaying("database cannot be read").isEmpty)
            for _ in 0..<2 { #expect(try await served.ask("GET", "/damaged").status == 503) }
            #expect(try await served.ask("GET", "/costly").status == 503)
            #expect(scene.linesSaying("database cannot be read").count == 1)
            for _ in 0..<2 { #expect(try await served.ask("GET", "/failing").status == 503) }
            #expect(try await served.ask("GET", "/damaged").status == 503)
            #expect(scene.linesSaying("database cannot be read").count == 2, "another kind of fault is logged, too")
            #expect(scene.linesSaying("database is read again").isEmpty)
            #expect(try await served.ask("GET", "/well").status == 200)
            #expect(scene.linesSaying("database is read again").count == 1)
            #expect(try await served.ask("GET", "/damaged").status == 503)
            #expect(scene.linesSaying("database cannot be read").count == 3)
        }
    }

    @Test func aDatabaseThatIsNotThereYetIsWaitedFor() async throws {
        try await scene.serve { served in
            for _ in 0..<2 {
                let answer = try await served.ask()
                #expect(answer.status == 503)
                #expect(answer.headers["retry-after"] == "5")
                #expect(!answer.body.contains(scene.database))
                #expect(answer.body.contains("the database is not there, or cannot be opened"))
            }
            #expect(scene.linesSaying("database cannot be read").count == 1)
            try scene.makeStore()
            #expect(try await served.ask().status == 200)
            #expect(scene.linesSaying("database is read again").count == 1)
        }
    }

    @Test func anEmptyFileIsNoOlderDatabase() async throws {
        try Data().write(to: URL(fileURLWithPath: scene.database))
        try await scene.serve { served in
            let answer = try await served.ask()
            #expect(answer.status == 503)
            #expect(answer.body.contains("the database is empty"), "\(answer.body)")
        }
    }

    @Test func clientsOfFDSNAreToldInPlainText() async throws {
        let api = ReadAPI(program: "1")
        let preparing: Scene.Preparing = { request, now in api.prepare(request, now: now) }
        try await scene.serve(preparing: preparing) { served in
            let path = "/fdsnws/event/1/query"
            let missing = try await served.ask("GET", "\(path)?minmagnitude=5")
            #expect(missing.status == 503)
            #expect(missing.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(missing.headers["retry-after"] == "5")
            #expect(missing.body.hasPrefix("Error 503: Service Unavailable\n"))
            #expect(missing.body.contains("\n\(path)?minmagnitude=5\n"))
            let foreign = try await served.ask("GET", path, host: "evil.example")
            #expect(foreign.status == 421)
            #expect(foreign.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(foreign.body.hasPrefix("Error 421: Misdirected Request\n"))
            #expect(foreign.body.contains("serve.hosts"))
            let posted = try await served.ask("POST", path, headers: "Content-Length: 0\r\n")
            #expect(posted.status == 405)
            #expect(posted.headers["allow"] == "GET, HEAD")
            #expect(posted.headers["content-type"] == "text/plain; charset=utf-8")
            let other = try await served.ask("GET", "/changes")
            #expect(other.status == 503)
            #expect(other.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func whatNeedsNoDatabaseIsAnsweredBeforeThereIsOne() async throws {
        let api = ReadAPI(program: "1")
        let preparing: Scene.Preparing = { request, now in api.prepare(request, now: now) }
        try await scene.serve(preparing: preparing) { served in
            for path in ["/", "/api", "/api?f=html", "/conformance"] {
                let answer = try await served.ask("GET", path)
                #expect(answer.status == 200, "\(path)")
            }
            #expect(try await served.ask("GET", "/conformance?x=1").status == 400)
            #expect(try await served.ask("GET", "/", host: "evil.example").status == 421)
            #expect(scene.linesSaying("database cannot be read").isEmpty)
            #expect(try await served.ask("GET", "/collections").status == 503)
        }
    }

    @Test func whatHasNotChangedIsToldWithoutTheDatabase() async throws {
        try scene.makeStore()
        let api = ReadAPI(program: "1")
        let preparing: Scene.Preparing = { request, now in api.prepare(request, now: now) }
        let path = "/collections/events/items"
        try await scene.serve(preparing: preparing) { served in
            await served.service.databaseMayHaveChanged()
            let tag = try #require(try await served.ask("GET", path).headers["etag"])
            // Only who looks learns that the file is gone.
            try FileManager.default.removeItem(atPath: scene.database)
            #expect(try await served.ask("GET", path, headers: "If-None-Match: \(tag)\r\n").status == 304)
            #expect(try await served.ask("GET", path).status == 503)
            await served.service.databaseMayHaveChanged()
            #expect(try await served.ask("GET", path, headers: "If-None-Match: \(tag)\r\n").status == 503)
        }
    }
}
