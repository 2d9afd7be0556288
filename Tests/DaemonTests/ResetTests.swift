import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

@testable import Daemon

/// A reset of a source with many events, during polls of others.
@Suite(.timeLimit(.minutes(60))) struct ResetTests {
    private let directory = TemporaryDirectory()
    private let clock = ManualClock()
    private let source = SourceSettings(
        name: "news", kind: "rss", url: "https://news.test/feed.xml", offset: .seconds(86_400))

    private func makeStore(events count: Int) throws -> EventStore {
        let store = try EventStore(path: directory.path + "/events.sqlite")
        let now = clock.now.wall
        try store.reconcile([source], at: now)
        let events = (0..<count).map { number in
            Event(provider: "news", id: "\(number)", time: now - 3600, category: .news, title: "Number \(number)")
        }
        _ = try store.write([
            .step(PollStep(source: "news", at: now, answer: FeedAnswer(events: events), fingerprint: "f1"))
        ])
        return store
    }

    private static func silence(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        throw Failure(.network, .timeout, "nobody answers")
    }

    private func makePoller(_ store: EventStore, _ time: TimeSource) throws -> Poller {
        let feed = try #require(try FeedRegistry.feed(for: source))
        let bound = EngineSource(settings: source, feed: feed)
        return Poller(
            engine: Engine(sources: [bound], seed: 1, at: clock.now), store: store,
            network: Self.silence, authorization: { _ in Secret("unused") }, time: time,
            logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func otherWorkOnTheStoreGoesOnMeanwhile() async throws {
        let store = try makeStore(events: 500)
        #expect(try store.statistics().events == 500)
        let seen = Facts<Int>()
        let clock = clock
        // Each piece of work on the store's write queue reads the time when its turn has come.
        let time = TimeSource(
            now: {
                if let count = try? store.statistics().events { seen.append(count) }
                return clock.now
            }, timer: clock.time.timer)
        let poller = try makePoller(store, time)
        clock.advance(.seconds(60))
        let reset = clock.now
        async let running: Void = poller.run()
        #expect(try await poller.reset("news", includingEvents: true) == 500)
        #expect(try store.statistics().events == 0)
        #expect(try store.sources().first?.lastNew == nil)
        let record = try #require(try store.completeness().first)
        #expect(record.completeFrom.milliseconds == reset.wall.milliseconds, "the reset has the time of the clock")
        poller.stop()
        await running
        let between = Set(seen.all.filter { $0 > 0 && $0 < 500 })
        #expect(between.count >= 2, "one piece of work holds up all others: \(seen.all)")
    }

    @Test func aResetDoesNotGoOnAfterAStop() async throws {
        let store = try makeStore(events: 500)
        let poller = try makePoller(store, clock.time)
        async let running: Void = poller.run()
        poller.stop()
        await running
        await #expect(throws: Failure.self) { _ = try await poller.reset("news", includingEvents: true) }
        #expect(try store.statistics().events == 500)
    }
}
