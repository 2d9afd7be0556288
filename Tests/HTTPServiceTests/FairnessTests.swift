import Dispatch
import Foundation
import Serving
import Store
import Synchronization
import Testing

@testable import HTTPService
@testable import Settings

/// Requests in flight, clients that leave, shares of clients, and what other pages may load.
@Suite(.timeLimit(.minutes(60))) struct FairnessTests {
    private let scene = Scene()

    @Test func aSecondRequestOfAConnectionWaitsForTheFirstAnswer() async throws {
        try scene.makeStore()
        let asked = Mutex<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let answering: Scene.Answering = { request, store, now in
            asked.withLock { $0.append(request.path) }
            if request.path == "/1" { gate.wait() }
            return Scene.echo(request, store, now)
        }
        try await scene.serve(answering: answering) { served in
            let client = try served.client()
            client.send((1...50).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            while asked.withLock({ $0.isEmpty }) { await Task.yield() }
            // Another connection is served meanwhile, so the others would have been, too.
            let other = try await served.ask("GET", "/other")
            #expect(other.status == 200)
            #expect(asked.withLock { $0 } == ["/1", "/other"])
            gate.signal()
            let text = await client.receive { $0.contains("GET /50 -") }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 51)
            #expect(asked.withLock { Array($0.dropFirst(2)) } == (2...50).map { "/\($0)" }, "in their order")
        }
    }

    @Test func anAnswerThatNobodyTakesHoldsOnePiece() async throws {
        try scene.makeStore()
        let made = Mutex(0)
        let answering: Scene.Answering = { request, store, now in
            guard request.path == "/large" else { return Scene.echo(request, store, now) }
            made.withLock { $0 += 1 }
            return APIAnswer(status: 200, headers: [], body: .whole([UInt8](repeating: 0x78, count: 12 << 20)))
        }
        try await scene.serve(answering: answering) { served in
            let slow = try served.client(receiveBuffer: 4096)
            slow.send(String(repeating: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 20))
            while made.withLock({ $0 == 0 }) { await Task.yield() }
            for _ in 0..<20 {
                let other = try await served.ask("GET", "/other")
                #expect(other.status == 200)
            }
            #expect(made.withLock { $0 } == 1)
            // The room of one answer is 16 MiB, a quarter of all.
            let other = try served.client()
            other.send("GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(RawAnswer(await other.receive()).status == 503)
            withExtendedLifetime(slow) {}
        }
    }

    @Test func aReadEndsWhenItsClientLeaves() async throws {
        try scene.makeStore()
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: StoreError.Code?.self)
        let answering: Scene.Answering = { request, store, now in
            guard request.path == "/long" else { return Scene.echo(request, store, now) }
            begin.finish()
            while true {
                do throws(StoreError) { try store.checkBudget() } catch {
                    end.yield(error.code)
                    end.finish()
                    return Problem(error).answer
                }
            }
        }
        try await scene.serve(answering: answering) { served in
            let client = try served.client()
            client.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for await _ in begins {}
            client.shutdown(both: true)
            var codes: [StoreError.Code?] = []
            for await code in ends { codes.append(code) }
            #expect(codes == [.interrupted])
            #expect(scene.linesSaying("database cannot be read").isEmpty)
        }
    }

    @Test func aCancelledServiceEndsWhateverItIsBusyWith() async throws {
        try scene.makeStore()
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let answering: Scene.Answering = { _, store, _ in
            begin.finish()
            while true {
                do throws(StoreError) { try store.checkBudget() } catch { return Problem(error).answer }
            }
        }
        struct Enough: Error {}
        let client = Mutex<RawClient?>(nil)
        // What the body throws cancels the service. It would wait for the read for an hour.
        await #expect(throws: Enough.self) {
            try await scene.serve(answering: answering) { served in
                let long = try served.client()
                client.withLock { $0 = long }
                long.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
                for await _ in begins {}
                throw Enough()
            }
        }
    }

    @Test func oneClientsConnectionsLeaveRoomForOthers() async throws {
        try scene.makeStore()
        var limits = ServiceLimits.patient
        limits.connections = 8
        try await scene.serve(limits: limits) { served in
            let idle = try (0..<2).map { _ in try served.client() }
            for client in idle {
                client.send("GET /idle HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = await client.receive { $0.hasSuffix("GET /idle -") }
            }
            let surplus = try served.client()
            let text = await surplus.receive()
            #expect(text.isEmpty || RawAnswer(text).status == 503)
            let other = try served.client(from: "127.0.0.2")
            other.send("GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(RawAnswer(await other.receive()).body == "GET /other -")
            idle[0].shutdown(both: true)
            // Its place is free once the service has seen the end.
            var status = 0
            while status != 200 {
                let again = try await served.ask("GET", "/again")
                status = again.status
            }
            withExtendedLifetime(idle) {}
        }
    }

    @Test func oneClientsStreamsLeaveRoomForOthers() async throws {
        try scene.makeStore()
        var limits = ServiceLimits.patient
        limits.connections = 8
        var settings = ServeSettings(listen: [.tcp("127.0.0.1", 0)])
        settings.trustedProxies = [AddressRange("127.0.0.1")].compactMap { $0 }
        let api = ReadAPI(program: "1")
        let answering: Scene.Answering = { request, store, now in api.answer(request, from: store, now: now) }
        try await scene.serve(settings, limits: limits, answering: answering) { served in
            func stream(of client: String) async throws -> (RawClient, Int) {
                let stream = try served.client()
                stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\n\r\n")
                let text = await stream.receive { $0.contains("retry:") || $0.contains("problems") }
                return (stream, RawAnswer(text).status)
            }
            let open = [try await stream(of: "192.0.2.1"), try await stream(of: "192.0.2.1")]
            #expect(open.map { $0.1 } == [200, 200])
            let (third, other) = (try await stream(of: "192.0.2.1"), try await stream(of: "192.0.2.2"))
            #expect(third.1 == 503)
            #expect(other.1 == 200)
            withExtendedLifetime(open) {}
        }
    }

    // MARK: - Fetch Metadata

    @Test(arguments: [
        ("cross-site", "no-cors", "image", 403), ("same-site", "no-cors", "script", 403),
        ("cross-site", "navigate", "iframe", 403), ("same-site", "navigate", "embed", 403),
        ("cross-site", "navigate", "document", 200), ("none", "navigate", "document", 200),
        ("cross-site", "cors", "empty", 200), ("same-origin", "no-cors", "image", 200),
        ("same-origin", "navigate", "iframe", 200), ("same-origin", "cors", "empty", 200),
    ])
    func otherPagesLoadNoParts(site: String, mode: String, destination: String, status: Int) async throws {
        try scene.makeStore()
        try await scene.serve { served in
            let fields = "Sec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: \(mode)\r\nSec-Fetch-Dest: \(destination)\r\n"
            let answer = try await served.ask(headers: fields)
            #expect(answer.status == status)
        }
    }

    // MARK: - HTTP/1.0

    @Test func anOldClientGetsNoChunks() async throws {
        try scene.makeStore()
        let answering: Scene.Answering = { _, _, _ in
            let left = Mutex(["one,", "two"])
            return APIAnswer(
                status: 200, headers: [],
                body: .pieces { _ in left.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } })
        }
        try await scene.serve(answering: answering) { served in
            for extra in ["", "Connection: keep-alive\r\n"] {
                let client = try served.client()
                client.send("GET / HTTP/1.0\r\nHost: localhost\r\n\(extra)\r\n")
                let text = await client.receive()
                #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"))
                #expect(text.hasSuffix("\r\n\r\none,two"))
                #expect(RawAnswer(text).headers["transfer-encoding"] == nil)
                #expect(RawAnswer(text).headers["connection"] == "close")
            }
        }
    }
}
