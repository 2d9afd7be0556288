import Foundation
import ProcessSupport
import ScriptedUpstream
import Store
import TestSupport
import Testing

@testable import Simulation

/// `visiventd health` as a process, beside a daemon and without one.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct HealthCommandTests {
    private let directory = TemporaryDirectory()
    private let server = ScriptedUpstream()

    private var database: String { directory.path + "/data/events.sqlite" }

    private func configuration(site: String = "http://127.0.0.1:9") throws -> String {
        let file = directory.path + "/visiventd.yaml"
        try FileManager.default.createDirectory(atPath: directory.path + "/data", withIntermediateDirectories: true)
        try """
        database: "\(database)"
        control_socket: "\(directory.path)/control.sock"
        log: {level: info, format: logfmt}
        sources:
          - {name: quakes, kind: usgs, url: "\(site)/quakes", refresh_interval: 1h}
          - {name: later, kind: usgs, url: "\(site)/later", refresh_interval: 1h, offset: 1h}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    private func run(_ command: String...) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable?.path)
        return try await MeasuredRun.of([program] + command)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path + "/data").sorted()
    }

    @Test func withoutADatabaseAllCommandsThatReadSayWhatToDoAndMakeNoFile() async throws {
        let file = try configuration()
        let health = try await run("health", "--config", file)
        #expect(health.status == 2)
        let lines = health.output.split(separator: "\n")
        #expect(lines.count == 5, "\(health.output)")
        #expect(lines.first?.hasPrefix("VISIVENTD CRITICAL - 2 of 4 checks: daemon: not running") == true)
        #expect(lines.dropFirst().first?.hasPrefix("FAILED   daemon: not running") == true, "\(health.output)")
        #expect(lines.dropFirst(2).first?.contains("There is no database at \(database) yet") == true)
        for command in ["events", "status", "authors"] {
            let run = try await run(command, "--config", file)
            #expect(run.status == 69)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("There is no database at \(database) yet"), "\(run.errors)")
            #expect(run.errors.contains("visiventd poll --config \(file) --all"), "\(run.errors)")
        }
        #expect(try files().isEmpty)
    }

    @Test func besideADaemonAllIsWellAndWithoutItTheDaemonHasFailed() async throws {
        let now = Date()
        let body = Documents.usgs([Documents.Quake(id: "us1", time: now - 600)], generated: now)
        server.answerOthers { _ in .body(body, type: "application/json") }
        try await server.start()
        defer { Task { [server] in await server.stop() } }
        let file = try configuration(site: server.baseURL)
        let daemon = try DaemonProcess(configuration: file)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("poll ended", "source=quakes"), "\(daemon.lines.all.suffix(5))")

        let before = try files()
        let well = try await run("health", "--config", file)
        #expect(well.status == 0, "\(well.output)\(well.errors)")
        #expect(well.output.hasPrefix("VISIVENTD OK - 10 checks | free="), "\(well.output)")
        #expect(well.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("ok  ") }, "\(well.output)")
        #expect(well.output.contains("source quakes: last success "))
        #expect(well.output.contains("source later: no success yet; late from "))
        #expect(try files() == before)

        // What only a running daemon has, and the newest copy.
        try Data(count: 5).write(to: URL(fileURLWithPath: directory.path + "/copy.sqlite"))
        let running = try await run("health", "--prometheus", "--backups", directory.path, "--config", file)
        #expect(running.status == 0, "\(running.errors)")
        for line in ["visiventd_up 1", "visiventd_configuration_last_reload_successful 1"] {
            #expect(running.output.contains("\n\(line)\n"), "\(running.output)")
        }
        for line in ["visiventd_process_resident_memory_bytes ", "visiventd_last_backup_size_bytes 5\n"] {
            #expect(running.output.contains("\n\(line)"), "\(running.output)")
        }

        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        let left = try files()
        let json = try await run("health", "--json", "--config", file)
        #expect(json.status == 2)
        let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(document?["status"] as? String == "failed")
        let checks = try #require(document?["checks"] as? [[String: Any]])
        #expect(checks.first?["check"] as? String == "daemon")
        #expect(checks.filter { $0["status"] as? String == "ok" }.count == checks.count - 1)

        let metrics = try await run("health", "--prometheus", "--config", file)
        #expect(metrics.status == 0, "the verdicts are in the metrics")
        #expect(metrics.output.hasPrefix("# HELP ") && metrics.output.hasSuffix("\n"))
        #expect(!metrics.output.contains("\n\n"))
        for line in ["visiventd_up 0", "visiventd_check_status{check=\"daemon\"} 2"] {
            #expect(metrics.output.contains("\n\(line)\n"), "\(metrics.output)")
        }
        #expect(try files() == left)
    }

    @Test func aDaemonWithoutItsSocketIsAWarning() async throws {
        let file = try configuration()
        let daemon = try DaemonProcess(configuration: file)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("poll ended", "source=quakes"), "\(daemon.lines.all.suffix(5))")
        let socket = directory.path + "/control.sock"
        try FileManager.default.removeItem(atPath: socket)

        let words = "running, but cannot be asked whether it polls: nobody listens at \(socket): "
        let health = try await run("health", "--config", file)
        #expect(health.status == 1, "\(health.output)\(health.errors)")
        #expect(health.output.contains("\nWARNING  daemon: \(words)"), "\(health.output)")
        #expect(health.output.hasPrefix("VISIVENTD WARNING - 1 of 10 checks: daemon: \(words)"))
        #expect(try await run("health", "--strict", "--config", file).status == 2)
        #expect(health.output.contains("its socket was removed"))
        #expect(try await run("status", "--config", file).output.contains("the daemon is \(words)"))
        let json = try await run("status", "--json", "--config", file)
        #expect(json.output.contains("\"unreachable\":\"nobody listens at "), "\(json.output)")
    }

    @Test func aConfigurationWithFaultsIsOneOfTheChecks() async throws {
        let file = try configuration()
        let good = try String(contentsOfFile: file, encoding: .utf8)
        let daemon = try DaemonProcess(configuration: file)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("poll ended", "source=quakes"), "\(daemon.lines.all.suffix(5))")
        for wrong in ["  - {name: later, kind: usgs, url: 7}\n", "\t- no YAML\n"] {
            try (good + "\n" + wrong).write(toFile: file, atomically: true, encoding: .utf8)
            let health = try await run("health", "--config", file)
            #expect(health.status == 1, "\(health.output)\(health.errors)")
            #expect(health.output.hasPrefix("VISIVENTD WARNING - 1 of 7 checks: configuration: \(file):"))
            #expect(health.output.contains("; the one before is in force, and a restart would fail | free="))
            #expect(health.output.contains("\nok       daemon: running\n"))
            #expect(health.output.contains("\nok       source quakes: no success yet, "), "\(health.output)")
            let metrics = try await run("health", "--prometheus", "--config", file)
            #expect(metrics.status == 0)
            #expect(metrics.output.contains("\nvisiventd_check_status{check=\"configuration\"} 1\n"))
            #expect(metrics.output.contains("\nvisiventd_up 1\n"))
        }
        #expect(await daemon.says("configuration is refused, the one before stays in force"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
        try good.write(toFile: file, atomically: true, encoding: .utf8)
        try EventStore(path: database).setRefusedConfiguration(RefusedConfiguration(at: Date(), faults: ["found x"]))
        let status = try await run("status", "--config", file)
        #expect(status.output.contains("\nthe daemon is not running\n"))
        #expect(!status.output.contains("configuration refused"), "it has been mended: \(status.output)")
    }

    @Test func aConfigurationThatCannotBeReadLeavesAllUnknownUnlessTheDatabaseIsNamed() async throws {
        let file = directory.path + "/none.yaml"
        let health = try await run("health", "--config", file)
        #expect(health.status == 3, "\(health.output)\(health.errors)")
        #expect(health.output.hasPrefix("VISIVENTD UNKNOWN - 1 of 1 check: configuration: \(file): cannot be read"))
        #expect(try await run("health", "--config", file, "--strict").status == 3)
        #expect(try await run("health", "--config", file, "--json").output.hasPrefix("{\"status\":\"unknown\""))
        #expect(try await run("health", "--config", file, "--prometheus").status == 0)
        let named = try await run("health", "--config", file, "--database", database)
        #expect(named.status == 2, "no daemon runs")
        #expect(named.output.contains("\nWARNING  configuration: "), "\(named.output)")
    }

    @Test func twoFormsAtOnceAreRefused() async throws {
        #expect(try await run("health", "--json", "--prometheus", "--config", configuration()).status == 64)
        #expect(try await run("health", "--strict", "--prometheus", "--config", configuration()).status == 64)
        #expect(try await run("health", "--backups", directory.path, "--config", configuration()).status == 64)
    }
}
