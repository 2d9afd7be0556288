import Engine
import Feeds
import Fetching
import Foundation
import Gazetteer
import Logging
import Model
import Operations
import ProcessSupport
import Settings
import Store
import TestSupport
import Testing

@testable import Daemon

/// The locator of a daemon under a test clock: only a commit wakes it.
@Suite(.timeLimit(.minutes(60))) struct LocatorWakeTests {
    private let directory = TemporaryDirectory()
    /// The folder is watched for a new table, so the test must not touch it.
    private let tables = TemporaryDirectory()
    private let clock = ManualClock()
    private let lines = Facts<String>()

    private static func silence(_ request: FetchRequest) async throws(Failure) -> FetchOutcome {
        throw Failure(.network, .timeout, "nobody answers")
    }

    private func makeDaemon() throws -> Daemon {
        let text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/c.sock"
            gazetteer: {path: "\(tables.path)/cities.sqlite"}
            disk: {minimum_free: 0B}
            sources:
              - {name: news, kind: rss, url: "https://news.test/feed.xml", offset: 1h}

            """
        let settings = try SettingsReader.parse(
            text, file: directory.path + "/test.yaml", kinds: FeedRegistry.kinds, environment: [:])
        let (watch, log) = (clock, lines)
        let handler = LineLogHandler(
            format: .logfmt, level: LogLevel(.info), now: { watch.now.wall }, output: { log.append($0) })
        return try Daemon(
            settings: settings, sources: try EngineSource.all(settings), secrets: SecretReader(environment: [:]),
            time: watch.time, seed: 1, network: Self.silence, logger: Logger(label: "test") { _ in handler })
    }

    private func seed() throws {
        let builder = try CityTableBuilder(path: tables.path + "/cities.sqlite", at: clock.now.wall)
        let coordinate = try #require(Coordinate(latitude: 36.335, longitude: 43.11889))
        try builder.add(CityRecord(id: 1, name: "Mosul", country: "IQ", population: 700_000, coordinate: coordinate))
        _ = try builder.finish()
    }

    /// Stores an event without a coordinate as a poll does.
    private func store(_ id: String, title: String, in daemon: Daemon) throws {
        let event = Event(
            provider: "news.test", id: id, time: clock.now.wall, category: .news, title: title, place: "MOSUL, Iraq")
        let answer = FeedAnswer(events: [event])
        _ = try daemon.store.write([
            .step(PollStep(source: "news", at: clock.now.wall, answer: answer, fingerprint: "f1"))
        ])
    }

    private func located(_ count: Int) async -> Bool {
        await lines.wait { lines in
            lines.count { $0.contains("events looked up") && $0.contains("located=1") } >= count
        }
    }

    @Test func eachNewEventIsLookedUpAtOnce() async throws {
        try seed()
        let daemon = try makeDaemon()
        async let running: Void = daemon.run()
        #expect(await lines.wait { lines in lines.contains { $0.contains("city table opened") } })
        for number in 1...3 {
            try store("\(number)", title: "report \(number)", in: daemon)
            #expect(await located(number))
        }
        let events = try daemon.store.events(EventQuery())
        #expect(events.count == 3 && events.allSatisfy { $0.event.location?.placeID == "geonames:1" })
        daemon.poller.stop()
        try await running
    }
}
