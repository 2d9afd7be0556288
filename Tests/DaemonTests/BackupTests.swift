import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// `visiventd backup` as a process of its own, and messages of commands about files that are not its databases.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct BackupTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/events.sqlite" }
    private var copy: String { directory.path + "/copies/copy.sqlite" }

    /// A store with some events, opened as by a daemon.
    private func store() throws -> EventStore {
        try FileManager.default.createDirectory(atPath: directory.path + "/copies", withIntermediateDirectories: true)
        let store = try EventStore(path: database)
        let source = SourceSettings(name: "quakes", kind: "usgs", url: "https://example.org/quakes")
        let now = Date(timeIntervalSince1970: 1_772_323_200)
        try store.reconcile([source], at: now)
        let events = (0..<2000).map { number in
            Event(
                provider: "usgs", id: "us\(number)", time: now, category: .earthquake, title: "M 5 - Chile \(number)",
                weight: 0.5, magnitude: 5)
        }
        _ = try store.write([
            .step(PollStep(source: "quakes", at: now, answer: FeedAnswer(events: events), fingerprint: "f1"))
        ])
        return store
    }

    private func visiventd(_ arguments: String..., within prefix: [String] = []) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable).path
        return try await MeasuredRun.of(prefix + [program] + arguments)
    }

    private var copies: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path + "/copies") }
    }

    @Test("it copies beside a store that is open, says so in one line, and replaces only when told to")
    func copiesBesideAnOpenStore() async throws {
        let store = try self.store()
        let run = try await visiventd("backup", copy, "--database", database)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
        let version = try store.statistics().schemaVersion
        #expect(run.output.contains("schema version \(version), checked"), "\(run.output)")
        #expect(try copies == ["copy.sqlite"])
        #expect(try EventStore(path: copy, mode: .readOnly).statistics().events == 2000)
        let again = try await visiventd("backup", copy, "--database", database)
        #expect(again.status == 73)
        #expect(again.errors.contains("--force"), "\(again.errors)")
        let forced = try await visiventd("backup", "--force", copy, "--database", database)
        #expect(forced.status == 0, "\(forced.errors)")
        let itself = try await visiventd("backup", "--force", database, "--database", database)
        #expect(itself.status == 73, "\(itself.errors)")
        try store.close()
    }

    @Test("a disk that takes no more leaves no half file")
    func nothingHalfDone() async throws {
        let store = try self.store()
        let run = try await visiventd("backup", copy, "--database", database, within: ["prlimit", "--fsize=65536"])
        #expect(run.status == 75, "\(run.errors)")
        #expect(run.errors.contains("nothing has been kept"), "\(run.errors)")
        #expect(try copies.isEmpty)
        try store.close()
    }

    /// Runs `backup -` in a shell, with a redirection of its standard output.
    private func pipe(to output: String) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable).path
        let line = "\"$0\" backup - --database \"$1\" > \"$2\""
        return try await MeasuredRun.of([
            "env", "TMPDIR=\(directory.path)/passing", "sh", "-c", line, program, database, output,
        ])
    }

    @Test("to standard output goes a whole copy, its size to standard error, and nothing stays behind")
    func aCopyGoesToStandardOutput() async throws {
        let store = try self.store()
        let passing = directory.path + "/passing"
        try FileManager.default.createDirectory(atPath: passing, withIntermediateDirectories: false)
        let run = try await pipe(to: copy)
        #expect(run.status == 0, "\(run.errors)")
        let size = try Data(contentsOf: URL(fileURLWithPath: copy)).count
        #expect(run.errors.hasPrefix("standard output: \(size) bytes ("), "\(run.errors)")
        #expect(run.errors.contains("checked, in "), "\(run.errors)")
        #expect(try EventStore(path: copy, mode: .readOnly).statistics().events == 2000)
        let full = try await pipe(to: "/dev/full")
        #expect(full.status == 74)
        #expect(full.errors.contains("what it has got is no copy"), "\(full.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: passing).isEmpty)
        try FileManager.default.removeItem(atPath: passing)
        let nowhere = try await pipe(to: copy)
        #expect(nowhere.status == 73)
        #expect(nowhere.errors.contains("takes no folder for the copy (TMPDIR names another)"), "\(nowhere.errors)")
        let forced = try await visiventd("backup", "--force", "-", "--database", database)
        #expect(forced.status == 64)
        #expect(forced.errors.contains("--force replaces a file, and - is standard output"), "\(forced.errors)")
        try store.close()
    }

    @Test("a terminal gets no copy, and no file named - is made")
    func noCopyForATerminal() async throws {
        let store = try self.store()
        let program = try #require(DaemonProcess.executable).path
        let run = try await PseudoTerminal.run(
            [program, "backup", "-", "--database", database], in: directory.path)
        #expect(run.status == 64)
        #expect(run.output.contains("a copy is nothing for a terminal"), "\(run.output)")
        let config = directory.path + "/-"
        #expect(!FileManager.default.fileExists(atPath: config))
        let made = try await MeasuredRun.of(["env", "--chdir", directory.path, program, "init", "-"])
        #expect(made.status == 64, "\(made.errors)")
        #expect(!FileManager.default.fileExists(atPath: config))
        try store.close()
    }

    @Test("what is no database is refused with its path and exit code 69")
    func noDatabase() async throws {
        let text = directory.path + "/notes.txt"
        try Data(repeating: 0x41, count: 2000).write(to: URL(fileURLWithPath: text))
        let missing = directory.path + "/missing.sqlite"
        for (path, words) in [
            (directory.path, "is a folder"), (text, "not an SQLite database"), (missing, "There is no database"),
        ] {
            for command in [["status"], ["events"], ["backup", directory.path + "/copy.sqlite"]] {
                let program = try #require(DaemonProcess.executable).path
                let run = try await MeasuredRun.of([program] + command + ["--database", path])
                #expect(run.status == 69, "\(command) \(path): \(run.status)")
                #expect(run.errors.contains(words) && run.errors.contains(path), "\(command): \(run.errors)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }
}
