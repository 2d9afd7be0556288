import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import ScriptedUpstream
import Simulation
import Store
import TestSupport
import Testing

@testable import Daemon

/// A source with an open connection: the shell, the engine, the feed and the store together.
@Suite(.timeLimit(.minutes(60))) struct StreamTests {
    private static let rules = #"{"data":[{"id":"5","value":"lava","tag":"visiventd:messages"}],"meta":{}}"#

    // MARK: Tools

    /// A provider with matching rules, whose streams the test writes.
    private final class Provider: Sendable {
        let requests = Facts<FetchRequest>()
        let streams = Facts<FetchedStream>()
        private let headers: [String: String]

        /// - Parameter headers: Headers of the streams.
        init(headers: [String: String] = [:]) { self.headers = headers }

        /// The newest stream, once `count` streams have been opened.
        func stream(_ count: Int) async throws -> FetchedStream {
            _ = await streams.wait { $0.count >= count }
            return try #require(streams.all.last)
        }

        func fetch(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
            requests.append(request)
            guard request.stream != nil else {
                return .body(
                    FetchedBody(
                        data: Data(StreamTests.rules.utf8), url: request.url,
                        facts: FetchFacts(serverDate: InProcessDaemon.start)))
            }
            let stream = FetchedStream(url: request.url, headers: headers, serverDate: InProcessDaemon.start)
            streams.append(stream)
            return .stream(stream)
        }
    }

    private struct Scene: Sendable {
        let directory = TemporaryDirectory()
        let clock: ManualClock
        let lines = Facts<String>()
        let store: EventStore
        let poller: Poller

        static let limits = EngineLimits(perHostGap: .zero)

        static func source(
            url: String, cap: Int = 10_000, every interval: Duration = .seconds(3600)
        ) throws -> EngineSource {
            let source = SourceSettings(
                name: "messages", kind: "twitter", url: url, refreshInterval: interval, offset: .seconds(86_400),
                options: ["mode": .text("stream"), "query": .text("lava"), "monthly_cap": .integer(cap)])
            return EngineSource(
                settings: source, feed: try #require(try FeedRegistry.feed(for: source)),
                secrets: ["bearer": Secret("token-secret")])
        }

        init(clock: ManualClock, url: String, cap: Int = 10_000, network: @escaping Network) throws {
            self.clock = clock
            let source = try Self.source(url: url, cap: cap)
            store = try EventStore(path: directory.path + "/events.sqlite")
            try store.reconcile([source.settings], at: clock.now.wall)
            let engine = Engine(
                sources: [source], limits: Self.limits, reload: ReloadPlan(watchesEdits: false), seed: 1, at: clock.now)
            let log = lines
            let handler = LineLogHandler(
                format: .logfmt, level: LogLevel(.trace), now: { clock.now.wall }, output: { log.append($0) })
            poller = Poller(
                engine: engine, store: store, network: network,
                authorization: { _ in Secret("unused") }, time: clock.time,
                logger: Logger(label: "test") { _ in handler })
        }

        func waitForLines(_ words: String, _ count: Int) async -> Bool {
            await lines.wait { $0.filter { $0.contains(words) }.count >= count }
        }

        /// Puts another configuration into force like `Daemon`; nil: it was refused.
        func reload(_ configuration: EngineConfiguration) async -> SourceChanges? {
            poller.tell(.look(.command))
            for await step in poller.reloads {
                switch step {
                case .read:
                    let draft = ConfigurationDraft(configuration: configuration)
                    poller.tell(.read(ConfigurationReading(content: 1, outcome: .good(draft))))
                case .prepare: poller.tell(.prepared)
                case .ended(let report):
                    guard case .inForce(let changes) = report.outcome else { return nil }
                    return changes
                }
            }
            return nil
        }

        /// Waits until a timer is set that far ahead.
        func waitForAlarm(in wait: Duration) async {
            let at = clock.now.uptime + wait
            _ = await clock.alarms.wait { $0.contains(at) }
        }

        /// Waits for a number of stored changes; false at the test's time limit.
        func waitForChanges(_ count: Int64) async -> Bool {
            (try? await ChangeFeed(of: store).wait(after: count - 1)) != nil
        }
    }

    private static func message(_ number: Int) -> String {
        #"{"data":{"id":"202804834742776631\#(number)","text":"lava \#(number)","#
            + #""created_at":"2026-02-28T23:00:00.000Z"},"matching_rules":[{"id":"5"}]}"# + "\r\n"
    }

    private static let disconnect =
        #"{"errors":[{"title":"operational-disconnect","detail":"This stream has been disconnected upstream."}]}"#
        + "\r\n"

    /// Sends a text in pieces of `size`.
    private static func send(_ text: String, to stream: FetchedStream, every size: Int = 5) {
        let bytes = Data(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            _ = stream.put(bytes[start..<min(start + size, bytes.count)])
        }
    }

    // MARK: Life

    @Test func messagesComeInChunksThroughADisconnectAndNoneIsDoubled() async throws {
        let provider = Provider()
        let scene = try Scene(
            clock: ManualClock(), url: "https://api.test/2/tweets/search/stream", network: provider.fetch)
        async let running: Void = scene.poller.run()
        async let opened = scene.poller.poll("messages")
        let first = try await provider.stream(1)
        Self.send("\r\n", to: first)
        let report = await opened
        #expect(report?.end.dueReason == .stream, "a keep-alive shows that the stream lives")
        scene.clock.advance(.seconds(10))
        // Three messages with a keep-alive between them are stored two seconds after the first, in one batch.
        Self.send(Self.message(1) + "\r\n" + Self.message(2) + Self.message(3), to: first)
        await scene.waitForAlarm(in: .seconds(2))
        #expect(try scene.store.statistics().events == 0)
        scene.clock.advance(.seconds(2))
        #expect(await scene.waitForChanges(3))
        #expect(try scene.store.statistics().events == 3)
        // The provider announces that it closes, and does.
        Self.send(Self.message(3) + Self.message(4) + Self.disconnect, to: first)
        first.finish()
        #expect(await scene.waitForLines("poll ended", 1))
        #expect(try scene.store.statistics().events == 4)
        scene.clock.advance(.seconds(1))
        let second = try await provider.stream(2)
        _ = second.put(Data((Self.message(3) + Self.message(4) + Self.message(5)).utf8))
        #expect(await scene.waitForChanges(5))
        #expect(try scene.store.statistics().events == 5)
        // A stop stores the received messages.
        Self.send(Self.message(6), to: second)
        scene.poller.stop()
        await running
        #expect(try scene.store.statistics().events == 6)
        #expect(provider.requests.all.map { $0.stream != nil } == [false, true, false, true])
        #expect(provider.requests.all.allSatisfy { $0.authorization == Secret("Bearer token-secret") })
        #expect(scene.lines.all.filter { $0.contains("source is failing") }.isEmpty)
        let ended = try #require(scene.lines.all.first { $0.contains("poll ended") })
        #expect(ended.contains("next_reason=reconnect") && ended.contains("disconnected upstream"), "\(ended)")
        #expect(try scene.store.sources().first?.paidReads == 9, "each line is paid for, what is left is given back")
    }

    /// Has a provider send on an open stream until its poll has ended, and stops.
    /// - Parameter send: Takes the scene and its stream.
    private func scene(
        cap: Int, _ send: (Scene, FetchedStream) async throws -> Void
    ) async throws -> (scene: Scene, stream: FetchedStream) {
        let provider = Provider()
        let scene = try Scene(
            clock: ManualClock(), url: "https://api.test/2/tweets/search/stream", cap: cap, network: provider.fetch)
        async let running: Void = scene.poller.run()
        async let opened = scene.poller.poll("messages")
        let stream = try await provider.stream(1)
        _ = stream.put(Data("\r\n".utf8))
        _ = await opened
        try await send(scene, stream)
        #expect(await scene.waitForLines("poll ended", 1))
        scene.poller.stop()
        await running
        return (scene, stream)
    }

    @Test func atTheCapTheStreamIsClosed() async throws {
        // Two reads are reserved at a time, which the cap of eight does not allow after the seventh.
        let (scene, stream) = try await scene(cap: 8) { scene, stream in
            scene.clock.advance(.seconds(10))
            _ = stream.put(Data((1...7).map { Self.message($0) }.joined().utf8))
            await scene.waitForAlarm(in: .seconds(2))
            scene.clock.advance(.seconds(2))
        }
        #expect(stream.put(Data("\r\n".utf8)) == .closed)
        let record = try #require(try scene.store.sources().first)
        #expect(record.paidReads == 7 && record.dueReason == .spendCap)
        #expect(record.nextDue?.rfc3339 == "2026-04-01T00:00:00Z")
        #expect(try scene.store.statistics().events == 7)
        #expect(scene.lines.all.contains { $0.contains("source is failing") && $0.contains("error=spend_cap") })
    }

    @Test func aServerThatSendsFasterThanTheStoreTakesWaits() async throws {
        let (scene, _) = try await scene(cap: 1_000) { _, stream in
            // Messages without end, as fast as they are taken.
            let sender = Thread {
                let message = Data(Self.message(1).utf8)
                while true {
                    let taking = stream.put(message)
                    if taking == .closed { return }
                    if taking == .full { usleep(1000) }
                }
            }
            sender.start()
        }
        let record = try #require(try scene.store.sources().first)
        #expect(record.dueReason == .spendCap)
        // What is in the buffer, and what was taken from it at once, has been sent when the stream is closed.
        let buffered = 2 * (256 << 10) / Self.message(1).utf8.count + 2
        #expect(record.paidReads > 900 && record.paidReads <= 1_000 + buffered, "\(record.paidReads)")
    }

    @Test func aResetClosesTheStream() async throws {
        let provider = Provider()
        let scene = try Scene(
            clock: ManualClock(), url: "https://api.test/2/tweets/search/stream", network: provider.fetch)
        async let running: Void = scene.poller.run()
        async let opened = scene.poller.poll("messages")
        let stream = try await provider.stream(1)
        _ = stream.put(Data(Self.message(1).utf8))
        _ = await opened
        #expect(try await scene.poller.reset("messages", includingEvents: true) == 1)
        #expect(try scene.store.statistics().events == 0)
        while stream.put(Data("\r\n".utf8)) != .closed { await Task.yield() }
        scene.poller.stop()
        await running
    }

    @Test func anEditOrAResetStoresWhatHasCome() async throws {
        let provider = Provider()
        let url = "https://api.test/2/tweets/search/stream"
        let scene = try Scene(clock: ManualClock(), url: url, network: provider.fetch)
        async let running: Void = scene.poller.run()
        async let opened = scene.poller.poll("messages")
        let first = try await provider.stream(1)
        _ = first.put(Data(Self.message(1).utf8))
        _ = await opened
        // Without the edit this would be stored after two seconds.
        _ = first.put(Data(Self.message(2).utf8))
        let edited = EngineConfiguration(
            sources: [try Scene.source(url: url, every: .seconds(1800))], limits: Scene.limits)
        #expect(await scene.reload(edited)?.changed == ["messages"])
        #expect(try scene.store.statistics().events == 2)
        #expect(first.put(Data("\r\n".utf8)) == .closed)
        let second = try await provider.stream(2)
        _ = second.put(Data((Self.message(3)).utf8))
        #expect(await scene.waitForLines("stream is open", 2))
        _ = second.put(Data(Self.message(4).utf8))
        #expect(try await scene.poller.reset("messages", includingEvents: false) == 0)
        #expect(try scene.store.statistics().events == 4)
        scene.poller.stop()
        await running
        #expect(provider.streams.all.count == 2)
        let record = try #require(try scene.store.sources().first)
        #expect(record.paidReads == 4, "what was reserved beyond that is given back")
        #expect(record.dueReason == nil, "nothing is written after a reset")
    }

    @Test(arguments: [
        (["content-type": "text/html; charset=utf-8"], "<html>log in</html>", "html_page"),
        (["content-type": "text/plain"], "<html>log in</html>", "html_page"),
        (["content-type": "text/plain"], "OK", "not_twitter"),
        (["content-type": "application/json"], "{\"data\":null}\r\n{\"data\":null}\r\n", "not_twitter"),
    ]) func whatIsNotTheProvidersIsNoSuccess(headers: [String: String], text: String, code: String) async throws {
        let provider = Provider(headers: headers)
        let scene = try Scene(
            clock: ManualClock(), url: "https://api.test/2/tweets/search/stream", network: provider.fetch)
        async let running: Void = scene.poller.run()
        async let polled = scene.poller.poll("messages")
        let stream = try await provider.stream(1)
        _ = stream.put(Data(text.utf8))
        stream.finish()
        let result = await polled
        let report = try #require(result)
        #expect(report.end.failure?.code == code && report.end.failures == 1)
        #expect(report.end.dueReason == .backOff)
        scene.poller.stop()
        await running
        let record = try #require(try scene.store.sources().first)
        #expect(record.lastSuccess == nil && record.paidReads == 0)
        #expect(scene.lines.all.contains { $0.contains("source is failing") && $0.contains("error=\(code)") })
    }

    // MARK: Over a connection

    @Test func aStreamOfAServerIsFollowedAndOpenedAgain() async throws {
        let clock = ManualClock()
        let upstream = ScriptedUpstream(now: { clock.now.wall })
        upstream.play("/2/tweets/search/stream/rules", [.body(Self.rules, type: "application/json")])
        let first = "\r\n" + Self.message(1) + "\r\n" + Self.message(2) + Self.message(3)
        let second = Self.message(3) + Self.message(4) + Self.disconnect
        upstream.play(
            "/2/tweets/search/stream",
            [
                .stream(Data(first.utf8), staysOpen: false),
                .stream(Data(second.utf8), pieceBytes: 31, staysOpen: false), .stream(Data("\r\n".utf8)),
            ])
        try await upstream.start()
        let fetcher = try Fetcher(now: { clock.now.wall })
        let scene = try Scene(
            clock: clock, url: upstream.baseURL + "/2/tweets/search/stream", network: fetcher.fetch)
        async let running: Void = scene.poller.run()
        _ = await scene.poller.poll("messages")
        #expect(await scene.waitForLines("poll ended", 1))
        #expect(try scene.store.statistics().events == 3)
        clock.advance(.seconds(1))
        #expect(await scene.waitForLines("poll ended", 2))
        #expect(try scene.store.statistics().events == 4)
        clock.advance(.seconds(2))
        #expect(await scene.waitForLines("stream is open", 3))
        scene.poller.stop()
        await running
        #expect(upstream.requests(to: "/2/tweets/search/stream").count == 3)
        fetcher.shutdown()
        await upstream.stop()
    }
}
