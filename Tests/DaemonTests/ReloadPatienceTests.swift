import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// A daemon under a test clock, with a secret that is unreadable for a while.
@Suite(.timeLimit(.minutes(60))) struct ReloadPatienceTests {
    /// Files with one token each; all can be made unreadable.
    private final class SecretFiles: Sendable {
        private let error = Mutex<FileReadingError?>(nil)

        var reading: FileReading {
            FileReading { _ in
                if let error = self.error.withLock({ $0 }) { throw error }
                return Data("token\n".utf8)
            }
        }

        func set(failing: Bool) { set(failing ? FileReadingError("Input/output error", isTransient: true) : nil) }

        func set(_ error: FileReadingError?) { self.error.withLock { $0 = error } }
    }

    private let directory = TemporaryDirectory()
    private let clock = ManualClock()
    private let files = SecretFiles()
    private let lines = Facts<String>()

    private var path: String { directory.path + "/visiventd.yaml" }

    private func write(others: [String]) throws {
        var text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/c.sock"
            reload_on_edit: false
            disk: {minimum_free: 0B}
            sources:
              - name: messages
                kind: twitter
                enabled: true
                url: https://api.test/2/tweets/search/recent
                query: etna
                offset: 1h
                bearer_token_file: bearer.token

            """
        for name in others {
            text += "  - {name: \(name), kind: rss, url: \"file://\(directory.path)/\(name).xml\", offset: 1h}\n"
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func silence(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        throw Failure(.network, .timeout, "nobody answers")
    }

    private func makeDaemon() throws -> Daemon {
        let (file, time, log, level) = (path, clock, lines, LogLevel(.info))
        let load: ConfigurationFile.Loader = { () throws(SettingsErrors) in
            try SettingsReader.read(path: file, environment: [:])
        }
        let (settings, sources) = try load()
        let handler = LineLogHandler(
            format: .logfmt, level: level, now: { time.now.wall }, output: { log.append($0) })
        return try Daemon(
            settings: settings, sources: sources, secrets: SecretReader(environment: [:], files: files.reading),
            time: time.time, seed: 1, network: Self.silence,
            configuration: ConfigurationFile(path: file, logLevel: level, load: load),
            logger: Logger(label: "test") { _ in handler })
    }

    /// Lets time pass once a sleeper waits for it.
    private func pass(_ duration: Duration) async {
        let at = clock.now.uptime + duration
        #expect(await clock.alarms.wait { $0.contains(at) })
        clock.advance(duration)
    }

    private func says(_ words: String...) async -> Bool {
        await lines.wait { lines in lines.contains { line in words.allSatisfy { line.contains($0) } } }
    }

    private func count(_ words: String) -> Int { lines.all.count { $0.contains(words) } }

    /// The replies to `visiventd reload`.
    private func reload(_ daemon: Daemon) async -> [String] {
        let replies = Facts<String>()
        await daemon.answerReload { replies.append($0.message) }
        return replies.all
    }

    @Test func oneSecretThatNeverCanBeReadHoldsEditsBackForAMinuteOnly() async throws {
        try write(others: ["a"])
        let daemon = try makeDaemon()
        async let running: Void = daemon.run()
        #expect(await says("started"))

        files.set(failing: true)
        try write(others: ["a", "b"])
        daemon.poller.tell(.look(.signal))
        #expect(await says("configuration cannot be read just now"))
        #expect(daemon.poller.statusLine.hasPrefix("configuration could not be read: "))
        for seconds in [1, 2, 4, 8, 16] { await pass(.seconds(seconds)) }
        // The next pause would be longer than the rest of the minute.
        let last = clock.now.uptime + .seconds(29)
        #expect(await clock.alarms.wait { $0.contains(last) })
        #expect(!daemon.poller.hasSource("b"))
        #expect(count("configuration cannot be read just now") == 1)
        await pass(.seconds(29))
        #expect(await says("configuration was reloaded", "added: b"))
        #expect(daemon.poller.statusLine.hasPrefix("3 sources"))
        #expect(count("credentials are not complete") == 1)
        #expect(await daemon.poller.poll("messages")?.end.failure?.code == "nothing_to_ask")

        // Nothing waits for the secret any more.
        try write(others: ["a", "b", "c"])
        #expect(await reload(daemon) == ["added: c"])
        #expect(try daemon.store.refusedConfiguration() == nil)

        // It is still checked each minute.
        let next = clock.now.uptime + .seconds(60)
        #expect(await clock.alarms.wait { $0.contains(next) })
        files.set(failing: false)
        daemon.poller.tell(.look(.edit))  // In a minute the source would be due as well.
        await pass(.milliseconds(200))
        #expect(await says("configuration was reloaded", "a secret can be read again"))
        #expect(await daemon.poller.poll("messages")?.end.failure?.code == "timeout")
        daemon.poller.stop()
        try await running
    }

    @Test func aReloadNamesSecretsThatAreLostOrBack() async throws {
        try write(others: [])
        let daemon = try makeDaemon()
        async let running: Void = daemon.run()
        #expect(await says("started"))

        files.set(FileReadingError("No such file or directory"))
        let lost = await reload(daemon)
        #expect(lost.count == 1)
        #expect(lost.first?.hasPrefix("secret missing: messages (") == true, "\(lost)")
        #expect(lost.first?.hasSuffix("/bearer.token cannot be read: No such file or directory)") == true, "\(lost)")
        #expect(await daemon.poller.poll("messages")?.end.failure?.code == "nothing_to_ask")
        #expect(await reload(daemon) == ["nothing has changed"])
        files.set(nil)
        #expect(await reload(daemon) == ["secret no longer missing: messages"])
        #expect(await daemon.poller.poll("messages")?.end.failure?.code == "timeout")

        // It is found without a command, too.
        files.set(FileReadingError("No such file or directory"))
        #expect(await reload(daemon) == lost)
        files.set(nil)
        await pass(.seconds(1))
        #expect(await says("secret no longer missing: messages", "a secret can be read again"))
        daemon.poller.stop()
        try await running
    }

    @Test func eachOfTwoWhoAskAtOnceIsAnswered() async throws {
        try write(others: ["a"])
        let daemon = try makeDaemon()
        async let running: Void = daemon.run()
        #expect(await says("started"))
        try write(others: ["a", "b"])
        async let first = reload(daemon)
        async let second = reload(daemon)
        let answers = await first + second
        #expect(answers.sorted() == ["added: b", "nothing has changed"])
        daemon.poller.stop()
        try await running
        #expect(await reload(daemon).count == 1, "nobody waits for ever")
    }
}
