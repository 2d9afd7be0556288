import Daemon
import Engine
import Feeds
import Fetching
import Foundation
import Logging
import Model
import ProcessSupport
import Simulation
import Store
import TestSupport
import Testing

/// What may block, as on a network mount that hangs, stays off the threads of tasks.
@Suite(.timeLimit(.minutes(60))) struct BlockingTests {
    @Test func secretsAndTheFreeSpaceAreReadOutsideTasks() async throws {
        let directory = TemporaryDirectory()
        let clock = ManualClock()
        var source = SourceSettings(
            name: "news", kind: "rss", url: "https://news.test/feed.xml", refreshInterval: .seconds(86_400),
            offset: .seconds(86_400))
        source.authorizationFile = "/nowhere/token"
        let store = try EventStore(path: directory.path + "/events.sqlite")
        try store.reconcile([source], at: clock.now.wall)
        let feed = try #require(try FeedRegistry.feed(for: source))
        let (secrets, spaces, asked) = (Facts<Bool>(), Facts<Bool>(), Facts<FetchRequest>())
        let poller = Poller(
            engine: Engine(
                sources: [EngineSource(settings: source, feed: feed)], limits: EngineLimits(perHostGap: .zero), seed: 1,
                at: clock.now),
            store: store,
            network: { (request: FetchRequest) async throws(Failure) -> FetchOutcome in
                asked.append(request)
                throw Failure(.network, .timeout, "no answer from news.test")
            },
            authorization: { (file: String) throws(Failure) -> Secret in
                secrets.append(withUnsafeCurrentTask { $0 != nil })
                guard asked.all.isEmpty else { throw Failure(.operator, .secret, "\(file) cannot be read") }
                return Secret("Bearer of-the-file")
            }, time: clock.time, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            freeSpace: {
                spaces.append(withUnsafeCurrentTask { $0 != nil })
                return 1 << 40
            })
        async let running: Void = poller.run()
        let first = await poller.poll("news")
        #expect(first?.end.failure?.hasCode(.timeout) == true)
        let second = await poller.poll("news")
        #expect(second?.end.failure?.hasCode(.secret) == true)
        poller.stop()
        await running
        #expect(asked.all.map(\.authorization) == [Secret("Bearer of-the-file")])
        #expect(secrets.all == [false, false])
        #expect(!spaces.all.isEmpty && !spaces.all.contains(true))
    }
}
