import Control
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import TestSupport
import Testing

@testable import Daemon

/// The answer of a daemon with paused polls to clients of its control socket.
@Suite(.timeLimit(.minutes(10))) struct PauseTests {
    private let directory = TemporaryDirectory()

    private static func silence(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        throw Failure(.network, "timeout", "nobody answers")
    }

    /// The answer of the daemon. It runs on a thread of its own, since it blocks.
    private func health(at socket: String, within seconds: Int) async -> DaemonHealth {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: ControlClient.health(at: socket, within: seconds))
            }
        }
    }

    /// The answer of a daemon that requires this many free bytes, once its log has a line with `words`.
    private func health(withFloor floor: Int, after words: String) async throws -> DaemonHealth {
        let directory = TemporaryDirectory()
        let (path, socket) = (directory.path + "/v.yaml", directory.path + "/c.sock")
        let text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(socket)"
            reload_on_edit: false
            sources: [{name: news, kind: rss, url: "https://news.test/", offset: 1h}]

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var (settings, sources) = try SettingsReader.read(path: path, environment: [:])
        settings.disk.minimumFreeBytes = floor
        let (clock, lines) = (ManualClock(), Facts<String>())
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.info), now: { clock.now.wall }, output: { lines.append($0) })
        let daemon = try Daemon(
            settings: settings, sources: sources, secrets: SecretReader(environment: [:]), time: clock.time, seed: 1,
            network: Self.silence, logger: Logger(label: "test") { _ in handler })
        async let running: Void = daemon.run()
        #expect(await lines.wait { lines in lines.contains { $0.contains(words) } })
        // Other tests may keep the daemon's threads busy.
        let health = await health(at: socket, within: 60)
        daemon.poller.stop()
        try await running
        withExtendedLifetime(directory) {}
        return health
    }

    @Test func whoAsksHearsWhyPollsPause() async throws {
        // More than the size of any disk.
        let low = try await health(withFloor: 1 << 60, after: "disk space is below the floor, polls pause")
        #expect(low.pause?.hasPrefix("polls pause: disk, until ") == true, "\(low)")
        #expect(try await health(withFloor: 0, after: "started") == DaemonHealth())
    }

    @Test func whoDoesNotAnswerIsNotWaitedForLong() async throws {
        let path = directory.path + "/c.sock"
        let listener = try UnixSocket.listening(at: path)
        defer { close(listener.descriptor) }
        #expect(await health(at: path, within: 1) == DaemonHealth())
    }
}
