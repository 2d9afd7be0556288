import Foundation
import ProcessSupport
import Store
import TestSupport
import Testing

@testable import Daemon

/// The real program, whose configuration changes while it runs. Its sources are files that are not polled meanwhile.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(2)))
struct ReloadTests {
    private struct Scene {
        let directory = TemporaryDirectory()
        var path: String { directory.path + "/visiventd.yaml" }
        var socket: String { directory.path + "/c.sock" }

        func text(_ names: [String], extra: String = "") -> String {
            let sources = names.map { name in
                """
                  - name: \(name)
                    kind: rss
                    url: file://\(directory.path)/\(name).xml
                    offset: 1h

                """
            }
            return """
                database: \(directory.path)/events.sqlite
                control_socket: \(socket)
                \(extra)
                sources:

                """ + sources.joined()
        }

        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

        /// What the daemon answers to `visiventd reload`.
        func reload() async throws -> (isSuccess: Bool, messages: [String], isFault: Bool) {
            let socket = socket
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            var messages: [String] = []
                            var isFault = false
                            let isSuccess = try ControlClient.send(ControlRequest(.reload), to: socket) { reply in
                                messages.append(reply.message)
                                isFault = isFault || reply.isConfigurationFault == true
                            }
                            return (isSuccess, messages, isFault)
                        })
                }
            }
        }

        func refused() throws -> RefusedConfiguration? {
            try EventStore(path: directory.path + "/events.sqlite", mode: .readOnly).refusedConfiguration()
        }
    }

    @Test func aCommandPutsAGoodFileIntoForceAndRefusesABadOne() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a", "b"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))

        try scene.write(scene.text(["a", "c"], extra: "reload_on_edit: false\nlog: {level: debug}"))
        let good = try await scene.reload()
        #expect(good.isSuccess)
        #expect(good.messages == ["added: c; changed: log.level; removed: b"])
        #expect(await daemon.says("configuration was reloaded"))

        try scene.write(scene.text(["a", "a"], extra: "reload_on_edit: maybe"))
        let bad = try await scene.reload()
        #expect(!bad.isSuccess && bad.isFault)
        #expect(bad.messages.count == 2, "\(bad.messages)")
        #expect(daemon.linesHolding("configuration is refused").count == 2)
        let refused = try #require(try scene.refused())
        #expect(refused.faults == bad.messages)

        try scene.write(scene.text(["a", "c"], extra: "reload_on_edit: false\nfull_text: false"))
        #expect(try await scene.reload().messages == ["changed: log.level; in force after a restart: full_text"])
        #expect(try scene.refused() == nil)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    private static let hasShell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: ReloadTests.hasShell, "the sqlite3 shell is not installed"))
    func whatCannotBePutToUseAsAWholeIsNotPutToUseInPart() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("started"))
        func change(_ sql: String) async throws {
            let shell = try await MeasuredRun.of(["sqlite3", scene.directory.path + "/events.sqlite", sql])
            #expect(shell.status == 0, "\(shell.errors)")
        }
        // That the service cannot be asked is to be noted, and is not.
        try await change(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON meta WHEN NEW.key = 'trouble_mapquest'
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """)
        let extra = "reload_on_edit: false\ngeocoding: {mapquest: {key_file: none.key}}"
        try scene.write(scene.text(["a", "b"], extra: extra))
        let first = try await scene.reload()
        #expect(!first.isSuccess && !first.isFault)
        #expect(first.messages.count == 1 && first.messages[0].contains("not now"), "\(first.messages)")
        try await change("DROP TRIGGER refusal")
        #expect(try await scene.reload().messages == ["added: b; changed: geocoding"])
        #expect(try scene.refused() == nil)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func onlySourcesThatAReloadChangesGetNewPatience() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a", "b"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let store = try EventStore(path: scene.directory.path + "/events.sqlite", mode: .readOnly)
        let begun = try #require(try store.lastReconciliation())
        #expect(try await scene.reload().messages == ["nothing has changed"])
        #expect(try store.renewals() == [:])
        try scene.write(scene.text(["a", "c"], extra: "reload_on_edit: false"))
        #expect(try await scene.reload().isSuccess)
        #expect(try store.renewals().keys.sorted() == ["c"])
        #expect(try store.lastReconciliation() == begun)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func anEditIsNoticedWhereverItHappens() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        // In place.
        try scene.write(scene.text(["a", "b"]))
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        // Replaced, as editors do.
        let other = scene.directory.path + "/.visiventd.yaml.swp"
        try Data(scene.text(["a", "b", "c"]).utf8).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: c"))
        // A link to a file in another folder, which is then edited there.
        let folder = scene.directory.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let target = URL(fileURLWithPath: folder + "/real.yaml")
        try Data(scene.text(["a", "b", "c", "d"]).utf8).write(to: target)
        #expect(symlink(target.path, other) == 0)
        #expect(rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: d"))
        try Data(scene.text(["a", "b", "c", "d", "e"]).utf8).write(to: target)
        #expect(await daemon.says("configuration was reloaded", "added: e"))
        // A fault is refused and does no harm.
        try Data("sources: []\n".utf8).write(to: target)
        #expect(await daemon.says("configuration is refused"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aLinkToTheFoldersOnTheWayMayBeTurned() async throws {
        let scene = Scene()
        let link = scene.directory.path + "/conf"
        for (folder, names) in [("old", ["a"]), ("new", ["a", "b"])] {
            let path = scene.directory.path + "/" + folder
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data(scene.text(names).utf8).write(to: URL(fileURLWithPath: path + "/visiventd.yaml"))
        }
        #expect(symlink("old", link) == 0)
        let daemon = try DaemonProcess(configuration: link + "/visiventd.yaml")
        #expect(await daemon.says("started"))
        #expect(symlink("new", link + "~") == 0 && rename(link + "~", link) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aFileThatIsGoneIsNamedOnceAndStaysInForce() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try FileManager.default.removeItem(atPath: scene.path)
        #expect(await daemon.says("configuration is gone, the one before stays in force", "No such file"))
        try scene.write(scene.text(["a", "b"]))
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        #expect(daemon.linesHolding("configuration is gone").count == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    /// To read the beginning of a process's memory is an I/O error.
    private static let unreadable = "/proc/self/mem"

    @Test func aFileThatCannotBeReadJustNowIsNotRefused() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let other = scene.directory.path + "/other.yaml"
        #expect(symlink(Self.unreadable, other) == 0 && rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration cannot be read just now, the one before stays in force"))
        let asked = try await scene.reload()
        #expect(!asked.isSuccess && !asked.isFault)
        #expect(asked.messages == ["\(scene.path): cannot be read just now: Input/output error; try again"])
        #expect(try scene.refused()?.isUnread == true)
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
        let scene = Scene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        // A secret's file is not watched: that it can be read again is found by looking only.
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

    @Test func itIsLookedAtAgainAtGrowingPauses() {
        let pauses = [1, 2, 3, 6, 7, 8, 1000].map { Daemon.pause(afterFailures: $0) }
        let seconds: [Int] = [1, 2, 4, 32, 60, 60, 60]
        #expect(pauses == seconds.map { Duration.seconds($0) })
    }

    @Test func aPipeInTheSecretsPlaceHoldsNothingUp() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        let pipe = scene.directory.path + "/token"
        #expect(mkfifo(pipe, 0o600) == 0)
        let changed = scene.text(["a"], extra: "reload_on_edit: false") + "    authorization_file: \(pipe)\n"
        try scene.write(changed)
        #expect(try await scene.reload().isSuccess)
        #expect(await daemon.says("credentials are not complete", "it is no ordinary file"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aHangUpReadsTheFileAgain() async throws {
        let scene = Scene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try scene.write(scene.text(["a", "b"], extra: "reload_on_edit: false"))
        daemon.signal(SIGHUP)
        #expect(await daemon.says("configuration was reloaded", "SIGHUP", "added: b"))
        #expect(daemon.linesHolding("configuration was reloaded").count == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }
}
