import Foundation
import ProcessSupport
import Store
import TestSupport
import Testing

/// The real program with a configuration that changes. Its sources are files that are not polled meanwhile.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ReloadTests {
    @Test func aCommandPutsAGoodFileIntoForceAndRefusesABadOne() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a", "b"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))

        try scene.write(scene.text(["a", "c"], extra: "reload_on_edit: false\nlog: {level: debug}"))
        let good = try await scene.reload()
        #expect(good.isSuccess)
        #expect(good.messages == ["added: c; changed: log.level; removed: b"])
        #expect(await daemon.says("configuration was reloaded"))
        #expect(await daemon.says("source was added", "source=c next=2"))

        try scene.write(scene.text(["a", "a"], extra: "reload_on_edit: maybe"))
        let bad = try await scene.reload()
        #expect(!bad.isSuccess && bad.isFault)
        #expect(bad.messages.count == 2, "\(bad.messages)")
        #expect(await daemon.says("configuration is refused", "sources[1].name"))
        #expect(await daemon.says("configuration is refused", "reload_on_edit"))
        let refused = try #require(try scene.refused())
        #expect(refused.faults == bad.messages)

        try scene.write(scene.text(["a", "c"], extra: "reload_on_edit: false\nfull_text: false"))
        #expect(try await scene.reload().messages == ["changed: log.level; in force after a restart: full_text"])
        #expect(try scene.refused() == nil)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func filesOfTheFolderComeIntoForceByThemselves() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try scene.write(scene.fragment(["b", "c"]), toFragment: "news")
        #expect(await daemon.says("configuration was reloaded", "added: b, c"))
        #expect(await daemon.says("source was added", "source=c next=2"))
        try scene.write(scene.fragment(["a"]), toFragment: "more")
        let place = "\(scene.path(ofFragment: "more")):2:5: sources[0].name: found"
        #expect(await daemon.says("configuration is refused", place))
        try FileManager.default.removeItem(atPath: scene.path(ofFragment: "news"))
        try FileManager.default.removeItem(atPath: scene.path(ofFragment: "more"))
        #expect(await daemon.says("configuration was reloaded", "removed: b, c"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aReloadTellsWhatOtherAgesMean() async throws {
        let scene = ReloadScene()
        let text = scene.text(["b", "a"], extra: "reload_on_edit: false")
        try scene.write(text)
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try scene.write(text + "    max_age: 7300d\n")
        let longer = "a: max_age 3d becomes 7300d: its next poll asks once without validators"
        #expect(try await scene.reload().messages == ["changed: a; \(longer)"])
        #expect(await daemon.says("configuration was reloaded", longer))
        try scene.write(text + "    max_age: 2d\n")
        let shorter = "a: max_age 7300d becomes 2d: the next truncation removes 0 events by it, for good"
        #expect(try await scene.reload().messages == ["changed: a; \(shorter)"])
        #expect(try await scene.reload().messages == ["nothing has changed"])
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func secretsThatOthersCanReadAreNamedAtTheStart() async throws {
        let scene = ReloadScene()
        let token = scene.directory.path + "/token"
        try Data("Bearer of-nobody\n".utf8).write(to: URL(fileURLWithPath: token))
        #expect(chmod(token, 0o644) == 0)
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false") + "    authorization_file: \(token)\n")
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("secret can be read by others", "a: \(token) can be read"))
        #expect(await daemon.says("started"))
        #expect(chmod(token, 0o600) == 0)
        #expect(try await scene.reload().isSuccess)
        #expect(daemon.linesHolding("secret can be read by others").count == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func onlySourcesThatAReloadChangesGetNewPatience() async throws {
        let scene = ReloadScene()
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

    @Test func thatThereIsNoCityTableIsSaidOnceForAPath() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("no city table"))
        try scene.write(scene.text(["a", "b"], extra: "reload_on_edit: false"))
        #expect(try await scene.reload().messages == ["added: b"])
        let other = "reload_on_edit: false\ngazetteer: {path: other.sqlite}"
        try scene.write(scene.text(["a", "b"], extra: other))
        #expect(try await scene.reload().isSuccess)
        #expect(await daemon.says("no city table", "other.sqlite"))
        #expect(daemon.linesHolding("no city table").count == 2)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func anEditIsNoticedWhereverItHappens() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        // Written in place.
        try scene.write(scene.text(["a", "b"]))
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        // Replaced, as by editors.
        let other = scene.directory.path + "/.visiventd.yaml.swp"
        try Data(scene.text(["a", "b", "c"]).utf8).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: c"))
        // A link to a file in another folder, which is then edited.
        let folder = scene.directory.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let target = URL(fileURLWithPath: folder + "/real.yaml")
        try Data(scene.text(["a", "b", "c", "d"]).utf8).write(to: target)
        #expect(symlink(target.path, other) == 0)
        #expect(rename(other, scene.path) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: d"))
        try Data(scene.text(["a", "b", "c", "d", "e"]).utf8).write(to: target)
        #expect(await daemon.says("configuration was reloaded", "added: e"))
        // A faulty file is refused and has no effect.
        try Data("sources: []\n".utf8).write(to: target)
        #expect(await daemon.says("configuration is refused"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aFileIsReplacedAsKubernetesDoesIt() async throws {
        let scene = ReloadScene()
        let link = scene.directory.path + "/..data"
        for (folder, names) in [("..1", ["a"]), ("..2", ["a", "b"])] {
            let path = scene.directory.path + "/" + folder
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try Data(scene.text(names).utf8).write(to: URL(fileURLWithPath: path + "/visiventd.yaml"))
        }
        #expect(symlink("..1", link) == 0 && symlink("..data/visiventd.yaml", scene.path) == 0)
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        #expect(symlink("..2", link + "~") == 0 && rename(link + "~", link) == 0)
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aFileThatIsGoneIsNamedOnceAndStaysInForce() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"]))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try FileManager.default.removeItem(atPath: scene.path)
        #expect(await daemon.says("configuration is gone, the one before stays in force", "No such file"))
        #expect(daemon.linesHolding("configuration is gone").count == 1)
        let asked = try await scene.reload()
        #expect(!asked.isSuccess && asked.isFault)
        #expect(try scene.refused()?.obstacle == .gone)
        let program = try #require(DaemonProcess.executable).path
        let database = scene.directory.path + "/events.sqlite"
        let status = try await MeasuredRun.of([program, "status", "--database", database])
        #expect(status.output.contains("\nconfiguration gone 2"), "\(status.output)")
        try scene.write(scene.text(["a", "b"]))
        #expect(await daemon.says("configuration was reloaded", "added: b"))
        #expect(daemon.linesHolding("configuration is gone").count == 2, "once by itself, once for the command")
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aFileThatCannotBeReadIsNotCalledRefused() async throws {
        let scene = ReloadScene()
        try scene.write(scene.text(["a"], extra: "reload_on_edit: false"))
        let daemon = try DaemonProcess(configuration: scene.path)
        #expect(await daemon.says("started"))
        try FileManager.default.removeItem(atPath: scene.path)
        try FileManager.default.createDirectory(atPath: scene.path, withIntermediateDirectories: false)
        let asked = try await scene.reload()
        #expect(!asked.isSuccess && asked.isFault)
        #expect(await daemon.says("configuration cannot be read, the one before stays in force"))
        #expect(daemon.linesHolding("configuration cannot be read").count == 1)
        #expect(try scene.refused()?.obstacle == .unread)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }

    @Test func aPipeInTheSecretsPlaceHoldsNothingUp() async throws {
        let scene = ReloadScene()
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
        let scene = ReloadScene()
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
