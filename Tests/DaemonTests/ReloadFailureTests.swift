import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

@testable import Daemon

/// The real program with a valid configuration that cannot take effect: the file or a secret is unreadable, or the
/// store refuses writes.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ReloadFailureTests {
    /// Reading the start of a process's memory is an I/O error.
    private static let unreadable = "/proc/self/mem"

    @Test func aFileThatCannotBeReadJustNowIsNotRefused() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let other = scene.directory.path + "/other.yaml"
        #expect(symlink(Self.unreadable, other) == 0 && rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration cannot be read just now, the one before stays in force"))
        let asked = try await scene.reload()
        #expect(!asked.isSuccess && !asked.isFault)
        #expect(asked.messages == ["\(scene.path): cannot be read just now: Input/output error; it is tried again"])
        #expect(try scene.refused()?.obstacle == .unread)
        let program = try #require(DaemonProcess.executable).path
        let database = scene.directory.path + "/events.sqlite"
        let status = try await MeasuredRun.of([program, "status", "--database", database])
        #expect(status.output.contains("\nconfiguration could not be read 2"), "\(status.output)")
        #expect(try await MeasuredRun.of([program, "check", "--config", scene.path]).status == 75)
        try Data(scene.text(["a", "b"]).utf8).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        #expect(daemon.linesHolding("configuration is refused").isEmpty)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func whatCannotBeReadJustNowIsLookedAtAgainByItself() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        // The file of a secret is not watched; only further attempts show that it is readable again.
        let (token, other) = (scene.directory.path + "/token", scene.directory.path + "/other")
        #expect(symlink(Self.unreadable, token) == 0)
        try scene.write(scene.text(["a"]) + "    authorization_file: \(token)\n")
        #expect(await daemon.says("configuration cannot be read just now", "token cannot be read: Input/output error"))
        try Data("Bearer of-nobody\n".utf8).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, token) == 0)
        #expect(await daemon.says("configuration was reloaded", "changed: a"))
        #expect(daemon.linesHolding("configuration cannot be read just now").count == 1)
        #expect(daemon.linesHolding("credentials are not complete").isEmpty)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aSecretThatCannotBeReadAtTheStartIsLookedAtAgain() async throws {
        let scene = ReloadScene()
        let (token, other) = (scene.directory.path + "/token", scene.directory.path + "/other")
        #expect(symlink(Self.unreadable, token) == 0)
        func write(_ names: [String]) throws {
            let text = scene.text(names, extra: "reload_on_edit: false")
            try scene.write(text + "    authorization_file: \(token)\n")
        }
        try write(["a"])
        let daemon = try DaemonProcess(configuration: scene.path)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("credentials are not complete", "token cannot be read: Input/output error"))
        #expect(await daemon.says("started"))
        // An edit without a reload does not take effect with it.
        try write(["b", "a"])
        try Data("Bearer of-nobody\n".utf8).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, token) == 0)
        let words = "secret no longer missing: a"
        #expect(await daemon.says("configuration was reloaded", words, "a secret can be read again"))
        #expect(daemon.linesHolding("credentials are not complete").count == 1)
        #expect(try await scene.reload().messages == ["added: b"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    private static let hasShell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: ReloadFailureTests.hasShell, "the sqlite3 shell is not installed"))
    func whatCannotBePutToUseAsAWholeIsNotPutToUseInPart() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("started"))
        func change(_ sql: String) async throws {
            let shell = try await MeasuredRun.of(["sqlite3", scene.directory.path + "/events.sqlite", sql])
            #expect(shell.status == 0, "\(shell.errors)")
        }
        // The reload has to store the new source, which this trigger refuses.
        try await change(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON source WHEN NEW.name = 'b'
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """)
        let extra = "reload_on_edit: false\ngeocoding: {mapquest: {key_file: none.key}}"
        try scene.write(scene.text(["a", "b"], extra: extra))
        let first = try await scene.reload()
        #expect(!first.isSuccess && !first.isFault)
        let reason = "The database refused the operation (SQLite: not now)"
        #expect(first.messages == ["the configuration cannot be stored: \(reason)"])
        #expect(daemon.linesHolding("configuration cannot be stored, the one before stays in force").count == 1)
        let store = try EventStore(path: scene.directory.path + "/events.sqlite", mode: .readOnly)
        #expect(try store.trouble(of: .mapquest) == nil, "the new locator is not in use")
        let refused = try #require(try scene.refused())
        #expect(refused.obstacle == .unstored && refused.faults == [reason])
        let program = try #require(DaemonProcess.executable).path
        let status = try await MeasuredRun.of([program, "status", "--config", scene.path])
        #expect(status.output.contains("\nconfiguration could not be stored 2"), "\(status.output)")
        try await change("DROP TRIGGER refusal")
        let second = try await scene.reload().messages
        let words = "added: b; changed: geocoding; secret missing: geocoding.mapquest ("
        #expect(second.count == 1 && second[0].hasPrefix(words), "\(second)")
        #expect(second[0].hasSuffix("none.key cannot be read: No such file or directory)"), "\(second)")
        #expect(try scene.refused() == nil)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func whatTheStoreCannotTakeJustNowIsTriedAgain() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path, within: ["--ignore-signal=XFSZ"])
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("started"))
        /// Sets a limit on file sizes.
        func limit(_ size: String) async throws {
            let process = try #require(daemon.identifier)
            let run = try await MeasuredRun.of(["prlimit", "--pid", "\(process)", "--fsize=\(size):"])
            #expect(run.status == 0, "\(run.errors)")
        }
        try await limit("0")
        try scene.write(scene.text(["a", "b"]))
        #expect(await daemon.says("configuration cannot be stored, the one before stays in force", "The disk"))
        let asked = try await scene.reload()
        #expect(!asked.isSuccess && !asked.isFault)
        #expect(asked.messages.count == 1 && asked.messages[0].hasSuffix("; it is tried again"), "\(asked.messages)")
        try await limit("unlimited")
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        // One line is for the edit, one for the reload.
        #expect(daemon.linesHolding("configuration cannot be stored").count == 2)
        #expect(daemon.linesHolding("configuration is refused").isEmpty)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }
}
