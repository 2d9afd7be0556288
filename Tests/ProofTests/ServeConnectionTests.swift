import Foundation
import ProcessSupport
import Testing

/// Clients that cost `visiventd serve` more than they should: each is bounded, and others are served meanwhile.
@Suite(.enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct ServeConnectionTests {
    /// The largest memory in MB, whatever clients do: it idles at 55, and 500 streams take 10 more.
    private static let maximumMegabytes = 160

    /// A database with 200 events, whose daemon has stopped.
    private func record() async throws -> ServedRecord {
        let record = try await ServedRecord(events: 200)
        let daemon = try await record.startDaemon()
        #expect(await record.poll())
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        return record
    }

    private func checkMemory(of serve: DaemonProcess) throws {
        let peak = MeasuredRun.peakBytes(of: try #require(serve.identifier, "\(serve.lines.all.suffix(5))"))
        #expect(peak > 10 << 20, "nothing was measured")
        #expect(peak < Self.maximumMegabytes << 20, "\(peak >> 20) MB")
    }

    @Test("200 heads and bodies that drip in, or stop, are not awaited for long, and others are served meanwhile")
    func slowloris() async throws {
        let record = try await record()
        defer { record.end() }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        let address = try record.port(of: serve)
        let clients = try (0..<200).map { try ServeClient(address, as: $0) }
        for (number, client) in clients.enumerated() {
            switch number % 4 {
            case 0: client.send("GET /collections HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            case 1: client.ask("/conformance", headers: "X-Next: yes\r\n\r\nGET /collections HTTP/1.1\r\nX-Slow: ")
            case 2: client.ask("/conformance", headers: "Content-Length: 1000000000\r\n")
            default: client.send("GET / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000000\r\n\r\n")
            }
        }
        // Half of them go on, a byte at a time, as long as they can.
        let over = Facts<Bool>()
        Thread.detachNewThread {
            while over.all.isEmpty {
                for client in clients.prefix(100) { client.send("x") }
                usleep(50_000)
            }
        }
        defer { over.append(true) }
        #expect(try await record.answer(at: address, to: "/collections").hasPrefix("HTTP/1.1 200 OK\n"))
        for (number, client) in clients.enumerated() {
            let text = await client.receive()
            let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            let expected: [[Substring]] = [[], ["200"], ["413"], ["421"]]
            #expect(answers == expected[number % 4], "\(text)")
        }
        #expect(try await record.answer(at: address, to: "/collections").hasPrefix("HTTP/1.1 200 OK\n"))
        try checkMemory(of: serve)
    }

    @Test(
        "10 000 connections: memory is bounded, one line is logged, another listener serves, and then this one",
        .enabled(if: ServeClient.fileLimit >= 16_384, "this process may not open 16 384 files (ulimit -Hn)"))
    func crowd() async throws {
        let record = try await record()
        defer { record.end() }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        let address = try record.port(of: serve)
        // Two listeners have half of the 1024 connections each. Streams hold theirs as long as they like.
        var streams: [ServeClient] = []
        for number in 0..<512 {
            let client = try ServeClient(address, as: number)
            // One after the other, since no more than 64 requests wait for a reader.
            client.ask("/stream")
            #expect(await client.receive { $0.contains("retry:") }.contains("retry:"))
            streams.append(client)
        }
        var crowd = try (512..<10_000).map { _ in try ServeClient(address, isPatient: false) }
        for client in crowd.prefix(crowd.count / 2) { client.send("GET /collections HTTP/1.1\r\nHost: ") }
        #expect(await serve.says("too many connections", "connections=512"))
        #expect(try await record.answer(at: record.socket, to: "/collections").hasPrefix("HTTP/1.1 200 OK\n"))
        #expect(serve.linesHolding("too many connections").count == 1)
        try checkMemory(of: serve)

        // The streams end with their clients, else nobody else would be accepted. The crowd's own share is taken until the
        // service has seen the last of it go.
        crowd.removeAll()
        streams.removeAll()
        #expect(try await record.answer(at: address, to: "/collections", as: 1).hasPrefix("HTTP/1.1 200 OK\n"))
        serve.signal(SIGTERM)
        #expect(await serve.exit()?.status == 0)
        #expect(serve.linesHolding("cannot be read").isEmpty)
    }

    @Test("with few descriptors there are few connections, so that the database and another listener have theirs")
    func fewDescriptors() async throws {
        let record = try await record()
        defer { record.end() }
        let serve = try await record.startServing(files: 128)
        defer { serve.signal(SIGKILL) }
        let address = try record.port(of: serve)
        // Half of 64 for each listener; the others wait in the kernel's queue.
        var clients = try (0..<32).map { try ServeClient(address, as: $0) }
        for client in clients { client.ask("/stream") }
        for client in clients { #expect(await client.receive { $0.contains("retry:") }.contains("retry:")) }
        clients += try (0..<100).map { _ in try ServeClient(address) }
        #expect(await serve.says("too many connections", "connections=32"))
        #expect(try await record.answer(at: record.socket, to: "/collections").hasPrefix("HTTP/1.1 200 OK\n"))
        clients.removeAll()
        #expect(try await record.answer(at: address, to: "/collections", as: 1).hasPrefix("HTTP/1.1 200 OK\n"))
    }

    @Test("a stream ends when its client has ended its sending side")
    func halfClosed() async throws {
        let record = try await record()
        defer { record.end() }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        for address in [record.socket, try record.port(of: serve)] {
            let stream = try ServeClient(address)
            stream.ask("/stream?after=0")
            #expect(await stream.receive { $0.contains("id: 200\n") }.contains("id: 200\n"))
            stream.endSending()
            #expect(await stream.receive().hasSuffix("0\n\n"), "the last chunk")
        }
    }

    @Test("heads of a megabyte are refused", arguments: ["target", "line", "lines", "name"])
    func hugeHeads(part: String) async throws {
        let record = try await ServedRecord(events: 1)
        defer { record.end() }
        let serve = try await record.startServing()
        defer { serve.signal(SIGKILL) }
        let long = String(repeating: "x", count: 1 << 20)
        let head =
            switch part {
            case "target": "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            case "line": "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: \(long)\r\n\r\n"
            case "lines": "GET / HTTP/1.1\r\n" + String(repeating: "X-Another: header\r\n", count: 10_000) + "\r\n"
            default: "GET / HTTP/1.1\r\n\(long): x\r\n\r\n"
            }
        for _ in 0..<8 {
            let client = try ServeClient(record.socket)
            client.send(head)
            client.endSending()
            let text = await client.receive()
            #expect(text.hasPrefix("HTTP/1.1 431 "), "\(text)")
        }
        // There is no database yet, and it still answers so.
        #expect(try await record.answer(at: record.socket, to: "/status").hasPrefix("HTTP/1.1 503 "))
        try checkMemory(of: serve)
    }
}
