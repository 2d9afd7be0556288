import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import Daemon

/// What is noticed of a file and of the way to it. The kernel queues what it tells before the call that causes it
/// returns, so there is nothing to wait for, but for the end of writing (`Scene.end`).
@Suite(.timeLimit(.minutes(1)))
struct FileWatcherTests {
    private struct Scene {
        let directory = TemporaryDirectory()

        func path(_ name: String) -> String { directory.path + "/" + name }

        func watches(_ name: String) throws -> TrailWatches {
            let watches = try TrailWatches(path: path(name))
            #expect(!watches.tellEdit(), "nothing has happened yet")
            return watches
        }

        func write(_ names: String...) throws {
            for name in names { try end(begin(name), name) }
        }

        /// Opens a file to be written, and locks it.
        func begin(_ name: String) throws -> Int32 {
            let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw failure }
            return descriptor
        }

        /// Closes it.
        ///
        /// A process that another test is just starting has copies of all descriptors until it runs its program, and the
        /// kernel tells that a file has been written when the last is closed. Then the lock goes, too (flock(2)).
        func end(_ descriptor: Int32, _ name: String) throws {
            close(descriptor)
            let reader = open(path(name), O_RDONLY | O_CLOEXEC)
            guard reader >= 0, flock(reader, LOCK_EX) == 0 else { throw failure }
            close(reader)
        }

        private var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

        func folder(_ names: String...) throws {
            for name in names {
                try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
            }
        }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
        }

        /// Turns a link in one step, as `ln -sfT` and Kubernetes do.
        func turn(_ name: String, to target: String) throws {
            try link(name + ".new", to: target)
            try move(name + ".new", name)
        }

        func move(_ old: String, _ new: String) throws {
            guard rename(path(old), path(new)) == 0 else { throw failure }
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }
    }

    @Test func editsOfTheFileAreNoticed() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.write("v.yaml")
        let watches = try scene.watches("v.yaml")
        try scene.write("v.yaml")
        #expect(watches.tellEdit(), "in place")
        try scene.write("other")
        #expect(!watches.tellEdit(), "another file")
        try scene.move("other", "v.yaml")
        #expect(watches.tellEdit(), "replaced")
        #expect(chmod(scene.path("v.yaml"), 0o600) == 0)
        #expect(watches.tellEdit(), "other rights")
        try scene.move("v.yaml", "v.yaml~")
        #expect(watches.tellEdit(), "moved away")
        try scene.move("v.yaml~", "v.yaml")
        #expect(watches.tellEdit(), "moved back")
        try scene.remove("v.yaml")
        #expect(watches.tellEdit(), "removed")
        #expect(!watches.tellEdit())
    }

    @Test func aNewFileStillHasToBeWritten() throws {
        let scene = Scene()
        let watches = try scene.watches("v.yaml")
        let descriptor = try scene.begin("v.yaml")
        #expect(!watches.tellEdit())
        try scene.end(descriptor, "v.yaml")
        #expect(watches.tellEdit())
        // Links have all that they will have.
        try scene.write("whole")
        for isSymbolic in [true, false] {
            try scene.remove("v.yaml")
            #expect(watches.tellEdit())
            if isSymbolic {
                try scene.link("v.yaml", to: "whole")
            } else {
                #expect(link(scene.path("whole"), scene.path("v.yaml")) == 0)
            }
            #expect(watches.tellEdit())
        }
    }

    @Test func aLinkInTheMiddleOfThePathIsFollowedWhenItIsTurned() throws {
        let scene = Scene()
        try scene.folder("srv/a", "srv/b")
        try scene.write("srv/a/v.yaml", "srv/b/v.yaml")
        try scene.link("etc", to: "srv/a")
        let watches = try scene.watches("etc/v.yaml")
        try scene.turn("etc", to: scene.path("srv/b"))
        #expect(watches.tellEdit(), "turned")
        try scene.write("srv/a/v.yaml")
        #expect(!watches.tellEdit(), "the old place is no longer ours")
        try scene.write("srv/b/v.yaml")
        #expect(watches.tellEdit(), "the new one is")
        try scene.remove("etc")
        #expect(watches.tellEdit(), "removed")
        try scene.link("etc", to: "srv/a")
        #expect(watches.tellEdit(), "made again")
        try scene.write("srv/a/v.yaml")
        #expect(watches.tellEdit())
    }

    @Test func filesAreReplacedAsKubernetesDoesIt() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("..1")
        try scene.write("..1/v.yaml")
        try scene.link("..data", to: "..1")
        try scene.link("v.yaml", to: "..data/v.yaml")
        let watches = try scene.watches("v.yaml")
        for number in 2...4 {
            try scene.folder("..\(number)")
            try scene.write("..\(number)/v.yaml")
            #expect(!watches.tellEdit(), "not yet")
            try scene.turn("..data", to: "..\(number)")
            #expect(watches.tellEdit())
            try scene.remove("..\(number - 1)")
            #expect(!watches.tellEdit(), "the old one is no longer ours")
        }
    }

    @Test func aFolderThatIsReplacedIsNoticed() throws {
        let scene = Scene()
        try scene.folder("a/b/c")
        try scene.write("a/b/c/v.yaml")
        let watches = try scene.watches("a/b/c/v.yaml")
        try scene.move("a/b", "old")
        #expect(watches.tellEdit(), "moved away")
        try scene.write("old/c/v.yaml")
        #expect(!watches.tellEdit(), "it is no longer ours")
        try scene.folder("a/b/c")
        #expect(watches.tellEdit(), "made again")
        try scene.write("a/b/c/v.yaml")
        #expect(watches.tellEdit())
        // A folder that somebody works in outlives its removal.
        let descriptor = open(scene.path("a/b/c"), O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try scene.remove("a/b/c")
        #expect(watches.tellEdit(), "removed")
        try scene.folder("a/b/c")
        try scene.write("a/b/c/v.yaml")
        #expect(watches.tellEdit(), "all at once")
        try scene.write("a/b/c/v.yaml")
        #expect(watches.tellEdit(), "and it is the new one that is watched")
    }

    @Test func otherFilesOnTheWayWakeNobody() throws {
        let scene = Scene()
        try scene.folder("a/b")
        try scene.write("a/b/v.yaml")
        let watches = try scene.watches("a/b/v.yaml")
        defer { withExtendedLifetime(scene) {} }
        for name in ["noise", "a/noise"] { close(open(scene.path(name), O_WRONLY | O_CREAT, 0o600)) }
        try scene.move("noise", "a/noise")
        #expect(unlink(scene.path("a/noise")) == 0)
        // Others may change the rights of what is theirs in the folder for temporary files.
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(watches.descriptor, &buffer, buffer.count)
        #expect(!String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).contains("noise"))
        close(open(scene.path("a/b/noise"), O_WRONLY | O_CREAT, 0o600))
        #expect(!watches.tellEdit(), "beside the file it wakes, but is not taken for it")
    }

    @Test func onlyOthersFilesInABusyFolderAreAReasonToRest() throws {
        let scene = Scene()
        let watches = try TrailWatches(path: scene.path("a/v.yaml"))
        try scene.write("noise")
        #expect(!watches.tellEdit() && watches.wasDisturbed, "the way leads nowhere")
        try scene.folder("a")
        #expect(watches.tellEdit() && !watches.wasDisturbed)
        let descriptor = try scene.begin("a/v.yaml")
        try scene.write("noise", "a/noise")
        #expect(!watches.tellEdit() && !watches.wasDisturbed, "the file is about to be written")
        try scene.end(descriptor, "a/v.yaml")
        #expect(watches.tellEdit())
        try scene.write("noise", "a/noise")
        #expect(!watches.tellEdit() && !watches.wasDisturbed, "an editor at work beside the file")
    }

    @Test func nothingIsToldDuringARestAndNothingIsMissed() throws {
        let scene = Scene()
        let watches = try TrailWatches(path: scene.path("a/v.yaml"))
        #expect(!watches.rest { try? scene.write("noise") })
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(watches.descriptor, &buffer, buffer.count)
        #expect(!String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).contains("noise"))
        #expect(watches.rest { try? scene.folder("a") })
        #expect(watches.rest { try? scene.write("a/v.yaml") })
        try scene.write("a/v.yaml")
        #expect(watches.tellEdit(), "it is watched as before")
        try scene.remove("a/v.yaml")
        #expect(watches.tellEdit())
        #expect(watches.rest { try? scene.remove("a") })
        try scene.folder("a")
        #expect(watches.tellEdit())
    }

    @Test func whatComesWhileABusyFolderIsLeftAloneIsNoticedAfterwards() async throws {
        let scene = Scene()
        let (edits, pauses) = (Facts<Int>(), Facts<Int>())
        let end = DispatchSemaphore(value: 0)
        let watcher = try FileWatcher(
            path: scene.path("a/v.yaml"), onEdit: { edits.append(1) },
            pause: {
                pauses.append(1)
                // Other tests may disturb it later on.
                if pauses.all.count == 1 { end.wait() }
            })
        defer { withExtendedLifetime(watcher) {} }
        try scene.write("noise")
        #expect(await pauses.wait { !$0.isEmpty })
        for number in 0..<100 { try scene.write("noise \(number)") }
        try scene.folder("a")
        try scene.write("a/v.yaml")
        #expect(edits.all.isEmpty)
        end.signal()
        #expect(await edits.wait { !$0.isEmpty })
    }

    @Test func aPathIsFollowedAsTheKernelDoes() throws {
        let scene = Scene()
        let root = scene.directory.url.resolvingSymlinksInPath().path
        try scene.folder("a/b")
        try scene.write("a/b/v.yaml")
        try scene.link("l", to: "./a//b/")
        try scene.link("a/b/up", to: "../b")
        try scene.link("loop", to: "loop")
        let trail = FileTrail(to: root + "/l/up/../b/v.yaml")
        #expect(trail.isWhole)
        let places = trail.steps.map(\.place).filter { $0.hasPrefix(root + "/") }.map { $0.dropFirst(root.count) }
        #expect(places == ["/l", "/a", "/a/b", "/a/b/up", "/a/b", "/a/b", "/a/b/v.yaml"], "\(places)")
        for lost in ["/none/v.yaml", "/a/b/v.yaml/v.yaml", "/loop", "/loop/v.yaml"] {
            #expect(!FileTrail(to: root + lost).isWhole, "\(lost)")
        }
        #expect(FileTrail(to: root + "/none/v.yaml").steps.last?.place == root + "/none")
    }

    @Test func theWatcherTellsAtOnce() async throws {
        let scene = Scene()
        try scene.folder("a")
        let edits = Facts<Int>()
        let watcher = try FileWatcher(path: scene.path("a/v.yaml")) { edits.append(1) }
        defer { withExtendedLifetime(watcher) {} }
        try scene.write("a/v.yaml")
        #expect(await edits.wait { !$0.isEmpty })
        watcher.renew()
        let before = edits.all.count
        try scene.move("a", "b")
        #expect(await edits.wait { $0.count > before })
    }
}
