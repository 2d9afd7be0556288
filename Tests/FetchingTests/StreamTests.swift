import Fetching
import Foundation
import Model
import Testing

/// Answers that stay open.
@Suite(.timeLimit(.minutes(60))) struct StreamTests {
    private func terms(silence: Duration = .seconds(3600)) -> StreamTerms {
        let waits = StreamTerms.Waits(first: .seconds(1), longest: .seconds(1), doubles: false)
        return StreamTerms(silence: silence, afterBreaks: waits, afterErrors: waits, afterLimits: waits)
    }

    private func open(
        _ fetcher: Fetcher, _ url: String, silence: Duration = .seconds(3600)
    ) async throws -> FetchedStream {
        let outcome = try await fetcher.fetch(FetchRequest(url: url, stream: terms(silence: silence)))
        guard case .stream(let stream) = outcome else { throw Failure(.ours, "no_stream", "\(outcome)") }
        return stream
    }

    /// Reads until this many bytes have come.
    private func read(_ stream: FetchedStream, _ count: Int) async throws -> String {
        var bytes = Data()
        while bytes.count < count, let more = try await stream.next() { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }

    private func failure(_ stream: FetchedStream) async -> Failure? {
        do throws(Failure) {
            _ = try await stream.next()
            return nil
        } catch {
            return error
        }
    }

    private static let head =
        "HTTP/1.1 200 OK\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test func bytesAreGivenAsTheyArrive() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(Self.head)
            connection.send(Self.chunk("{\"a\":"))
            connection.waitForClose()
        }
        defer { server.stop() }
        let fetcher = try makeFetcher()
        defer { fetcher.shutdown() }
        let stream = try await open(fetcher, server.url("/stream"))
        #expect(stream.serverDate == testTime)
        #expect(try await read(stream, 5) == "{\"a\":")
        let request = try #require(server.requests.first)
        #expect(request.header("Accept-Encoding") == "identity")
        #expect(request.text.hasPrefix("GET /stream HTTP/1.1\r\n"))
        stream.close()
        #expect(try await stream.next() == nil)
    }

    @Test func theEndOfTheAnswerIsTheEndOfTheStream() async throws {
        let server = try RawServer(reply: Array((Self.head + Self.chunk("x\r\n") + "0\r\n\r\n").utf8))
        defer { server.stop() }
        let fetcher = try makeFetcher()
        defer { fetcher.shutdown() }
        let stream = try await open(fetcher, server.url("/"))
        #expect(try await read(stream, 100) == "x\r\n")
    }

    @Test func aStreamThatBreaksOffIsAFailureAfterWhatHasCome() async throws {
        let server = try RawServer(reply: Array((Self.head + Self.chunk("x\n")).utf8))
        defer { server.stop() }
        let fetcher = try makeFetcher()
        defer { fetcher.shutdown() }
        let stream = try await open(fetcher, server.url("/"))
        #expect(try await read(stream, 2) == "x\n")
        #expect(await failure(stream)?.code == "cut_short")
    }

    @Test func silenceEndsAStream() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(Self.head + Self.chunk("\r\n"))
            connection.waitForClose()
        }
        defer { server.stop() }
        // The limit on the time of a whole fetch does not apply to streams.
        let fetcher = try makeFetcher { $0.totalTimeout = .milliseconds(50) }
        defer { fetcher.shutdown() }
        let stream = try await open(fetcher, server.url("/"), silence: .milliseconds(200))
        #expect(try await read(stream, 2) == "\r\n")
        let found = await failure(stream)
        #expect(found?.code == "stalled")
        #expect(found?.message.contains("200ms") == true)
    }

    @Test func aRefusalIsAFailureLikeAnyOther() async throws {
        let server = try RawServer(replies: [reply(429, ["x-rate-limit-reset: 1700000060"], body: Array("{}".utf8))])
        defer { server.stop() }
        var request = FetchRequest(url: server.url("/"), stream: terms())
        request.rateLimitResetHeader = "x-rate-limit-reset"
        let failure = try await makeFetcher().failure(request)
        #expect(failure?.status == 429)
        #expect(failure?.retryAfter == testTime.addingTimeInterval(60))
        #expect(failure?.excerpt == Data("{}".utf8))
    }

    @Test func aPackedStreamIsRefused() async throws {
        let server = try RawServer(replies: [reply(200, ["Content-Encoding: gzip"], body: [1, 2])])
        defer { server.stop() }
        let failure = try await makeFetcher().failure(FetchRequest(url: server.url("/"), stream: terms()))
        #expect(failure?.code == "bad_encoding")
    }

    @Test func aStreamInTheCodingNoneIsRead() async throws {
        let server = try RawServer(replies: [reply(200, ["Content-Encoding: none"], body: Array("x\r\n".utf8))])
        defer { server.stop() }
        let fetcher = try makeFetcher()
        defer { fetcher.shutdown() }
        #expect(try await read(open(fetcher, server.url("/")), 3) == "x\r\n")
    }

    /// Unread data stays with the server: a few buffers fill up, then it has to wait.
    @Test func aSlowReaderSlowsTheServerDown() async throws {
        let piece = [UInt8](repeating: 0x78, count: 64 << 10)
        let pieces = 256
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            for _ in 0..<pieces { guard connection.send(piece) else { return } }
        }
        defer { server.stop() }
        let fetcher = try makeFetcher()
        defer { fetcher.shutdown() }
        let stream = try await open(fetcher, server.url("/"))
        var count = 0
        var largest = 0
        while let more = try await stream.next() {
            count += more.count
            largest = max(largest, more.count)
        }
        #expect(count == pieces * piece.count)
        #expect(largest <= (256 << 10) + (64 << 10), "what waits is bounded")
    }

    @Test func jsonIsPostedAndMayBeAnsweredByCreated() async throws {
        let server = try RawServer(replies: [reply(201, body: Array("{\"ok\":1}".utf8))])
        defer { server.stop() }
        let body = try await makeFetcher().body(FetchRequest(url: server.url("/rules"), json: "{\"add\":[]}"))
        #expect(body?.data == Data("{\"ok\":1}".utf8))
        let request = try #require(server.requests.first)
        #expect(request.text.hasPrefix("POST /rules HTTP/1.1\r\n"))
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.text.hasSuffix("{\"add\":[]}"))
    }

    // MARK: The buffer between

    @Test func aFullBufferHoldsOnAndAsksForMore() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        let stream = FetchedStream(url: "http://x.test/", capacity: 4, whenRoom: { asked.continuation.yield() })
        #expect(stream.put(Data("abcd".utf8)) == .taken)
        #expect(stream.put(Data("e".utf8)) == .full)
        #expect(try await stream.next() == Data("abcd".utf8))
        var requests = asked.stream.makeAsyncIterator()
        #expect(await requests.next() != nil)
        #expect(stream.put(Data("e".utf8)) == .taken)
        stream.wake()
        #expect(try await stream.next() == Data("e".utf8))
        #expect(try await stream.next() == Data(), "woken")
        stream.finish(Failure(.network, .cutShort, "cut"))
        #expect(stream.put(Data("f".utf8)) == .closed)
        #expect(await failure(stream)?.code == "cut_short")
    }

    @Test func whatHasComeIsReadBeforeAClosedStreamEnds() async throws {
        let closed = AsyncStream.makeStream(of: Void.self)
        let stream = FetchedStream(url: "http://x.test/", whenClosed: { closed.continuation.yield() })
        _ = stream.put(Data("rest".utf8))
        stream.close()
        var closings = closed.stream.makeAsyncIterator()
        #expect(await closings.next() != nil)
        #expect(try await stream.next() == Data("rest".utf8))
        #expect(try await stream.next() == nil)
    }

    @Test func aCancelledReaderIsReleased() async throws {
        let stream = FetchedStream(url: "http://x.test/")
        let reading = Task { try await stream.next() }
        reading.cancel()
        #expect(try await reading.value == nil)
        #expect(stream.put(Data("x".utf8)) == .closed)
    }
}
