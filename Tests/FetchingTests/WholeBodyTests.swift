import Fetching
import Foundation
import Model
import Testing

/// A body is complete or an error.
@Suite(.timeLimit(.minutes(60)))
struct WholeBodyTests {
    /// The content of the compressed samples.
    static let sample = String(repeating: "{\"type\":\"FeatureCollection\",\"features\":[]}\n", count: 40)

    /// The sample in gzip.
    static func compressed() throws -> [UInt8] {
        let text =
            "H4sIAAAAAAACA6tWKqksSFWyUnJLTSwpLUp1zs/JSU0uyczPU9JRSoOIFStZRcfWclWPKh1VOqp0VOmo0lGlA60UAOy6MoK4BgAA"
        return Array(try #require(Data(base64Encoded: text)))
    }

    @Test func compressedBodiesAreDecoded() async throws {
        let bytes = try Self.compressed()
        let server = try RawServer(reply: reply(200, ["Content-Encoding: gzip"], body: bytes))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(String(decoding: body.data, as: UTF8.self) == Self.sample)
        #expect(body.facts.bytes == bytes.count)
        #expect(server.requests.first?.header("Accept-Encoding") == "gzip")
    }

    @Test func compressedBodiesThatEndEarlyAreCutShort() async throws {
        // The transfer itself is complete, with the length of the truncated data.
        let bytes = try Self.compressed()
        for length in [1, bytes.count / 2, bytes.count - 1] {
            let shortened = Array(bytes.prefix(length))
            let server = try RawServer(reply: reply(200, ["Content-Encoding: gzip"], body: shortened))
            defer { server.stop() }
            let failure = try #require(try await makeFetcher().failure(server.url("/")), "\(length) bytes")
            #expect(failure.code == "cut_short")
            #expect(failure.fault == .network)
        }
    }

    @Test func severalGzipMembersAreOneBodyAndPaddingIsIgnored() async throws {
        let bytes = try Self.compressed()
        let server = try RawServer(
            reply: reply(200, ["Content-Encoding: x-gzip"], body: bytes + bytes + [0, 0, 0x1F, 0]))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(String(decoding: body.data, as: UTF8.self) == Self.sample + Self.sample)
    }

    @Test(arguments: ["none", "None", "identity", ""])
    func codingsThatAreNoneAreReadAsTheyStand(coding: String) async throws {
        let server = try RawServer(reply: reply(200, ["Content-Encoding: \(coding)"], body: Array("plain".utf8)))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(body.data == Data("plain".utf8))
    }

    @Test func damagedAndUnknownCodingsAreRefused() async throws {
        var damaged = try Self.compressed()
        damaged[damaged.count - 6] ^= 1  // within the checksum
        let cases: [(String, [UInt8])] = [
            ("gzip", damaged), ("gzip", Array("plain".utf8)), ("zstd", [1, 2, 3, 4]), ("br", [0xFF, 0xFF, 0xFF]),
        ]
        for (coding, bytes) in cases {
            let server = try RawServer(reply: reply(200, ["Content-Encoding: \(coding)"], body: bytes))
            defer { server.stop() }
            let failure = try #require(try await makeFetcher().failure(server.url("/")), "\(coding)")
            #expect(failure.code == "bad_encoding")
            #expect(failure.fault == .server)
            if coding != "gzip" { #expect(failure.message.hasSuffix("sent the unknown content coding \(coding)")) }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
        // libcurl itself treats these as success.
        "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n",
    ])
    func bodiesThatEndEarlyAreCutShort(answer: String) async throws {
        let server = try RawServer(reply: Array(answer.utf8))
        defer { server.stop() }
        let failure = try #require(try await makeFetcher().failure(server.url("/")))
        #expect(failure.code == "cut_short")
        #expect(failure.fault == .network)
    }

    @Test func chunksWithTrailersAreWholeAndInterimAnswersAreDropped() async throws {
        let answer =
            "HTTP/1.1 103 Early\r\nETag: \"early\"\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: public, max-age=60\r\nX-A: 1\r\n"
            + "x-a: 2\r\n folded\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nETag: \"trailer\"\r\n\r\n"
        let server = try RawServer(reply: Array(answer.utf8))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(body.data == Data("abcde".utf8))
        #expect(body.facts.validators.isEmpty)
        #expect(body.headers["x-a"] == "1, 2 folded")
        #expect(body.facts.maxAge == .seconds(60))
        #expect(body.httpVersion == "1.1")
    }

    @Test(arguments: [[], ["Content-Encoding: gzip"]] as [[String]])
    func emptyBodiesArePassedOn(headers: [String]) async throws {
        let server = try RawServer(reply: reply(200, headers))
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(body.data.isEmpty)
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        let head = Array("HTTP/1.0 200 OK\r\n\r\n".utf8)
        let server = try RawServer(reply: head + bytes)
        defer { server.stop() }
        let body = try #require(try await makeFetcher().body(server.url("/")))
        #expect(body.data == Data(bytes))
        #expect(body.facts.bytes == bytes.count)
        #expect(body.httpVersion == "1.0")
    }
}
