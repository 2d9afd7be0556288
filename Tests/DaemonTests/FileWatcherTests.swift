import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import Daemon

/// Events of a watched file. The kernel queues them before the call that causes them returns, so there is no need to
/// wait, except for the end of writing (`Scene.end`).
@Suite(.timeLimit(.minutes(60)))
struct FileWatcherTests {
    private struct Scene {
        let directory = TemporaryDirectory()

        func path(_ name: String) -> String { directory.path + "/" + name }

        func file(_ name: String, watchesFragments: Bool = false) -> WatchedFile {
            let file = WatchedFile(path: path(name), watchesFragments: watchesFragments)
            #expect(!file.tellEdit(), "nothing has happened yet")
            return file
        }

        func write(_ names: String...) throws {
            for name in names { try end(begin(name), name) }
        }

        /// Opens a file for writing, makes it a byte longer, since its times may stay the same for milliseconds, and
        /// locks it.
        func begin(_ name: String) throws -> Int32 {
            let descriptor = open(path(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0, Glibc.write(descriptor, "#", 1) == 1, flock(descriptor, LOCK_EX) == 0 else {
                throw failure
            }
            return descriptor
        }

        /// Closes the file.
        ///
        /// A process that another test is starting has copies of all descriptors until it runs its program. The kernel
        /// reports the end of writing when the last copy is closed; the lock ends then as well (flock(2)).
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

        /// Replaces a link in one step, like `ln -sfT` and Kubernetes.
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
        let file = scene.file("v.yaml")
        try scene.write("v.yaml")
        #expect(file.tellEdit(), "in place")
        try scene.write("other")
        #expect(!file.tellEdit(), "another file")
        try scene.move("other", "v.yaml")
        #expect(file.tellEdit(), "replaced")
        #expect(chmod(scene.path("v.yaml"), 0o400) == 0)
        #expect(file.tellEdit(), "other rights")
        try scene.move("v.yaml", "v.yaml~")
        #expect(file.tellEdit(), "moved away")
        try scene.move("v.yaml~", "v.yaml")
        #expect(file.tellEdit(), "moved back")
        try scene.remove("v.yaml")
        #expect(file.tellEdit(), "removed")
        #expect(!file.tellEdit())
    }

    @Test func aNewFileStillHasToBeWritten() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        let file = scene.file("v.yaml")
        let descriptor = try scene.begin("v.yaml")
        #expect(!file.tellEdit())
        try scene.end(descriptor, "v.yaml")
        #expect(file.tellEdit())
    }

    @Test func aLinkToAFileInAnotherFolderIsFollowed() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("etc", "srv/a", "srv/b")
        try scene.write("srv/a/v.yaml", "srv/b/v.yaml")
        try scene.link("etc/v.yaml", to: "../srv/a/v.yaml")
        let file = scene.file("etc/v.yaml")
        try scene.write("srv/a/v.yaml")
        #expect(file.tellEdit(), "there")
        try scene.turn("etc/v.yaml", to: scene.path("srv/b/v.yaml"))
        #expect(file.tellEdit(), "turned")
        try scene.write("srv/a/v.yaml")
        #expect(!file.tellEdit(), "the old place is no longer ours")
        try scene.write("srv/b/v.yaml")
        #expect(file.tellEdit(), "the new one is")
        try scene.remove("etc/v.yaml")
        #expect(file.tellEdit(), "removed")
    }

    @Test func filesAreReplacedAsKubernetesDoesIt() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("..1")
        try scene.write("..1/v.yaml")
        try scene.link("..data", to: "..1")
        try scene.link("v.yaml", to: "..data/v.yaml")
        let file = scene.file("v.yaml")
        for number in 2...4 {
            try scene.folder("..\(number)")
            try scene.write("..\(number)/v.yaml")
            #expect(!file.tellEdit(), "not yet")
            try scene.turn("..data", to: "..\(number)")
            #expect(file.tellEdit())
            try scene.remove("..\(number - 1)")
            #expect(!file.tellEdit(), "the old one is no longer ours")
        }
    }

    @Test func aFolderThatIsReplacedIsNoticedByLooking() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("a/b/c")
        try scene.write("a/b/c/v.yaml")
        let file = scene.file("a/b/c/v.yaml")
        try scene.move("a/b", "old")
        #expect(file.look(), "moved away")
        try scene.write("old/c/v.yaml")
        #expect(!file.tellEdit(), "it is no longer ours")
        try scene.folder("a/b/c")
        #expect(!file.look(), "made again, still empty")
        try scene.write("a/b/c/v.yaml")
        #expect(file.tellEdit(), "it is watched again")
        // A directory in use outlives its removal.
        let descriptor = open(scene.path("a/b/c"), O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try scene.remove("a/b/c")
        #expect(file.tellEdit(), "removed")
        try scene.folder("a/b/c")
        try scene.write("a/b/c/v.yaml")
        #expect(file.look(), "all at once")
        #expect(!file.tellEdit())
        try scene.write("a/b/c/v.yaml")
        #expect(file.tellEdit(), "and it is the new one that is watched")
    }

    @Test func nothingIsToldOfOtherFolders() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("a/b")
        try scene.write("a/b/v.yaml")
        let file = scene.file("a/b/v.yaml")
        try scene.write("noise", "a/noise")
        try scene.move("noise", "a/noise")
        try scene.remove("a/noise")
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file.descriptor, &buffer, buffer.count)
        #expect(count < 0, "nobody is woken")
        try scene.write("a/b/noise")
        #expect(!file.tellEdit(), "beside the file it wakes, but is not taken for it")
    }

    @Test func theFragmentsOfAConfigurationAreWatched() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.write("v.yaml")
        let file = scene.file("v.yaml", watchesFragments: true)
        try scene.folder("conf.d")
        #expect(!file.tellEdit(), "empty")
        try scene.write("conf.d/a.yaml")
        #expect(file.tellEdit(), "a new one in a new folder")
        try scene.write("conf.d/a.yaml")
        #expect(file.tellEdit(), "in place")
        try scene.write("conf.d/.a.yaml.swp", "conf.d/a.yaml~", "conf.d/b.yml")
        #expect(!file.tellEdit(), "files that are not read")
        try scene.move("conf.d/a.yaml~", "conf.d/a.yaml")
        #expect(file.tellEdit(), "replaced")
        let descriptor = try scene.begin("conf.d/b.yaml")
        #expect(!file.tellEdit(), "it still has to be written")
        try scene.end(descriptor, "conf.d/b.yaml")
        #expect(file.tellEdit(), "a second one")
        #expect(chmod(scene.path("conf.d/b.yaml"), 0o400) == 0)
        #expect(file.tellEdit(), "other rights")
        try scene.remove("conf.d/b.yaml")
        #expect(file.tellEdit(), "removed")
        try scene.write("v.yaml")
        #expect(file.tellEdit(), "the main file")
        try scene.move("conf.d", "old")
        #expect(file.tellEdit(), "the folder is moved away")
        try scene.write("old/a.yaml")
        #expect(!file.tellEdit(), "it is no longer ours")
    }

    @Test func aFragmentThatIsALinkIsFollowed() throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("conf.d", "srv")
        try scene.write("v.yaml", "srv/a.yaml")
        let file = scene.file("v.yaml", watchesFragments: true)
        let other = scene.file("v.yaml")
        try scene.link("conf.d/a.yaml", to: "../srv/a.yaml")
        #expect(!file.tellEdit())
        #expect(file.look(), "a new link is found by looking")
        try scene.write("srv/a.yaml")
        #expect(file.tellEdit())
        #expect(!other.tellEdit() && !other.look(), "another file has no fragments")
    }

    @Test func theWatcherTellsAtOnce() async throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        try scene.folder("a")
        let edits = Facts<Int>()
        let watcher = FileWatcher(path: scene.path("a/v.yaml"), time: ManualClock().time) { edits.append(1) }
        defer { withExtendedLifetime(watcher) {} }
        try scene.write("a/v.yaml")
        #expect(await edits.wait { !$0.isEmpty })
        watcher.look()
        let before = edits.all.count
        try scene.move("a", "b")
        #expect(await edits.wait { $0.count > before })
    }

    @Test func theWatcherLooksOnceAMinute() async throws {
        let scene = Scene()
        defer { withExtendedLifetime(scene) {} }
        let clock = ManualClock()
        try scene.folder("srv/a", "srv/b")
        try scene.write("srv/a/v.yaml", "srv/b/v.yaml")
        try scene.link("etc", to: "srv/a")
        let edits = Facts<Int>()
        let watcher = FileWatcher(path: scene.path("etc/v.yaml"), time: clock.time) { edits.append(1) }
        defer { withExtendedLifetime(watcher) {} }
        try scene.turn("etc", to: "srv/b")
        clock.advance(.seconds(60))
        #expect(await edits.wait { $0.count == 1 }, "a link to a folder was turned")
        try scene.move("srv/b", "srv/c")
        #expect(await edits.wait { $0.count == 2 }, "the folder was moved away, which the kernel tells")
        try scene.move("srv/c", "srv/b")
        clock.advance(.seconds(60))
        #expect(await edits.wait { $0.count == 3 }, "and back")
    }
}
