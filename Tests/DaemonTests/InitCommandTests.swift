import Foundation
import ProcessSupport
import TestSupport
import Testing

/// The configuration written by `init`.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct InitCommandTests {
    private let directory = TemporaryDirectory()

    /// Runs the program in the test's folder.
    private func run(_ arguments: String...) async throws -> MeasuredRun {
        try await MeasuredRun.of(
            ["env", "--chdir", directory.path, try #require(DaemonProcess.executable?.path)] + arguments)
    }

    @Test func whatIsWrittenRunsAsItStands() async throws {
        let made = try await run("init")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("\n  visiventd check --config visiventd.yaml\n"), "\(made.output)")
        let check = try await run("check", "--config", "visiventd.yaml")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.hasPrefix("visiventd.yaml: 3 sources, no faults, 1 warning\n"), "\(check.output)")
        #expect(check.errors.hasPrefix("warning: no contact is set: "), "\(check.errors)")
        // The commented-out keys are valid without the #.
        let file = directory.path + "/visiventd.yaml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let full = text.replacing("# contact:", with: "contact:").replacing("# database:", with: "database:")
            .replacing("# minimum_magnitude:", with: "minimum_magnitude:")
        try Data(full.utf8).write(to: URL(fileURLWithPath: file))
        let quiet = try await run("check", "--config", "visiventd.yaml")
        #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
    }

    @Test func besideTheDatabaseOfAnotherConfigurationItNamesItsOwn() async throws {
        let database = URL(fileURLWithPath: directory.path + "/visiventd.sqlite")
        try Data().write(to: database)
        try FileManager.default.createDirectory(
            atPath: directory.path + "/quakes", withIntermediateDirectories: true)
        let made = try await run("init", "quakes/v.yaml")
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            made.output.hasPrefix(
                "quakes/v.yaml: made. The current folder has another visiventd.sqlite, so database in it names its own. "
            ), "\(made.output)")
        let check = try await run("check", "--config", "quakes/v.yaml")
        #expect(check.status == 0, "\(check.errors)")
        // In the same folder the database is the configuration's own.
        #expect(try await run("init").output.hasPrefix("visiventd.yaml: made. Set contact in it"))
    }

    @Test func aFileThatIsThereStaysAsItIs() async throws {
        let file = directory.path + "/my own.yaml"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let again = try await run("init", "my own.yaml")
        #expect(again.status == 73)
        #expect(again.errors == "visiventd: my own.yaml is there already and stays as it is; name another file\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let nowhere = try await run("init", "none/v.yaml")
        #expect(nowhere.status == 73)
        #expect(nowhere.errors == "visiventd: none/v.yaml cannot be made: No such file or directory\n")
        let quoted = try await run("init", "a b.yaml")
        #expect(quoted.output.contains("visiventd run --config 'a b.yaml'\n"), "\(quoted.output)")
    }
}
