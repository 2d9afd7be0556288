import Foundation
import ProcessSupport
import SQLite
import Store
import TestSupport
import Testing

/// Commands that are refused at once leave no file behind: neither a lock nor a database.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct RefusalTests {
    private let directory = TemporaryDirectory()
    private static let commands = [["run"], ["poll", "news"], ["reset", "news"], ["truncate"]]

    /// A configuration with a database, and a socket in a folder of its own.
    private func configuration(_ database: String, socket: String = "c.sock") throws -> String {
        let file = directory.path + "/v.yaml"
        let text = """
            database: data/\(database)
            control_socket: \(socket)
            sources:
              - {name: news, kind: rss, url: "http://127.0.0.1:9/"}

            """
        try FileManager.default.createDirectory(atPath: directory.path + "/data", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path + "/data").sorted()
    }

    /// Expects that each command is refused with these words and leaves the folder unchanged.
    private func expectRefusal(_ commands: [[String]], _ configuration: String, _ words: String) async throws {
        let before = try files()
        let program = try #require(DaemonProcess.executable?.path)
        for command in commands {
            let run = try await MeasuredRun.of([program] + command + ["--config", configuration])
            #expect(run.status == 69, "\(command): \(run.errors)")
            #expect(run.errors.contains(words), "\(command): \(run.errors)")
            #expect(try files() == before, "\(command)")
        }
    }

    @Test func whatIsNoDatabaseStaysAlone() async throws {
        let file = try configuration("notes#1.txt")
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: directory.path + "/data/notes#1.txt"))
        try await expectRefusal(Self.commands, file, "notes#1.txt: The file is not an SQLite database")
    }

    @Test func aFolderStaysAlone() async throws {
        let file = try configuration("folder")
        try FileManager.default.createDirectory(
            atPath: directory.path + "/data/folder", withIntermediateDirectories: true)
        try await expectRefusal(Self.commands, file, "is a folder, not a database")
    }

    @Test(arguments: [("application_id = 7", "of another program"), ("user_version = 99", "schema version 99")])
    func databasesOfOtherProgramsAndOfNewerVersionsStayAlone(pragma: String, words: String) async throws {
        let file = try configuration("other.sqlite")
        // A copy has no write-ahead log.
        let made = try EventStore(path: directory.path + "/made.sqlite")
        try made.maintain { try $0.run("PRAGMA \(pragma)") }
        try made.maintain { try $0.run("VACUUM INTO '\(directory.path)/data/other.sqlite'") }
        try await expectRefusal(Self.commands, file, words)
    }

    @Test func whereNoSocketCanBeMadeNoDatabaseIs() async throws {
        let file = try configuration("new.sqlite", socket: "none/c.sock")
        try await expectRefusal([["run"]], file, "cannot listen on the control socket")
    }

    @Test func aFileOfOursWithoutItsLogIsUsable() async throws {
        let store = try EventStore(path: directory.path + "/made.sqlite")
        let copy = directory.path + "/copy.sqlite"
        try store.maintain { try $0.run("VACUUM INTO '\(copy)'") }
        try DatabasePath.mustBeUsable(copy)
        let empty = directory.path + "/empty.sqlite"
        try Data().write(to: URL(fileURLWithPath: empty))
        try DatabasePath.mustBeUsable(empty)
        try DatabasePath.mustBeUsable(directory.path + "/none.sqlite")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.filter { !$0.hasPrefix("made") }.sorted() == ["copy.sqlite", "empty.sqlite"])
    }
}
