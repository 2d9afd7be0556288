import Foundation
import ProcessSupport
import Store
import TestSupport
import Testing

/// The place of the database if the configuration does not name it.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct DefaultDatabaseTests {
    private let directory = TemporaryDirectory()
    private var other: String { directory.path + "/other" }

    /// Runs the program in another folder than the configuration's.
    private func run(_ arguments: String...) async throws -> MeasuredRun {
        try await MeasuredRun.of(
            ["env", "--chdir", other, try #require(DaemonProcess.executable?.path)] + arguments)
    }

    private func configure() throws -> String {
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let feed = directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel><title>t</title></channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let text = "sources: [{name: news, kind: rss, url: \"file://\(feed)\"}]\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/v.yaml"))
        return "../v.yaml"
    }

    @Test func itIsBesideTheConfigurationFromWhateverFolder() async throws {
        let file = try configure()
        #expect(try await run("poll", "news", "--config", file).status == 0)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/visiventd.sqlite"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
        for path in [file, directory.path + "/v.yaml"] {
            let events = try await run("events", "--config", path)
            #expect(events.status == 0, "\(events.errors)")
        }
    }

    /// This was the former default, so its content must not be lost from sight.
    @Test func oneInTheCurrentFolderIsNamedInPlaceOfBeginningAnother() async throws {
        let file = try configure()
        _ = try EventStore(path: other + "/visiventd.sqlite")
        let text = try String(contentsOfFile: directory.path + "/v.yaml", encoding: .utf8)
        for command in [
            ["run"], ["check", "--quiet"], ["poll", "news"], ["events"], ["seed", "cities", "/none"],
            ["set", "news", "offset=1m"],
        ] {
            let program = try #require(DaemonProcess.executable?.path)
            let run = try await MeasuredRun.of(["env", "--chdir", other, program] + command + ["--config", file])
            #expect(run.status == 78, "\(command): \(run.errors)")
            #expect(run.errors.hasPrefix("../v.yaml: database: missing, so that it is "), "\(run.errors)")
            #expect(run.errors.contains("/other/visiventd.sqlite is there"), "\(run.errors)")
        }
        #expect(try String(contentsOfFile: directory.path + "/v.yaml", encoding: .utf8) == text)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/visiventd.sqlite"))
        #expect(try await run("events", "--config", file, "--database", "visiventd.sqlite").status == 0)
        _ = try EventStore(path: directory.path + "/visiventd.sqlite")
        #expect(try await run("events", "--config", file).status == 0)
    }
}
