import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// Commands in messages and in the log refer to the same configuration.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct HintTests {
    private let directory = TemporaryDirectory()

    private func run(_ arguments: String...) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    /// A configuration with a source whose token is missing.
    private func configuration() throws -> String {
        let file = directory.path + "/v.yaml"
        let text = """
            database: v.sqlite
            log: {level: info, format: logfmt}
            geocoding:
              mapquest: {key_file: /none/key}
            sources:
              - {name: live, kind: twitter, enabled: true, offset: 1h, bearer_token_file: /none, keywords: [quake]}

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test func theDatabaseAndTheTableThatWereGivenAreNamed() async throws {
        let table = try await run("geocode", "Hilo", "--table", "/none/it's")
        #expect(table.errors.hasSuffix(" visiventd seed cities --table '/none/it'\\''s' FILE\n"), "\(table.errors)")
        let database = directory.path + "/none.sqlite"
        let events = try await run("events", "--database", database)
        let standard = "/etc/visiventd/visiventd.yaml"
        let config = FileManager.default.isReadableFile(atPath: standard) ? "" : " --config FILE"
        #expect(events.errors.contains("(visiventd poll\(config) --database \(database) --all)"), "\(events.errors)")
    }

    @Test func aCommandThatNeedsAConfigurationIsRecommendedWithOne() async throws {
        let database = directory.path + "/v.sqlite"
        let source = SourceSettings(name: "live", kind: "twitter", url: "https://api.test/")
        let store = try EventStore(path: database)
        try store.reconcile([source], at: Date())
        let others = "/opt/visiventd run/x is read, visiventd checks it, and myvisiventd check does not"
        let failure = Failure(
            .operator, .nothingToAsk, "it has no credentials; visiventd check names the keys; \(others)")
        let end = PollEnd(failure: failure, nextDue: Date() + 60, dueReason: .backOff, failures: 1)
        _ = try store.write([.step(PollStep(source: "live", at: Date(), fingerprint: "f", end: end))])
        let standard = "/etc/visiventd/visiventd.yaml"
        let config = FileManager.default.isReadableFile(atPath: standard) ? "" : " --config FILE"
        let hint = "visiventd check\(config) --database \(database) names the keys"
        let status = try await run("status", "--database", database)
        #expect(status.output.contains(hint), "\(status.output)")
        // The terminal's width does not matter, since lines break between words.
        #expect(status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(others))
    }

    @Test func theTableBesideTheDatabaseThatWasGivenIsNamedAndOneThatTheConfigurationNamesIsNot() async throws {
        let database = directory.path + "/other.sqlite"
        _ = try EventStore(path: database)
        let beside = "visiventd seed cities --table \(directory.path)/cities.sqlite FILE"
        #expect(try await run("status", "--database", database).output.contains(beside))
        let file = try configuration()
        let following = try await run("geocode", "Hilo", "--config", file, "--database", database)
        #expect(following.errors.hasSuffix(" \(beside)\n"), "\(following.errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try Data((text + "gazetteer: {path: named/cities.sqlite}\n").utf8).write(to: URL(fileURLWithPath: file))
        let named = try await run("geocode", "Hilo", "--config", file, "--database", database)
        #expect(named.errors.hasSuffix(" visiventd seed cities --config \(file) FILE\n"), "\(named.errors)")
    }

    @Test func theConfigurationThatIsReadAnywayIsNotNamed() async throws {
        let standard = "/etc/visiventd/visiventd.yaml"
        let run = try await run("events", "--database", directory.path + "/none.sqlite", "--config", standard)
        #expect(run.errors.contains("There is no database at") && !run.errors.contains(standard), "\(run.errors)")
    }

    @Test func theDaemonsLogNamesItsConfigurationByItsWholePath() async throws {
        let file = try configuration()
        let daemon = try DaemonProcess(configuration: "v.yaml", within: ["env", "--chdir", directory.path])
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("credentials are not complete", "see visiventd check --config \(file)"))
        #expect(await daemon.says("no city table", "seed one with: visiventd seed cities --config \(file) FILE"))
        for format in [["status"], ["status", "--json"]] {
            let program = try #require(DaemonProcess.executable?.path)
            let status = try await MeasuredRun.of([program] + format + ["--config", file])
            #expect(status.output.contains("its key cannot be read; see visiventd check --config \(file)"))
            #expect(status.output.contains("seed one with: visiventd seed cities --config \(file) FILE"))
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        let health = try await run("health", "--json", "--config", file)
        #expect(health.output.contains("visiventd run --config \(file)"), "\(health.output)")
    }
}
