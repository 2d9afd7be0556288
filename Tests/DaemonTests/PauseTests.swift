import Control
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import Simulation
import TestSupport
import Testing

@testable import Daemon

/// The answer of a daemon with paused polls to clients of its control socket.
@Suite(.timeLimit(.minutes(60))) struct PauseTests {
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

    /// The daemon's last message about a poll of a source. It runs on a thread of its own, too.
    private func poll(_ source: String, at socket: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        var message = ""
                        let request = ControlRequest(.poll, sources: [source])
                        _ = try ControlClient.send(request, to: socket) { message = $0.message }
                        return message
                    })
            }
        }
    }

    /// The result of `ask`, given the folder of a daemon that requires this many free bytes. It is called once the
    /// daemon's log has a line with `words`.
    private func answer<Answer: Sendable>(
        withFloor floor: Int, after words: String, _ ask: (_ folder: String) async throws -> Answer
    ) async throws -> Answer {
        let directory = TemporaryDirectory()
        let path = directory.path + "/v.yaml"
        let text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/c.sock"
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
        let answer = try await ask(directory.path)
        daemon.poller.stop()
        try await running
        withExtendedLifetime(directory) {}
        return answer
    }

    /// The state of a daemon that requires this many free bytes, once its log has a line with `words`.
    private func health(withFloor floor: Int, after words: String) async throws -> DaemonHealth {
        // Other tests may keep the daemon's threads busy.
        try await answer(withFloor: floor, after: words) { await health(at: $0 + "/c.sock", within: 60) }
    }

    @Test func whoAsksHearsWhyPollsPause() async throws {
        // More than the size of any disk.
        let low = try await health(withFloor: 1 << 60, after: "disk space is below the floor, polls pause")
        #expect(low.pause?.hasPrefix("polls pause: disk, until ") == true, "\(low)")
        #expect(try await health(withFloor: 0, after: "started") == DaemonHealth())
    }

    @Test func whoPollsWhileNothingCanBeStoredHearsWhenItIsTriedNext() async throws {
        let message = try await answer(withFloor: 0, after: "started") { folder in
            try FileManager.default.moveItem(atPath: folder + "/events.sqlite", toPath: folder + "/moved.sqlite")
            return try await poll("news", at: folder + "/c.sock")
        }
        #expect(message.hasPrefix("news: not polled: nothing can be stored: The database "), "\(message)")
        let next = InProcessDaemon.start.addingTimeInterval(30).rfc3339
        #expect(message.hasSuffix("; next try \(next)"), "\(message)")
    }

    @Test func whoDoesNotAnswerIsNotWaitedForLong() async throws {
        let path = directory.path + "/c.sock"
        let listener = try UnixSocket.listening(at: path)
        defer { close(listener.descriptor) }
        #expect(await health(at: path, within: 1) == DaemonHealth())
    }
}
