import Engine
import Fetching
import Foundation
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import Simulation
import Telling
import TestSupport
import Testing

@testable import Daemon
@testable import Store

/// The reporter with a real store and teller, under a test clock and scripted targets.
@Suite(.timeLimit(.minutes(60))) struct ReporterTests {
    private static let path = "hidden-path"
    private static let secrets = [
        "URL": "https://cms.test/\(path)?token=hidden-token", "KEY": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "TOPIC": "hidden-topic", "TOKEN": "hidden-access", "PASSWORD": "hidden-password",
    ]

    /// A reporter at work over a fresh store with one source, `quakes`, that was polled before.
    private final class Scene: Sendable {
        let directory = TemporaryDirectory()
        let clock = ManualClock()
        let lines = Facts<String>()
        let posts = Facts<FetchRequest>()
        let mails = Facts<FetchRequest>()
        let pauses = Facts<String>()
        let store: EventStore
        let reporter: Reporter
        let plan: TellingPlan

        /// - Parameters:
        ///   - deliver: The targets of a watch of magnitude 5 and more.
        ///   - answer: What the n-th request is answered, from 1 on.
        init(
            _ deliver: [DeliverySettings],
            answer: @escaping @Sendable (Int) throws(Failure) -> FetchOutcome = { _ in
                .body(FetchedBody(data: Data(), url: ""))
            },
            mail: @escaping @Sendable (Mail) throws(Failure) -> Void = { _ in }
        ) throws {
            let store = try EventStore(path: directory.path + "/events.sqlite")
            self.store = store
            let source = SourceSettings(name: "quakes", kind: "usgs", url: "https://quakes.test/")
            try store.reconcile([source], at: clock.now.wall)
            try store.maintain {
                try $0.run("UPDATE source SET last_success_ms = ?", InProcessDaemon.start.milliseconds - 1000)
            }
            let (posts, mails, log, clock, pauses) = (posts, mails, lines, clock, pauses)
            let network: Network = { request throws(Failure) in
                guard let letter = request.mail else {
                    posts.append(request)
                    return try answer(posts.all.count)
                }
                mails.append(request)
                try mail(letter)
                return .body(FetchedBody(data: Data(), url: ""))
            }
            let handler = LineLogHandler(
                format: .logfmt, level: LogLevel(.trace), now: { clock.now.wall }, output: { log.append($0) })
            var settings = Settings(database: directory.path + "/events.sqlite", sources: [source])
            var watch = Watch(name: "big", targets: deliver.map(\.name))
            watch.filter.minimumMagnitude = 5
            (settings.watches, settings.deliver) = ([watch], deliver)
            plan = settings.tellingPlan
            reporter = Reporter(
                store: store, settings: settings, secrets: SecretReader(environment: ReporterTests.secrets),
                network: network,
                time: clock.time, seed: 1, logger: Logger(label: "test") { _ in handler },
                isClockTrusted: { true }, hostPaused: { host, _ in pauses.append(host) })
        }

        /// Stores an earthquake as a poll does; nil withdraws it.
        func poll(_ magnitude: Double?, id: String = "us1") throws {
            let now = clock.now.wall
            var answer = FeedAnswer()
            if let magnitude {
                var event = Event(
                    provider: "usgs", id: id, time: InProcessDaemon.start, category: .earthquake,
                    title: "M \(magnitude) - somewhere", magnitude: magnitude)
                event.updated = now
                answer.events = [event]
            } else {
                answer.withdrawals = [Withdrawal(provider: "usgs", id: id, reason: .deleted, evidence: "deleted")]
            }
            _ = try store.write([.step(PollStep(source: "quakes", at: now, answer: answer, fingerprint: "f1"))])
        }

        func wait(for words: String) async -> Bool { await lines.wait { $0.contains { $0.contains(words) } } }

        /// Waits until so many messages are stored as sent.
        func settled(_ count: Int) async throws {
            while try store.deliveries(limit: 100).count(where: { $0.outcome == "sent" }) < count { await Task.yield() }
        }

        /// The types of the webhooks so far.
        var types: [String] {
            posts.all.compactMap { request in
                let json = request.json.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
                return (json as? [String: Any])?["type"] as? String
            }
        }
    }

    private static func webhook(_ name: String = "cms") -> DeliverySettings {
        var settings = DeliverySettings(targets: [Target(name: name, kind: .webhook, host: name, fingerprint: "f")])
        (settings.urlFile, settings.signingFile) = ("env:URL", "env:KEY")
        return settings
    }

    private static func mail(_ recipients: [String]) throws -> DeliverySettings {
        var settings = DeliverySettings(
            targets: recipients.map {
                Target(name: "desk", kind: .mail, recipient: $0, host: "mail.test", fingerprint: $0)
            }, form: MessageForm(.mail(from: try #require(MailAddress("visiventd@example.org")))),
            url: "smtp://mail.test:587")
        (settings.user, settings.passwordFile) = ("u", "env:PASSWORD")
        return settings
    }

    @Test func aQuakeIsAnnouncedCorrectedAndEndedOnce() async throws {
        let scene = try Scene([Self.webhook()])
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        for (magnitude, messages) in [(5.4, 1), (5.5, 1), (5.3, 1), (5.8, 2), (4.6, 3), (nil, 3)] as [(Double?, Int)] {
            try scene.poll(magnitude)
            try await scene.settled(messages)
            scene.clock.advance(.seconds(300))
        }
        #expect(
            scene.types == ["visiventd.event.announced", "visiventd.event.updated", "visiventd.event.ended"])
        let first = try #require(scene.posts.all.first)
        #expect(first.url == Self.secrets["URL"])
        #expect(first.headers["webhook-id"]?.hasPrefix("vd_") == true)
        #expect(first.headers["webhook-signature"]?.hasPrefix("v1,") == true)
        #expect(first.takesAnySuccess)
        scene.reporter.stop()
        await running
        #expect(Set(scene.posts.all.compactMap { $0.headers["webhook-id"] }).count == 3)
        // The same would have come of the change log.
        var replay = try WatchReplay(scene.plan, from: InProcessDaemon.start - 1.0004)
        for step in try scene.store.replaySteps(after: nil, limit: 1000).steps { try replay.take(step) }
        try replay.advance(to: scene.clock.now.wall)
        #expect(replay.messages.map(\.kind) == [.announced, .updated, .ended])
        #expect(!scene.lines.all.contains { $0.contains("hidden") || $0.contains("whsec") })
    }

    @Test func aRedirectIsNotFollowedAndAnAnswerIsScrubbed() async throws {
        let key = Self.secrets["KEY"]?.dropFirst(6) ?? ""
        let scene = try Scene([Self.webhook()]) { number throws(Failure) in
            if number == 1 {
                return .redirect(to: "http://127.0.0.1:6379/", status: 307, isPermanent: false, FetchFacts())
            }
            throw Failure(
                .server, "http_400", "cms.test answered 400", status: 400,
                excerpt: Data("no /\(Self.path)\r\nhere \(key)".utf8))
        }
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.wait(for: "target is failing"))
        #expect(scene.posts.all.count == 1)
        #expect(scene.lines.all.contains { $0.contains("127.0.0.1:6379, which is not followed") })
        // A person may try it meanwhile.
        let tried = try await scene.reporter.test("big", to: nil)
        #expect(tried.count == 1)
        let outcome = try #require(tried.first?.outcome)
        let words = outcome.failure?.message ?? ""
        #expect(outcome.verdict == .rejected)
        #expect(words.hasPrefix("cms.test answered 400: no "))
        #expect(!words.contains(Self.path) && !key.isEmpty && !words.contains(key))
        scene.reporter.stop()
        await running
    }

    @Test func eachRecipientHasAFateOfItsOwn() async throws {
        let login = Data("\0u\0hidden-password".utf8).base64EncodedString()
        let scene = try Scene(
            [try Self.mail(["a@example.org", "b@example.org"])],
            mail: { mail throws(Failure) in
                guard mail.to.description.hasPrefix("b") else { return }
                throw Failure(
                    .server, "smtp_550", "mail.test answered 550 to RCPT", status: 550, excerpt: Data(login.utf8))
            })
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.mails.wait { Set($0.compactMap(\.mail?.to)).count == 2 })
        #expect(await scene.wait(for: "message was not sent"))
        #expect(!scene.lines.all.contains { $0.contains(login) })
        let mail = try #require(scene.mails.all.first?.mail)
        #expect(mail.requiresTLS)
        #expect((mail.user, mail.password?.value) == ("u", "hidden-password"))
        #expect(String(decoding: mail.text, as: UTF8.self).contains("\r\nTo: \(mail.to)\r\n"))
        scene.reporter.stop()
        await running
    }

    @Test func anNtfyServerGetsTopicAndTokenWithTheMessageAlone() async throws {
        var settings = DeliverySettings(
            targets: [Target(name: "phone", kind: .ntfy, host: "ntfy.test", fingerprint: "f")],
            form: MessageForm(.ntfy), url: "https://ntfy.test")
        (settings.topicFile, settings.tokenFile) = ("env:TOPIC", "env:TOKEN")
        let scene = try Scene([settings])
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.posts.wait { $0.count == 1 })
        let request = try #require(scene.posts.all.first)
        #expect(request.json?.hasPrefix(#"{"topic":"hidden-topic","title":"M 5.4"#) == true)
        #expect(request.authorization?.value == "Bearer hidden-access")
        #expect(request.json?.contains(#""sequence_id":"vd"#) == true)
        scene.reporter.stop()
        await running
        for file in ["", "-wal"] {
            let path = scene.directory.path + "/events.sqlite" + file
            let stored = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(stored.range(of: Data("hidden".utf8)) == nil)
        }
    }

    @Test func aMissingSecretIsTheOperatorsFault() async throws {
        var settings = Self.webhook()
        settings.urlFile = "env:NOWHERE"
        let scene = try Scene([settings])
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.wait(for: "NOWHERE is not set"))
        #expect(scene.posts.all.isEmpty)
        scene.reporter.stop()
        await running
    }

    @Test func aPauseThatATargetAsksForHoldsForTheHost() async throws {
        let scene = try Scene([Self.webhook()]) { _ throws(Failure) in
            throw Failure(
                .server, "http_429", "cms.test answered 429", status: 429,
                retryAfter: InProcessDaemon.start.addingTimeInterval(600))
        }
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.pauses.wait { $0 == ["cms"] })
        scene.reporter.stop()
        await running
    }

    @Test func aMessageIsSentAgainOnRequest() async throws {
        let scene = try Scene([Self.webhook()])
        async let running: Void = scene.reporter.run()
        #expect(await scene.wait(for: "watch begins"))
        try scene.poll(5.4)
        #expect(await scene.wait(for: "message was sent"))
        let id = try #require(scene.posts.all.first?.headers["webhook-id"])
        scene.clock.advance(.seconds(300))
        // The answer is settled with the next write, or soon.
        while try await scene.reporter.resend(id, to: "cms").isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(await scene.posts.wait { $0.count == 2 })
        #expect(try await scene.reporter.resend("vd_unknown", to: nil).isEmpty)
        await #expect(throws: Failure.self) { _ = try await scene.reporter.test("nothing", to: nil) }
        scene.reporter.stop()
        await running
    }
}
