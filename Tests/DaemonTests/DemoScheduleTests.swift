import Daemon
import Engine
import Feeds
import Foundation
import Model
import Operations
import ScriptedUpstream
import Settings
import Simulation
import TestSupport
import Testing

/// The shipped configurations with the shipped kinds.
@Suite struct DemoScheduleTests {
    private static let root = Fixtures.url("demo").deletingLastPathComponent().deletingLastPathComponent()

    /// A shipped file with the demo's placeholders replaced.
    private static func text(_ name: String) throws -> String {
        let file = root.appendingPathComponent("config").appendingPathComponent(name)
        return try String(contentsOf: file, encoding: .utf8)
            .replacing("@PORT@", with: "8080").replacing("@RUN@", with: "/run/demo")
    }

    private static func settings(_ text: String) throws -> Settings {
        try SettingsReader.parse(text, file: "shipped.yaml", kinds: FeedRegistry.kinds, environment: [:])
    }

    /// The demo's first five minutes on its recordings, second by second.
    @Test func everyPollOfTheDemoIsAtItsDueTimeAndAsForetold() throws {
        let settings = try Self.settings(Self.text("demo.yaml"))
        let start = InProcessDaemon.start
        let recordings = try RecordedDirectory(Fixtures.url("demo").path, start: start, isShifted: true)
        let daemon = try InProcessDaemon(
            settings.sources, secrets: ["messages": ["bearer": Secret("demonstration")]],
            limits: settings.engineLimits, truncation: settings.truncationPlan
        ) { order in
            guard let url = URLComponents(string: order.url) else {
                return .failure(Failure(.operator, .badURL, order.url))
            }
            let reply = recordings.reply(to: RecordedRequest(path: url.path), at: order.context.now)
            guard reply.statusCode == 200 else {
                return .failure(Failure(.server, "http_\(reply.statusCode)", order.url, status: reply.statusCode))
            }
            let etag = reply.headers["ETag"]
            return etag != nil && order.fetch.validators.etag == etag
                ? .notModified : .body(reply.content, etag: etag)
        }
        let length = Duration.seconds(300)
        let forecast = daemon.engine.forecast(for: length, at: daemon.now)
        try daemon.advance(length - .milliseconds(1))

        var happened = daemon.reports.map { Self.line($0.started, $0.source) }
        happened += daemon.truncations.map { Self.line($0.at, nil) }
        #expect(happened.sorted() == forecast.map { Self.line($0.at, $0.source) }.sorted())
        for report in daemon.reports {
            #expect(report.end.failure == nil, "\(report.source): \(String(describing: report.end.failure))")
            #expect(report.started.milliseconds == report.due.milliseconds, "\(report.source)")
        }
        let counts = Dictionary(daemon.reports.map { ($0.source, 1) }, uniquingKeysWith: +)
        let expected = [
            "quakes": 15, "significant": 5, "volcanoes": 10, "volcanoes-kml": 5, "news": 7, "island-watch": 5,
            "messages": 5,
        ]
        #expect(counts == expected)

        let categories = Set(try daemon.column("SELECT DISTINCT category FROM events_v1"))
        #expect(categories.isSuperset(of: ["earthquake", "volcano", "news", "message"]))
        #expect(
            try daemon.number("SELECT count(*) FROM events_v1")
                == daemon.number("SELECT count(DISTINCT provider || '/' || upstream_id) FROM events_v1"))
        #expect(try daemon.number("SELECT count(*) FROM event_history_v1") > 0, "quakes change while the demo runs")
    }

    private static func line(_ at: Date, _ source: String?) -> String { "\(at.rfc3339) \(source ?? "truncation")" }

    @Test(arguments: ["visiventd.yaml", "demo.yaml"])
    func everyShippedConfigurationLoads(name: String) throws {
        let settings = try Self.settings(Self.text(name))
        let bound = try EngineSource.all(settings)
        #expect(bound.count == settings.sources.count)
        let advice = bound.filter { $0.settings.isEnabled }.flatMap { $0.feed.advice }
        #expect(advice.isEmpty)
    }

    /// Sources that are commented out as suggestions also work.
    @Test func everySuggestedSourceLoads() throws {
        var lines: [String] = []
        var isSuggestion = false
        for line in try Self.text("visiventd.yaml").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  # - name:") { isSuggestion = true }
            if !line.hasPrefix("  # ") { isSuggestion = false }
            lines.append(isSuggestion ? "  " + String(line.dropFirst(4)) : String(line))
        }
        let settings = try Self.settings(lines.joined(separator: "\n"))
        #expect(Set(settings.sources.map(\.name)).isSuperset(of: ["volcanoes-kml", "reuters-archive", "reuters"]))
        #expect(try EngineSource.all(settings).count == settings.sources.count)
    }

    @Test func theShippedSourcesKeepTheOriginalsIntervals() throws {
        let settings = try Self.settings(Self.text("visiventd.yaml"))
        let engine = Engine(
            sources: try EngineSource.all(settings), seed: 1,
            at: Moment(wall: InProcessDaemon.start, uptime: .seconds(1000)))
        let dues = Dictionary(engine.dues.map { ($0.source, $0.at) }, uniquingKeysWith: { first, _ in first })
        #expect(dues["quakes"] == .seconds(1000))
        #expect(dues["volcanoes"] == .seconds(1120))
        #expect(dues["bbc"] == .seconds(1180))
        #expect(dues["messages"] == nil, "costs money, so it is off")
    }
}
