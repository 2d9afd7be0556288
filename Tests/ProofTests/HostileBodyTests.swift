import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Hostile servers against the real program: each poll ends with an error that names the limit, in time, and within the
/// promised memory.
@Suite(.enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct HostileBodyTests {
    /// A server's behaviour and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The path that triggers the behaviour.
        var path: String
        /// The text of the error.
        var words: String
        /// Largest memory in MB: the value of a debug build and 30 %; by default that of the program alone, 57.
        var maximumMegabytes = 74
        var kind = "rss"

        var testDescription: String { path }
    }

    private static let cases = [
        Case(path: "gzip-bomb", words: "above 67108864 bytes after decoding", maximumMegabytes: 140),
        Case(path: "status-line", words: "a header line above 100 KiB"),
        Case(path: "header-line", words: "a header line above 100 KiB"),
        Case(path: "header-lines", words: "headers above 65536 bytes"),
        Case(path: "interim-answers", words: "headers above 65536 bytes"),
        Case(path: "trailers", words: "headers above 65536 bytes"),
        Case(path: "body", words: "a body above 33554432 bytes", maximumMegabytes: 114),
        Case(path: "chunks", words: "a body above 33554432 bytes", maximumMegabytes: 114),
        Case(path: "stream-line", words: "a body above 33554432 bytes", maximumMegabytes: 114, kind: "twitter"),
        Case(path: "drip", words: "took longer than 5s"),
        Case(path: "drip-header", words: "took longer than 5s"),
        Case(path: "drip-header-line", words: "sent nothing for 2s"),
        Case(path: "silence", words: "sent nothing for 2s"),
        Case(path: "redirect-loop", words: "gave up after 5 redirects"),
        Case(path: "redirect-on", words: "gave up after 5 redirects"),
    ]

    @Test(arguments: HostileBodyTests.cases)
    func hostileServersMeetALimit(it: Case) async throws {
        let server = try HostileServer { Self.talk($0) }
        defer { server.stop() }
        let directory = TemporaryDirectory()
        let file = directory.path + "/visiventd.yaml"
        try "token".write(toFile: directory.path + "/token", atomically: true, encoding: .utf8)
        let own = it.kind == "twitter" ? ", query: lava, bearer_token_file: \"\(directory.path)/token\"" : ""
        try """
        database: "\(directory.path)/events.sqlite"
        control_socket: "\(directory.path)/control.sock"
        fetch: {per_host_gap: 0s, connect_timeout: 2s, stall_timeout: 2s, total_timeout: 5s}
        sources:
          - {name: hostile, kind: \(it.kind), url: "http://127.0.0.1:\(server.port)/\(it.path)", enabled: true\(own)}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of([program, "poll", "hostile", "--config", file])
        #expect(run.status == 75, "\(run.errors)")
        #expect(run.output.contains(it.words), "\(run.output)")
        #expect(run.duration < .seconds(20))
        #expect(run.peakBytes < it.maximumMegabytes << 20, "\(run.peakBytes >> 20) MB")
        #expect(run.peakBytes > 10 << 20, "nothing was measured")
    }

    private static func talk(_ connection: HostileServer.Connection) {
        let head = "HTTP/1.1 200 OK\r\n"
        let piece = String(repeating: "x", count: 65_536)
        let second: UInt32 = 1_000_000
        var words = connection.path.dropFirst()
        words = words.prefix { $0 != "?" }
        switch words {
        case "gzip-bomb":
            let bomb = Bombs.gzip(zeros: 1 << 30)
            _ = connection.send(head + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            _ = connection.send([UInt8](bomb))
        case "status-line":
            if connection.send("HTTP/1.1 200 ") { connection.sendForEver(piece) }
        case "header-line":
            if connection.send(head + "X-Long: ") { connection.sendForEver(piece) }
        case "header-lines":
            if connection.send(head) { connection.sendForEver("X-Another: header\r\n") }
        case "interim-answers":
            connection.sendForEver("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
        case "trailers":
            if connection.send(head + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n") {
                connection.sendForEver("X-Trailer: another\r\n")
            }
        case "body":
            if connection.send(head + "Connection: close\r\n\r\n") { connection.sendForEver(piece) }
        case "chunks":
            if connection.send(head + "Transfer-Encoding: chunked\r\n\r\n") {
                connection.sendForEver("10000\r\n\(piece)\r\n")
            }
        case "stream-line":
            let type = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            if connection.send(head + type + "9\r\n{\"text\":\"\r\n") {
                connection.sendForEver("10000\r\n\(piece)\r\n")
            }
        case "drip":
            if connection.send(head + "Content-Length: 100000\r\n\r\n") { connection.sendForEver("x", pause: second) }
        case "drip-header":
            if connection.send(head) { connection.sendForEver("X: y\r\n", pause: second) }
        case "drip-header-line":
            if connection.send(head + "X-Long: ") { connection.sendForEver("x", pause: second) }
        case "silence":
            // One byte a minute keeps the connection alive.
            if connection.send(head + "Content-Length: 100000\r\n\r\n") {
                connection.sendForEver("x", pause: 60 * second)
            }
        case "redirect-loop":
            _ = connection.send("HTTP/1.1 302 Found\r\nLocation: /redirect-loop\r\nContent-Length: 0\r\n\r\n")
        default:
            // Each redirect has a new address: redirect-on, redirect-on1, redirect-on11 …
            _ = connection.send("HTTP/1.1 301 Moved\r\nLocation: /\(words)1\r\nContent-Length: 0\r\n\r\n")
        }
    }
}
