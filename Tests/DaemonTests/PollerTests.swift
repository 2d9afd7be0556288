import Control
import Daemon
import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import Simulation
import Store
import Synchronization
import TestSupport
import Testing

/// The shell around the engine, under a test clock and a scripted network.
@Suite(.timeLimit(.minutes(60))) struct PollerTests {
    private static let url = "https://news.test/feed.xml"

    // MARK: - Tools

    /// Answers in turn, the last one for ever; without answers a request hangs until it is cancelled.
    private final class Wire: Sendable {
        enum Answer: Sendable {
            case body(Data)
            case redirect(String)
            case failure(Failure)
            case hang
        }

        let requests = Facts<FetchRequest>()
        private let script: Mutex<[Answer]>
        private let connect: @Sendable () -> Void

        /// - Parameter connect: Called before a request is sent.
        init(_ script: [Answer], connect: @escaping @Sendable () -> Void = {}) {
            self.script = Mutex(script)
            self.connect = connect
        }

        func fetch(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
            requests.append(request)
            connect()
            request.whenSent?()
            let answer = script.withLock { script -> Answer in
                let next = script.first ?? .hang
                if script.count > 1 { script.removeFirst() }
                return next
            }
            switch answer {
            case .body(let data):
                let facts = FetchFacts(
                    validators: Validators(etag: "\"1\""), serverDate: InProcessDaemon.start, bytes: data.count)
                return .body(FetchedBody(data: data, url: request.url, facts: facts))
            case .redirect(let url):
                return .redirect(to: url, status: 302, isPermanent: false, FetchFacts())
            case .failure(let failure): throw failure
            case .hang:
                // A stream without elements ends when its task is cancelled.
                let (silence, end) = AsyncStream.makeStream(of: Void.self)
                for await _ in silence {}
                end.finish()
                throw Failure(.network, .cancelled, "cancelled")
            }
        }
    }

    /// A poller over a fresh store, whose source is polled on demand only; its log lines are kept.
    private struct Scene: Sendable {
        let directory = TemporaryDirectory()
        let clock = ManualClock()
        let lines = Facts<String>()
        let store: EventStore
        let poller: Poller
        let wire: Wire

        /// - Parameter connecting: The time to establish a connection.
        init(
            _ source: SourceSettings, _ script: [Wire.Answer], secrets: [String: Secret] = [:],
            gap: Duration = .zero, connecting: Duration = .zero
        ) throws {
            let wire = Wire(script) { [clock] in if connecting > .zero { clock.advance(connecting) } }
            self.wire = wire
            let store = try EventStore(path: directory.path + "/events.sqlite")
            self.store = store
            try store.reconcile([source], at: clock.now.wall)
            let feed = try #require(try FeedRegistry.feed(for: source))
            let sources = [EngineSource(settings: source, feed: feed, secrets: secrets)]
            let engine = Engine(
                sources: sources, limits: EngineLimits(perHostGap: gap), seed: 1, at: clock.now)
            let (log, watch) = (lines, clock)
            let handler = LineLogHandler(
                format: .logfmt, level: LogLevel(.trace), now: { watch.now.wall }, output: { log.append($0) })
            poller = Poller(
                engine: engine, store: store, network: wire.fetch,
                authorization: { _ in Secret("Bearer file-secret") }, time: clock.time,
                logger: Logger(label: "test") { _ in handler })
        }

        func linesSaying(_ words: String) -> [String] { lines.all.filter { $0.contains(words) } }
    }

    private static func source(_ url: String = PollerTests.url) -> SourceSettings {
        SourceSettings(name: "news", kind: "rss", url: url, refreshInterval: .seconds(86_400), offset: .seconds(86_400))
    }

    private static let feed = Documents.rss([
        .init(guid: "1", title: "One", date: InProcessDaemon.start - 60),
        .init(guid: "2", title: "Two", date: InProcessDaemon.start - 50),
    ])

    // MARK: - Reports

    @Test func aPollOnDemandReportsWhatItDid() async throws {
        let scene = try Scene(Self.source(), [.body(Self.feed)])
        async let running: Void = scene.poller.run()
        let first = await scene.poller.poll("news")
        #expect(first?.result.new == 2)
        #expect(first?.end.failure == nil)
        let second = await scene.poller.poll("news")
        #expect(second?.result.new == 0)
        #expect(scene.wire.requests.all.map(\.validators.etag) == [nil, "\"1\""])
        scene.poller.stop()
        await running
        #expect(try scene.store.statistics().events == 2)
        #expect(scene.linesSaying("poll started").count == 2)
        #expect(scene.linesSaying("poll ended").count == 2)
        let line = try #require(scene.linesSaying("poll ended").first)
        for fact in ["info", "source=news", " new=2", " bytes=", " next="] { #expect(line.contains(fact), "\(line)") }
        #expect(!line.contains("=0 ") && !line.contains(" due="), "people have no use for them: \(line)")
    }

    @Test(
        arguments: [
            .body(feed), .redirect("https://news.test/c.xml"),
            .failure(Failure(.server, "http_503", "no", status: 503)),
        ] as [Wire.Answer])
    private func theGapCountsFromWhenARequestWasSent(answer: Wire.Answer) async throws {
        var source = Self.source("https://news.test/{topic}.xml")
        source.topics = ["a", "b"]
        let scene = try Scene(source, [answer, .hang], gap: .seconds(1), connecting: .milliseconds(400))
        let ordered = scene.clock.now.uptime
        async let running: Void = scene.poller.run()
        async let report = scene.poller.poll("news")
        let due = ordered + .milliseconds(1400)
        #expect(await scene.clock.alarms.wait { $0.contains(due) })
        scene.poller.stop()
        _ = await (running, report)
    }

    @Test func afterStopNothingIsPolledAndEverybodyIsAnswered() async throws {
        let scene = try Scene(Self.source(), [.hang])
        async let running: Void = scene.poller.run()
        async let report = scene.poller.poll("news")
        let isSent = await scene.wire.requests.wait { $0.count == 1 }
        #expect(isSent)
        scene.poller.stop()
        // The request is cancelled when its time is over, whenever the stop is noticed.
        let passing = Task {
            while !Task.isCancelled {
                scene.clock.advance(.seconds(1))
                await Task.yield()
            }
        }
        await running
        passing.cancel()
        let answer = await report
        #expect(answer == nil)
        #expect(scene.wire.requests.all.count == 1)
    }

    @Test func whatArrivesWithinTheGraceIsStored() async throws {
        let scene = try Scene(Self.source(), [.body(Self.feed)])
        async let running: Void = scene.poller.run()
        async let report = scene.poller.poll("news")
        let isSent = await scene.wire.requests.wait { $0.count == 1 }
        #expect(isSent)
        scene.poller.stop()
        await running
        // The poll's work is kept, whether it is answered before or after the stop.
        let answer = await report
        #expect(answer?.result.new == 2)
        #expect(try scene.store.statistics().events == 2)
    }

    // MARK: - Failures

    @Test func aFailingSourceIsLoggedOnceAndItsRecoveryOnce() async throws {
        let down = Failure(.network, .timeout, "no answer from news.test")
        let scene = try Scene(Self.source(), [.failure(down), .failure(down), .failure(down), .body(Self.feed)])
        async let running: Void = scene.poller.run()
        for failures in 1...3 {
            let report = await scene.poller.poll("news")
            #expect(report?.end.failures == failures)
            scene.clock.advance(.seconds(1))
        }
        let recovery = await scene.poller.poll("news")
        #expect(recovery?.result.new == 2)
        let next = await scene.poller.poll("news")
        #expect(next?.result.unchanged == 2)
        scene.poller.stop()
        await running
        let failing = scene.linesSaying("source is failing")
        #expect(failing.count == 1)
        #expect(failing.first?.contains("error=timeout") == true)
        #expect(failing.first?.contains("source=news") == true)
        let recovered = scene.linesSaying("source recovered")
        #expect(recovered.count == 1)
        #expect(recovered.first?.contains("down_for=3s") == true)
    }

    @Test func aBodyThatCannotBeUsedIsKeptAndChangesNothing() async throws {
        let page = Data("<!DOCTYPE html><html><body>Gone fishing</body></html>".utf8)
        let scene = try Scene(Self.source(), [.body(Self.feed), .body(page)])
        async let running: Void = scene.poller.run()
        _ = await scene.poller.poll("news")
        let report = await scene.poller.poll("news")
        #expect(report?.end.failure?.code == "html_page")
        scene.poller.stop()
        await running
        #expect(try scene.store.statistics().events == 2)
        // The body is stored concurrently with the poll, whose end does not wait for it.
        for _ in 0..<100_000 {
            if try scene.store.failedBody(source: "news") != nil { break }
            await Task.yield()
        }
        #expect(try scene.store.failedBody(source: "news")?.body == page)
    }

    @Test func aBodyThatRepeatsItsRequestIsKeptWithoutSecrets() async throws {
        var source = Self.source("https://news.test/feed.xml?key=query-secret%2Fx&topic=quakes")
        source.headers = ["X-Key": "header-secret"]
        let echo = Data("GET /feed.xml?key=query-secret%2Fx&topic=quakes X-Key: header-secret (query-secret/x)".utf8)
        let refusal = Failure(.server, "http_500", "answers header-secret", status: 500, excerpt: echo)
        let scene = try Scene(source, [.failure(refusal)])
        async let running: Void = scene.poller.run()
        let report = await scene.poller.poll("news")
        #expect(report?.end.failure?.message == "answers *************")
        scene.poller.stop()
        await running
        for _ in 0..<100_000 {
            if try scene.store.failedBody(source: "news") != nil { break }
            await Task.yield()
        }
        let body = try #require(try scene.store.failedBody(source: "news")).body
        let kept = String(decoding: body, as: UTF8.self)
        #expect(kept == "GET /feed.xml?key=****************&topic=****** X-Key: ************* (**************)")
        #expect(!scene.lines.all.contains { $0.contains("secret") })
    }

    // MARK: - Secrets

    @Test func credentialsGoToNoOtherHostAndIntoNoLogLine() async throws {
        var source = Self.source("https://news.test/feed.xml?key=query-secret")
        source.headers = ["X-Key": "header-secret"]
        source.authorizationFile = "/nowhere/token"
        let refusal = Failure(.server, "http_403", "forbidden", status: 403)
        let scene = try Scene(
            source,
            [
                .redirect("https://news.test/there.xml?key=query-secret"), .redirect("https://other.test/feed.xml"),
                .body(Data("<html>query-secret</html>".utf8)), .failure(refusal),
            ])
        async let running: Void = scene.poller.run()
        _ = await scene.poller.poll("news")
        _ = await scene.poller.poll("news")
        scene.poller.stop()
        await running
        let sent = scene.wire.requests.all
        #expect(
            sent.map(\.url).prefix(3) == [
                "https://news.test/feed.xml?key=query-secret", "https://news.test/there.xml?key=query-secret",
                "https://other.test/feed.xml",
            ])
        for request in sent {
            let isHome = request.url.hasPrefix("https://news.test/")
            #expect((request.authorization == Secret("Bearer file-secret")) == isHome, "\(request.url)")
            #expect((request.headers["X-Key"] == "header-secret") == isHome, "\(request.url)")
            // Requests to another host carry the configured URL, which limits the addresses they may connect to.
            #expect(request.home == (isHome ? nil : source.url), "\(request.url)")
        }
        #expect(scene.linesSaying("source is failing").count == 1)
        for line in scene.lines.all { #expect(!line.contains("secret") && !line.contains("?key="), "\(line)") }
        let record = try #require(try scene.store.sources().first)
        #expect(!"\(String(describing: record.lastFailure)) \(record.movedTo ?? "")".contains("secret"))
    }

    @Test func aTokenGoesIntoTheHeaderAndNowhereElse() async throws {
        let source = SourceSettings(
            name: "news", kind: "twitter", url: "https://api.test/2/tweets/search/recent", offset: .seconds(86_400),
            options: ["query": .text("lava"), "monthly_cap": .integer(1000)])
        let token = #"{"token_type":"bearer","access_token":"learned-secret"}"#
        let message = #"{"id":"2028048347427766315","text":"lava","created_at":"2026-02-28T23:00:00.000Z"}"#
        let page = #"{"data":["# + message + #"],"meta":{"result_count":1}}"#
        let scene = try Scene(
            source, [.body(Data(token.utf8)), .body(Data(page.utf8))],
            secrets: ["key": Secret("key-secret"), "secret": Secret("consumer-secret")])
        async let running: Void = scene.poller.run()
        let report = await scene.poller.poll("news")
        #expect(report?.end.failure == nil)
        #expect(report?.summary == "news: 1 new, 0 changed, 0 unchanged; 1 of 1000 paid reads this month")
        scene.poller.stop()
        await running
        let sent = scene.wire.requests.all
        let pair = Data("key-secret:consumer-secret".utf8).base64EncodedString()
        #expect(sent.map(\.authorization) == [Secret("Basic \(pair)"), Secret("Bearer learned-secret")])
        #expect(sent.first?.form == "grant_type=client_credentials")
        for line in scene.lines.all { #expect(!line.contains("secret"), "\(line)") }
        let dump = try [scene.store.path, scene.store.path + "-wal"].map {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self)
        }
        #expect(dump.allSatisfy { !$0.contains("-secret") }, "no secret is in the database")
    }

    // MARK: - The daemon

    private static func settings(_ directory: TemporaryDirectory) throws -> (Settings, [EngineSource]) {
        let text = """
            database: "\(directory.path)/events.sqlite"
            sources:
              - name: news
                kind: rss
                url: \(url)
            """
        let settings = try SettingsReader.parse(
            text, file: directory.path + "/test.yaml", kinds: FeedRegistry.kinds, environment: [:])
        return (settings, try EngineSource.all(settings))
    }

    @Test func theDaemonPollsOnceAndLocksItsDatabase() async throws {
        let directory = TemporaryDirectory()
        let (settings, sources) = try Self.settings(directory)
        let wire = Wire([.body(Self.feed)])
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        func daemon() throws -> Daemon {
            try Daemon(
                settings: settings, sources: sources, secrets: SecretReader(environment: [:]), time: ManualClock().time,
                seed: 1, network: wire.fetch, onDemandOnly: true, logger: quiet)
        }
        do {
            let first = try daemon()
            #expect(throws: DaemonError.self) { _ = try daemon() }
            let outcomes = await first.poll(["news", "unknown"])
            #expect(outcomes.count == 2)
            let report = try #require(try outcomes.first?.get())
            #expect(report.result.new == 2)
            #expect(report.summary == "news: 2 new, 0 changed, 0 unchanged")
            #expect(throws: Failure(.operator, .notConfigured, "it is no longer configured")) {
                _ = try outcomes.last?.get()
            }
        }
        #expect(throws: Never.self) { _ = try daemon() }
    }
}
