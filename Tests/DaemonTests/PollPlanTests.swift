import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import Store
import TestSupport
import Testing

@testable import Daemon

/// `visiventd status` shows the due times of sources that were not polled since a start, an edit or a reset.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct PollPlanTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.path + "/v.yaml" }

    private func write(_ sources: String...) throws {
        let lines = sources.map { "  - {kind: rss, url: \"file:///none.xml\", \($0)}\n" }
        let text = "database: v.sqlite\nreload_on_edit: false\nsources:\n" + lines.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    private func run(_ arguments: String...) async throws -> String {
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of([program] + arguments + ["--config", file])
        #expect(run.errors.isEmpty, "\(run.errors)")
        return run.output
    }

    /// The due time of each source in `status --json`.
    private func dues() async throws -> [String: Date] {
        let json = try JSONSerialization.jsonObject(with: Data(try await run("status", "--json").utf8))
        let sources = try #require((json as? [String: Any])?["sources"] as? [[String: Any]])
        var dues: [String: Date] = [:]
        for source in sources {
            guard let name = source["name"] as? String, let due = source["next_due"] as? String else { continue }
            let date = try #require(ISO8601DateFormatter().date(from: "\(due.prefix(19))Z"))
            dues[name] = date
        }
        return dues
    }

    @Test func aPauseOfTheirHostIsShownOfItsOtherSources() async throws {
        let server = ScriptedUpstream()
        server.answerOthers { _ in .status(429, headers: ["Retry-After": "3600"]) }
        try await server.start()
        defer { Task { [server] in await server.stop() } }
        let text = """
            database: v.sqlite
            reload_on_edit: false
            log: {level: info, format: logfmt}
            sources:
              - {name: asked, kind: rss, url: "\(server.baseURL)/asked", offset: 0s}
              - {name: other, kind: rss, url: "\(server.baseURL)/other", offset: 10m}

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let daemon = try DaemonProcess(configuration: file)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("poll ended", "source=asked"), "\(daemon.lines.all.suffix(5))")
        let status = try await run("status", "--json")
        #expect(status.components(separatedBy: "\"due_reason\":\"retry-after\"").count == 3, "\(status)")
        let planned = try await dues()
        let (asked, other) = (try #require(planned["asked"]), try #require(planned["other"]))
        #expect(abs(other.timeIntervalSince(asked)) < 2, "\(planned)")
        let host = String(server.baseURL.dropFirst("http://".count))
        let words = "other: waits for \(host) until "
        let polled = try await run("poll", "other")
        #expect(polled.hasPrefix(words) && polled.hasSuffix("Z (it asked for it)\n"), "\(polled)")
        let shown = try await run("status")
        #expect(shown.contains("\n\(words)"), "\(shown)")
        #expect(shown.split(separator: "\n").contains { $0.hasPrefix("other ") && $0.hasSuffix("waiting") }, "\(shown)")
        #expect(!shown.contains("other: failing"), "\(shown)")
        #expect(try await run("status", "--json").contains("\"waits_for\":\"\(host)\""))
    }

    @Test func whatTheDaemonHasPlannedIsShownUntilItPolls() async throws {
        // The due time from the last poll has passed since.
        let store = try EventStore(path: directory.path + "/v.sqlite")
        let source = SourceSettings(name: "old", kind: "rss", url: "file:///none.xml")
        let past = Date().addingTimeInterval(-86_400)
        try store.reconcile([source], at: past)
        _ = try store.write([
            .begin(PollBeginning(source: "old", at: past, nextDue: past + 3600, fingerprint: "f"))
        ])
        try write("name: old, offset: 2h", "name: new, offset: 1h", "name: off, enabled: false")
        #expect(try await dues().isEmpty, "nobody plans")
        #expect(try await run("status").contains("after a start"))

        let started = Date()
        let daemon = try DaemonProcess(configuration: file)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("started"))
        let first = try await dues()
        #expect(first.keys.sorted() == ["new", "old"])
        let hours = first.mapValues { ($0.timeIntervalSince(started) / 3600).rounded() }
        #expect(hours == ["new": 1, "old": 2])

        try write("name: old, offset: 2h", "name: added, offset: 3h")
        _ = try await run("reload")
        let second = try await dues()
        #expect(second.keys.sorted() == ["added", "old"])
        #expect(second["old"].map { abs($0.timeIntervalSince(first["old"] ?? .distantPast)) < 2 } == true)
        _ = try await run("reset", "old")
        #expect(try await dues().keys.sorted() == ["added", "old"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        #expect(try await dues().isEmpty)
    }
}
