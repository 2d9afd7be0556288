import Daemon
import Foundation
import ProcessSupport
import Store
import TestSupport
import Testing

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
