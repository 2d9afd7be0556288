import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// Edits of the configuration by `set`.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct SetCommandTests {
    private let scene = ReloadScene()

    private func set(_ arguments: String...) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable).path
        return try await MeasuredRun.of([program, "set", "--config", scene.path] + arguments)
    }

    private func content() throws -> String { try String(contentsOfFile: scene.path, encoding: .utf8) }

    @Test func withoutADaemonTheFileIsWritten() async throws {
        let text = scene.text(["a", "b"], extra: "# kept")
        try scene.write(text)
        let run = try await set("b", "offset=2h", "max_age=9d")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        let end = "/b.xml\n    offset: "
        let edited = text.replacingOccurrences(of: end + "1h\n", with: end + "2h\n    max_age: 9d\n")
        #expect(try content() == edited)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.lastIndex { $0.hasSuffix("1h") })
        #expect(
            run.output == """
                --- \(scene.path)
                +++ \(scene.path)
                @@ -\(line + 1) +\(line + 1),2 @@
                -    offset: 1h
                +    offset: 2h
                +    max_age: 9d
                \(scene.path) is written; no daemon runs, so it takes effect at the next start

                """)
        let again = try await set("b", "offset=2h")
        #expect(again.status == 0)
        #expect(again.output == "b: nothing to change in \(scene.path)\n")
    }

    @Test func theFileInWhichTheSourceStandsIsWritten() async throws {
        let main = scene.text(["a"])
        try scene.write(main)
        let text = "# kept\n" + scene.fragment(["b", "c"])
        try scene.write(text, toFragment: "news")
        try scene.write(scene.fragment(["d"]), toFragment: "other")
        let path = scene.path(ofFragment: "news")
        #expect(chmod(path, 0o604) == 0)
        let run = try await set("b", "offset=2h")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("--- \(path)\n+++ \(path)\n@@ -6 +6 @@\n"), "\(run.output)")
        #expect(run.output.hasSuffix("\(path) is written; no daemon runs, so it takes effect at the next start\n"))
        let end = "/b.xml\n    offset: "
        let edited = text.replacingOccurrences(of: end + "1h\n", with: end + "2h\n")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == edited)
        #expect(try content() == main)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o604)
        let faulty = try await set("c", "offset=soon")
        #expect(faulty.status == 78)
        #expect(faulty.errors.hasPrefix("\(path):10:5: sources[1].offset: found \"soon\""), "\(faulty.errors)")
        let unknown = try await set("e", "offset=2h")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("no source named 'e'; configured are a, b, c, d"), "\(unknown.errors)")
    }

    @Test func aDryRunWritesNothing() async throws {
        let text = scene.text(["a"])
        try scene.write(text)
        let run = try await set("--dry-run", "a", "offset=")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasSuffix(",0 @@\n-    offset: 1h\n"), "\(run.output)")
        #expect(try content() == text)
    }

    @Test func anotherAgeIsToldWithWhatGoes() async throws {
        try scene.write(scene.text(["a", "b"]))
        let path = scene.directory.path
        let store = try EventStore(path: path + "/events.sqlite")
        try store.reconcile(
            ["a", "b"].map { SourceSettings(name: $0, kind: "rss", url: "file://\(path)/\($0).xml") }, at: Date())
        for (name, hours) in [("a", 60.0), ("a", 1.0), ("b", 60.0)] {
            let event = Event(
                provider: name, id: "\(hours)", time: Date() - hours * 3600, category: .news, title: "News")
            let answer = FeedAnswer(events: [event])
            _ = try store.write([.step(PollStep(source: name, at: Date(), answer: answer, fingerprint: "f"))])
        }
        let shorter = try await set("--dry-run", "a", "max_age=2d")
        #expect(shorter.status == 0, "\(shorter.errors)")
        let words = "a: max_age 3d becomes 2d: the next truncation removes 1 event by it, for good"
        #expect(shorter.output.hasSuffix("\n+    max_age: 2d\n\(words)\n"), "\(shorter.output)")
        let longer = try await set("b", "max_age=7300d")
        #expect(
            longer.output.contains("b: max_age 3d becomes 7300d: its next poll asks once without validators\n"),
            "\(longer.output)")
        let same = try await set("a", "offset=2h", "max_age=72h")
        #expect(!same.output.contains("becomes") && same.errors.isEmpty, "\(same.output)")
    }

    @Test func faultsAreToldAsByCheckAndNothingIsWritten() async throws {
        let text = scene.text(["a"])
        try scene.write(text)
        let run = try await set("a", "refresh_interval=1ms", "colour=red")
        #expect(run.status == 78)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(": sources[0].refresh_interval: found \"1ms\"; accepted: a duration from "))
        #expect(run.errors.contains(": sources[0].colour: unknown key for kind rss; accepted: "), "\(run.errors)")
        let fixed = try await set("a", "url=file:///x")
        #expect(fixed.status == 78)
        #expect(fixed.errors.contains("found a key that set leaves alone"), "\(fixed.errors)")
        #expect(try content() == text)
        // Faults that are there already come alone, with their lines.
        try scene.write("log: {level: loud}\n" + text)
        let faulty = try await set("a", "refresh_interval=1ms")
        #expect(faulty.status == 78)
        #expect(faulty.errors.hasPrefix("\(scene.path):1:7: log.level: found \"loud\""), "\(faulty.errors)")
        #expect(!faulty.errors.contains("1ms"))
    }

    @Test func usageIsRefused() async throws {
        try scene.write(scene.text(["alpha"]))
        let unknown = try await set("alpa", "offset=2h")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("no source named 'alpa'; configured are alpha; did you mean alpha?"))
        for change in ["offset", "=2h", "Offset=2h"] {
            let run = try await set("alpha", change)
            #expect(run.status == 64, "\(change)")
            #expect(run.errors.contains("expected KEY=VALUE, or KEY= to take a key away, found '\(change)'"))
        }
        let nothing = try await set("alpha")
        #expect(nothing.status == 64)
    }

    @Test func aRunningDaemonTakesItUp() async throws {
        try scene.write(scene.text(["a", "b"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let run = try await set("a", "offset=2h")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasSuffix("\(scene.path) is written; the daemon: changed: a\n"), "\(run.output)")
        #expect(await daemon.says("configuration was reloaded", "changed: a"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func withoutReloadOnEditTheCommandIsNamed() async throws {
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let run = try await set("a", "offset=2h")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("so visiventd reload --config \(scene.path) brings it into force"), "\(run.output)")
        #expect(try await scene.reload().messages == ["changed: a"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }
}
