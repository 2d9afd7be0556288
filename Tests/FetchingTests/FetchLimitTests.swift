import Fetching
import Foundation
import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct FetchLimitTests {
    /// 200 000 zero bytes, compressed to 229.
    static let bomb = """
        H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBc\
        QA0DAA==
        """

    @Test func decompressedBytesAreLimited() async throws {
        let bytes = Array(try #require(Data(base64Encoded: Self.bomb)))
        let server = try RawServer(reply: reply(200, ["Content-Encoding: gzip"], body: bytes))
        defer { server.stop() }
        let failure = try await makeFetcher { $0.maximumBodyBytes = 199_999 }.failure(server.url("/"))
        #expect(failure?.code == "too_large")
        #expect(failure?.fault == .server)
        #expect(failure?.message.contains("199999") == true)
        let body = try await makeFetcher { $0.maximumBodyBytes = 200_000 }.body(server.url("/"))
        #expect(body?.data == Data(count: 200_000))
    }

    @Test func anAnnouncedLengthAboveTheLimitEndsAtOnce() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let failure = try await makeFetcher { $0.maximumTransferBytes = 4999 }.failure(server.url("/"))
        #expect(failure?.code == "too_large")
        #expect(failure?.message.contains("5000") == true)
        #expect(failure?.message.contains("4999") == true)
    }

    @Test func bytesOnTheWireAreLimited() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            let bytes = [UInt8](repeating: 0x20, count: 4096)
            while connection.send(bytes) {}
        }
        defer { server.stop() }
        let failure = try await makeFetcher { $0.maximumTransferBytes = 100_000 }.failure(server.url("/"))
        #expect(failure?.code == "too_large")
        #expect(failure?.message.contains("100000") == true)
    }

    @Test func headersAreLimited() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n") {}
        }
        defer { server.stop() }
        let failure = try await makeFetcher { $0.maximumHeaderBytes = 10_000 }.failure(server.url("/"))
        #expect(failure?.code == "too_large")
        #expect(failure?.message.contains("10000") == true)
    }

    @Test func oneEndlessHeaderIsLimited() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nX: ")
            let bytes = [UInt8](repeating: 0x61, count: 4096)
            while connection.send(bytes) {}
        }
        defer { server.stop() }
        let failure = try await makeFetcher().failure(server.url("/"))
        #expect(failure?.code == "too_large")
        #expect(failure?.fault == .server)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Ty", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"])
    func silenceIsAStall(beginning: String) async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(beginning)
            connection.waitForClose()
        }
        defer { server.stop() }
        let failure = try await makeFetcher { $0.stallTimeout = .milliseconds(150) }.failure(server.url("/"))
        #expect(failure?.code == "stalled")
        #expect(failure?.fault == .network)
    }

    @Test func aDripEndsWithTheTotalTimeout() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while connection.staysOpen(milliseconds: 10), connection.send([0x20]) {}
        }
        defer { server.stop() }
        let fetcher = try makeFetcher {
            $0.totalTimeout = .milliseconds(300)
            $0.stallTimeout = .seconds(20)
        }
        let failure = await fetcher.failure(server.url("/"))
        #expect(failure?.code == "timeout")
        #expect(failure?.fault == .network)
    }

    @Test func aHandshakeThatNeverEndsIsAConnectTimeout() async throws {
        let server = try RawServer { $0.waitForClose() }
        defer { server.stop() }
        let fetcher = try makeFetcher { $0.connectTimeout = .milliseconds(150) }
        let failure = await fetcher.failure(server.url("/", scheme: "https"))
        #expect(failure?.code == "connect_timeout")
    }
}
