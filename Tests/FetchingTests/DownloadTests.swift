import Fetching
import Foundation
import Model
import Testing

/// Large bodies, read by a blocking thread: complete, or with the reason of the failure.
@Suite(.timeLimit(.minutes(60)))
struct DownloadTests {
    private enum Outcome: Sendable, Equatable {
        case whole([UInt8], announced: Int64?)
        /// The body was cut off after this many bytes.
        case broken(String, bytes: Int)
        case failed(String)
    }

    private func download(
        _ url: String, limits: FetchLimits = .patient, home: AddressZone? = nil
    ) async -> Outcome {
        do throws(Failure) {
            let body = try await Fetcher.download(url, limits: limits, home: home)
            return await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                Thread.detachNewThread { continuation.resume(returning: Self.read(body)) }
            }
        } catch {
            return .failed(error.code)
        }
    }

    private static func read(_ body: FetchedStream) -> Outcome {
        defer { body.close() }
        var bytes: [UInt8] = []
        do throws(Failure) {
            while let piece = try body.blockingNext() { bytes += piece }
            return .whole(bytes, announced: body.totalBytes)
        } catch {
            return body.failure == error ? .broken(error.code, bytes: bytes.count) : .failed("another failure")
        }
    }

    @Test("a body larger than any buffer comes whole, under our name")
    func whole() async throws {
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = try RawServer(reply: reply(body: body))
        defer { server.stop() }
        var limits = FetchLimits.patient
        limits.userAgent = "visiventd/test"
        #expect(await download(server.url("/cities.txt"), limits: limits) == .whole(body, announced: 1_000_000))
        #expect(server.requests.first?.header("User-Agent") == "visiventd/test")
    }

    @Test("an empty body is whole")
    func empty() async throws {
        let server = try RawServer(reply: reply())
        defer { server.stop() }
        #expect(await download(server.url("/")) == .whole([], announced: 0))
    }

    @Test("a body that ends before its announced length is cut short")
    func cutShort() async throws {
        let server = try RawServer(reply: Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".utf8))
        defer { server.stop() }
        #expect(await download(server.url("/")) == .broken("cut_short", bytes: 3))
    }

    @Test("refusals are told with their status", arguments: [403, 404, 500])
    func refusals(status: Int) async throws {
        let server = try RawServer(reply: reply(status, body: Array("<html>".utf8)))
        defer { server.stop() }
        #expect(await download(server.url("/")) == .failed("http_\(status)"))
    }

    @Test("redirects are followed, five of them")
    func redirects() async throws {
        let hops = (1...5).map { reply(302, ["Location: /\($0)"]) }
        let server = try RawServer(replies: hops + [reply(body: [1, 2, 3])])
        defer { server.stop() }
        #expect(await download(server.url("/")) == .whole([1, 2, 3], announced: 3))
        let circle = try RawServer(replies: (1...9).map { reply(302, ["Location: /\($0)"]) })
        defer { circle.stop() }
        #expect(await download(circle.url("/")) == .failed("bad_redirect"))
    }

    @Test("a public server's redirect to this machine is not followed, a local one's is")
    func redirectsInside() async throws {
        func server() throws -> RawServer {
            try RawServer(replies: [reply(302, ["Location: /1"]), reply(body: [1, 2, 3])])
        }
        let outside = try server()
        defer { outside.stop() }
        #expect(await download(outside.url("/"), home: .open) == .failed("refused_address"))
        #expect(outside.requests.count == 1)
        let inside = try server()
        defer { inside.stop() }
        #expect(await download(inside.url("/")) == .whole([1, 2, 3], announced: 3))
    }

    @Test("gzip is asked for by nobody and given as it comes, another coding is refused")
    func codings() async throws {
        let server = try RawServer(replies: [
            reply(200, ["Content-Encoding: gzip"], body: [0x1F, 0x8B]), reply(203, body: [1]),
            reply(200, ["Content-Encoding: br"], body: [1]),
        ])
        defer { server.stop() }
        #expect(await download(server.url("/")) == .whole([0x1F, 0x8B], announced: 2))
        #expect(server.requests.first?.header("Accept-Encoding") == "identity")
        #expect(await download(server.url("/")) == .whole([1], announced: 1))
        #expect(await download(server.url("/")) == .failed("bad_encoding"))
    }

    @Test("silence ends a download, not its size or its time")
    func limits() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n12345678")
            connection.waitForClose()
        }
        defer { server.stop() }
        let limits = FetchLimits(
            totalTimeout: .milliseconds(50), stallTimeout: .milliseconds(200), maximumBodyBytes: 4,
            maximumTransferBytes: 4)
        #expect(await download(server.url("/"), limits: limits) == .broken("stalled", bytes: 8))
    }

    @Test("what is no http URL is told")
    func badURLs() async {
        #expect(await download("ftp://example.org/") == .failed("bad_url"))
        #expect(await download("http://user:secret@127.0.0.1/") == .failed("bad_url"))
    }
}
