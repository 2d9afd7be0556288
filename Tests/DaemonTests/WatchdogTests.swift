import Dispatch
import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Simulation
import Store
import TestSupport
import Testing

@testable import Daemon

/// The scheduler's progress as reported to the service manager: the poller under a test clock, and the real program.
@Suite(.timeLimit(.minutes(60))) struct WatchdogTests {
    /// A poller whose only source is polled on demand.
    private struct Scene: Sendable {
        let directory = TemporaryDirectory()
        let clock = ManualClock()
        let lines = Facts<String>()
        let listener: NotifyListener
        let poller: Poller
        /// Its start, as uptime.
        let start: Duration

        init(watchdog: Duration?, isManaged: Bool = true, answer: Data? = nil) throws {
            listener = try NotifyListener(directory.path + "/notify.sock")
            let store = try EventStore(path: directory.path + "/events.sqlite")
            let source = SourceSettings(
                name: "news", kind: "rss", url: "https://news.test/feed.xml", refreshInterval: .seconds(86_400),
                offset: .seconds(86_400))
            try store.reconcile([source], at: clock.now.wall)
            let feed = try #require(try FeedRegistry.feed(for: source))
            let sources = [EngineSource(settings: source, feed: feed)]
            start = clock.now.uptime
            let (log, watch) = (lines, clock)
            let handler = LineLogHandler(
                format: .logfmt, level: LogLevel(.info), now: { watch.now.wall }, output: { log.append($0) })
            poller = Poller(
                engine: Engine(
                    sources: sources, limits: EngineLimits(perHostGap: .zero), seed: 1, at: clock.now), store: store,
                network: { (request: FetchRequest) async throws(Failure) -> FetchOutcome in
                    guard let answer else { throw Failure(.network, .timeout, "no answer from news.test") }
                    return .body(
                        FetchedBody(
                            data: answer, url: request.url, facts: FetchFacts(serverDate: InProcessDaemon.start)))
                },
                authorization: { _ in Secret("") }, time: clock.time,
                logger: Logger(label: "test") { _ in handler },
                manager: isManaged ? ServiceManager(environment: listener.environment(watchdog: watchdog)) : .none)
        }

        /// Waits until the poller sleeps until a number of seconds after its start.
        func sleeps(until seconds: Int) async -> Bool {
            let time = start + .seconds(seconds)
            return await clock.alarms.wait { $0.contains(time) }
        }

        func mustSleep(until seconds: Int) async throws {
            let isAsleep = await sleeps(until: seconds)
            try #require(isAsleep)
        }
    }

    private static let truncation = 300

    @Test func withoutAWatchdogOnlyTheScheduleWakes() async throws {
        for isManaged in [false, true] {
            let scene = try Scene(watchdog: nil, isManaged: isManaged)
            async let running: Void = scene.poller.run()
            let isAsleep = await scene.sleeps(until: Self.truncation)
            #expect(isAsleep)
            scene.poller.stop()
            await running
            #expect(scene.clock.alarms.all.first == scene.start + .seconds(Self.truncation))
            #expect(scene.listener.take() == [])
        }
    }

    @Test func eachThirdOfTheIntervalFeedsTheWatchdog() async throws {
        let scene = try Scene(watchdog: .seconds(240))
        async let running: Void = scene.poller.run()
        for seconds in [80, 160, 240] {
            let isAsleep = await scene.sleeps(until: seconds)
            #expect(isAsleep)
            #expect(scene.listener.take() == ["WATCHDOG=1"])
            scene.clock.advance(.seconds(80))
        }
        scene.poller.stop()
        await running
    }

    @Test func aWatchdogThatIsTooShortIsInTheLog() async throws {
        let scene = try Scene(watchdog: .microseconds(1))
        let period = scene.start + .milliseconds(100)
        async let running: Void = scene.poller.run()
        let isAsleep = await scene.clock.alarms.wait { $0.contains(period) }
        #expect(isAsleep)
        scene.poller.stop()
        await running
        #expect(scene.lines.all.filter { $0.contains("watchdog is too short") }.count == 1)
    }

    @Test func aWriteThatDoesNotComeBackStarvesTheWatchdog() async throws {
        let scene = try Scene(watchdog: .seconds(300))
        async let running: Void = scene.poller.run()
        try await scene.mustSleep(until: 100)
        let gate = DispatchSemaphore(value: 0)
        let begun = Facts<Bool>()
        async let held: Void = scene.poller.writer.perform {
            begun.append(true)
            gate.wait()
        }
        defer { gate.signal() }
        let isHeld = await begun.wait { !$0.isEmpty }
        #expect(isHeld)
        scene.clock.advance(.seconds(1799))
        try await scene.mustSleep(until: 1899)
        #expect(scene.listener.take() == ["WATCHDOG=1", "WATCHDOG=1"], "a slow disk is no hang")
        scene.clock.advance(.seconds(100))
        try await scene.mustSleep(until: 1999)
        #expect(scene.listener.take() == [])
        let words = scene.lines.all.filter { $0.contains("watchdog is no longer fed") }
        #expect(words.count == 1)
        #expect(words.first?.contains("error") == true)
        gate.signal()
        try await held
        scene.clock.advance(.seconds(100))
        try await scene.mustSleep(until: 2099)
        #expect(scene.listener.take() == ["WATCHDOG=1"])
        scene.poller.stop()
        await running
    }

    @Test func aPollThatEndsIsSeenInTheStatusOnceForMany() async throws {
        let feed = Documents.rss([.init(guid: "1", title: "One", date: InProcessDaemon.start - 60)])
        for (answer, expected) in [(feed, "STATUS=1 source; next poll "), (nil, "STATUS=1 source, 1 failing (news); ")]
        {
            let scene = try Scene(watchdog: nil, answer: answer)
            async let running: Void = scene.poller.run()
            for _ in 0..<2 { _ = await scene.poller.poll("news") }
            scene.poller.stop()
            await running
            let messages = scene.listener.take()
            #expect(messages.count == 1, "\(messages)")
            #expect(messages.first?.hasPrefix(expected) == true, "\(messages)")
        }
    }

    // MARK: - The real program

    private static let hasProgram = DaemonProcess.executable != nil

    private func configuration(_ directory: TemporaryDirectory, database: String) throws -> String {
        let feed = directory.path + "/feed.xml"
        try Documents.rss([.init(guid: "1", title: "One", date: Date() - 60)]).write(to: URL(fileURLWithPath: feed))
        let path = directory.path + "/visiventd.yaml"
        let text = """
            database: "\(database)"
            sources:
              - name: news
                kind: rss
                url: file://\(feed)
                offset: 0s
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(.enabled(if: WatchdogTests.hasProgram, "the executable visiventd is not beside the test program"))
    func theDaemonSaysWhenItIsReadyThatItLivesAndThatItStops() async throws {
        let directory = TemporaryDirectory()
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let messages = listener.collect()
        let file = try configuration(directory, database: directory.path + "/events.sqlite")
        let daemon = try DaemonProcess(
            configuration: file,
            within: [
                "NOTIFY_SOCKET=\(listener.address)", "WATCHDOG_USEC=300000000",
                "RUNTIME_DIRECTORY=\(directory.path)",
            ])
        let isUp = await messages.wait { messages in
            messages.contains("WATCHDOG=1") && messages.contains { $0.hasPrefix("STATUS=") }
        }
        #expect(isUp)
        #expect(messages.all.first == "STATUS=opening the database", "\(messages.all)")
        let ready = messages.all.first { $0.hasPrefix("READY=1") }
        #expect(ready?.hasPrefix("READY=1\nSTATUS=1 source; next poll ") == true, "\(messages.all)")
        #expect(FileManager.default.fileExists(atPath: directory.path + "/control.sock"))
        daemon.signal(SIGTERM)
        let isStopping = await messages.wait { messages in messages.contains { $0.hasPrefix("STOPPING=1\n") } }
        #expect(isStopping)
        let exit = await daemon.exit()
        #expect(exit?.status == 0)
    }

    @Test(
        .enabled(if: WatchdogTests.hasProgram, "the executable visiventd is not beside the test program"),
        arguments: [4, 10])
    func aMigrationTellsWhatItIsAtBeforeTheDaemonIsReady(schema: Int) async throws {
        let directory = TemporaryDirectory()
        let database = directory.path + "/events.sqlite"
        try EventStore(path: database, version: schema).close()
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let messages = listener.collect()
        let file = try configuration(directory, database: database)
        let daemon = try DaemonProcess(configuration: file, within: ["NOTIFY_SOCKET=\(listener.address)"])
        #expect(await messages.wait { messages in messages.contains { $0.hasPrefix("READY=1") } })
        let before = messages.all.prefix { !$0.hasPrefix("READY=1") }.filter { $0.hasPrefix("STATUS=") }
        #expect(before.first == "STATUS=opening the database", "\(before)")
        #expect(before.contains("STATUS=the database has been copied"), "\(before)")
        #expect(
            before.contains { $0.hasPrefix("STATUS=migrating the database from schema \(schema) to ") }, "\(before)")
        #expect(before.last == "STATUS=the database has been migrated", "\(before)")
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test(.enabled(if: WatchdogTests.hasProgram, "the executable visiventd is not beside the test program"))
    func aStartThatFailsEndsAtOnce() async throws {
        let directory = TemporaryDirectory()
        let listener = try NotifyListener(directory.path + "/notify.sock")
        let file = try configuration(directory, database: directory.path + "/nowhere/events.sqlite")
        let daemon = try DaemonProcess(configuration: file, within: ["NOTIFY_SOCKET=\(listener.address)"])
        let exit = await daemon.exit()
        #expect(exit?.status == 69)
        #expect(listener.take() == [])
    }

    @Test(.enabled(if: WatchdogTests.hasProgram, "the executable visiventd is not beside the test program"))
    func aQuietCheckSaysNothingButFaults() async throws {
        let directory = TemporaryDirectory()
        let program = try #require(DaemonProcess.executable).path
        let file = try configuration(directory, database: directory.path + "/events.sqlite")
        let good = try await MeasuredRun.of([program, "check", "--quiet", "--config", file])
        #expect(good.status == 0)
        #expect(good.output + good.errors == "")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "offset:", with: "offste:").write(
            toFile: file, atomically: true, encoding: .utf8)
        let bad = try await MeasuredRun.of([program, "check", "--quiet", "--config", file])
        #expect(bad.status == 78)
        #expect(bad.output == "")
        #expect(bad.errors.contains("sources[0].offste"))
    }
}
