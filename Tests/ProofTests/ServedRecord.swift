import Control
import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Synchronization
import TestSupport
import Testing

/// A feed whose earthquakes are all revised by each poll, a daemon that stores them, and `visiventd serve` beside it.
final class ServedRecord: Sendable {
    private let server = ScriptedUpstream()
    private let directory = TemporaryDirectory()
    private let start = Date()
    private let count: Int
    private let edition = Mutex(0)
    /// Called when the feed is asked, before it answers: in the middle of a poll.
    private let amid = Mutex<@Sendable () -> Void>({})

    /// - Parameter count: The number of earthquakes.
    init(events count: Int) async throws {
        self.count = count
        server.answerOthers { [self] _ in .body(body(), type: "application/json", etag: .absent) }
        try await server.start()
        try """
        database: "\(database.path)"
        control_socket: "\(directory.path)/control.sock"
        log: {level: debug, format: logfmt}
        fetch: {per_host_gap: 0s}
        sources:
          - {name: quakes, kind: usgs, url: "\(server.baseURL)/quakes", refresh_interval: 24h, offset: 12h,
             max_age: 720h}
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    func end() { Task { [server] in await server.stop() } }

    private func body() -> Data {
        let amid = amid.withLock { $0 }
        amid()
        let edition = edition.withLock { edition in
            edition += 1
            return edition
        }
        let first = start.milliseconds - 3_600_000
        let revised = first + Int64(edition) * 1000
        let features = (0..<count).map { number in
            let tenths = 10 + (number + edition) % 70
            let time = first - Int64(number) * 1000
            return Documents.feature("us\(number)", time: time, updated: revised, magnitude: Double(tenths) / 10)
        }
        return Documents.usgs(features, generated: revised + 1_800_000)
    }

    /// The database.
    var database: LeftDatabase { LeftDatabase(path: directory.path + "/events.sqlite") }
    /// The Unix socket of the service.
    var socket: ServeClient.Address { .socket(directory.path + "/http.sock") }
    private var configuration: String { directory.path + "/visiventd.yaml" }

    /// Starts the daemon, which polls only when it is told to.
    func startDaemon() async throws -> DaemonProcess {
        let daemon = try DaemonProcess(configuration: configuration)
        #expect(await daemon.says(" started ", "control="), "\(daemon.lines.all)")
        return daemon
    }

    /// Starts the service at the Unix socket and at a port of its choice.
    /// - Parameter files: How many files it may open; as many as its unit allows by default.
    func startServing(files: Int = 2048) async throws -> DaemonProcess {
        let listen = ["--listen", "127.0.0.1:0", "--listen", "unix:\(directory.path)/http.sock"]
        let serve = try DaemonProcess(
            ["serve"] + listen, configuration: configuration, within: ["prlimit", "--nofile=\(files):\(files)"])
        #expect(await serve.says(" serving ", "listen="), "\(serve.lines.all)")
        return serve
    }

    /// The port of a service that was started by `startServing`.
    func port(of serve: DaemonProcess) throws -> ServeClient.Address {
        let line = try #require(serve.linesHolding(" serving ").first)
        let start = try #require(line.range(of: "127.0.0.1:")).upperBound
        return .port(try #require(UInt16(line[start...].prefix { $0.isNumber })))
    }

    /// Has the daemon poll: all earthquakes come, or are revised.
    /// - Parameter amid: Called in the middle of the poll.
    /// - Returns: Whether the poll has succeeded.
    func poll(amid: @escaping @Sendable () -> Void = {}) async -> Bool {
        self.amid.withLock { $0 = amid }
        let answers = Facts<Bool>()
        let control = directory.path + "/control.sock"
        Thread.detachNewThread {
            let isSuccess = try? ControlClient.send(ControlRequest(.poll, sources: ["quakes"]), to: control) { _ in }
            answers.append(isSuccess ?? false)
        }
        _ = await answers.wait { !$0.isEmpty }
        return answers.all == [true]
    }

    /// Asks on a connection of its own, and returns what comes until the service closes it.
    func answer(at address: ServeClient.Address, to target: String, as number: Int = 0) async throws -> String {
        let client = try ServeClient(address, as: number)
        client.ask(target, headers: "Connection: close\r\n")
        return await client.receive()
    }

    /// The size of the write-ahead log in bytes; 0 without one.
    var logBytes: Int {
        var status = stat()
        return stat(database.path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }
}
