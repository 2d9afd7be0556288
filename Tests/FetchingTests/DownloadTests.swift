import Fetching
import Foundation
import Model
import Testing

/// Large bodies through a socket: whole, or with the reason why they are not.
@Suite(.timeLimit(.minutes(1)))
struct DownloadTests {
    private enum Outcome: Sendable, Equatable {
        case whole([UInt8], announced: Int64?)
        /// It began, and then it broke off.
        case broken(String, bytes: Int)
        case failed(String)
    }

    /// Downloads on a thread of its own: starting and reading block.
    private func download(
        _ url: String, limits: FetchLimits = FetchLimits(), home: AddressZone? = nil
    ) async -> Outcome {
        await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            Thread.detachNewThread {
                do throws(Failure) {
                    let download = try Download(url, limits: limits, home: home)
                    var bytes: [UInt8] = []
                    var piece = [UInt8](repeating: 0, count: 4096)
                    while true {
                        let count = read(download.descriptor, &piece, piece.count)
                        guard count > 0 else { break }
                        bytes += piece[..<count]
                    }
                    close(download.descriptor)
                    if let failure = download.failure() {
                        continuation.resume(returning: .broken(failure.code, bytes: bytes.count))
                    } else {
                        continuation.resume(returning: .whole(bytes, announced: download.totalBytes))
                    }
                } catch {
                    continuation.resume(returning: .failed(error.code))
                }
            }
        }
    }

    @Test("a body larger than any buffer comes whole, under our name")
    func whole() async throws {
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = try RawServer(reply: reply(body: body))
        defer { server.stop() }
        let limits = FetchLimits(userAgent: "visiventd/test")
        #expect(await download(server.url("/cities.txt"), limits: limits) == .whole(body, announced: 1_000_000))
        #expect(server.requests.first?.header("User-Agent") == "visiventd/test")
    }

    @Test("an empty body is whole")
    func empty() async throws {
        let server = try RawServer(reply: reply())
        defer { server.stop() }
        #expect(await download(server.url("/")) == .whole([], announced: nil))
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

    @Test("what is no http URL is told")
    func badURLs() async {
        #expect(await download("ftp://example.org/") == .failed("bad_url"))
        #expect(await download("http://user:secret@127.0.0.1/") == .failed("bad_url"))
    }
}
