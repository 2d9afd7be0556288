import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Files
@testable import Store

@Suite(.timeLimit(.minutes(60))) struct DatabaseWatcherTests {
    /// Counts the calls of a watcher, whose timer rings when the test says so.
    private final class Scene: Sendable {
        private struct Ring: Sendable {
            var wait: Duration
            var ring: @Sendable () -> Void
        }

        private let counted = Mutex(0)
        private let pending = Mutex<[Ring]>([])

        func watch(_ path: String, usesKernel: Bool = true) -> DatabaseWatcher {
            DatabaseWatcher(path: path, usesKernel: usesKernel) { wait, ring in
                self.pending.withLock { $0.append(Ring(wait: wait, ring: ring)) }
            } onChange: {
                self.counted.withLock { $0 += 1 }
            }
        }

        var calls: Int { counted.withLock { $0 } }
        var waits: [Duration] { pending.withLock { $0.map(\.wait) } }

        /// Ends the oldest wait; false if there is none.
        @discardableResult
        func ring() -> Bool {
            let first = pending.withLock { pending -> Ring? in pending.isEmpty ? nil : pending.removeFirst() }
            first?.ring()
            return first != nil
        }

        /// Ends all waits, also those that begin meanwhile; returns the number of calls so far.
        func settle() -> Int {
            while ring() {}
            return calls
        }

        /// Waits until there are more calls than these.
        func wait(after calls: Int) async {
            while self.calls <= calls { await Task.yield() }
        }
    }

    // MARK: - The kernel's reports

    @Test func aCommitIsNoticedAndLookedForAgain() async throws {
        let test = try TestStore()
        let scene = Scene()
        let watcher = scene.watch(test.path)
        defer { withExtendedLifetime(watcher) {} }
        #expect(scene.waits.isEmpty, "nothing is timed while nothing happens")
        try test.poll([quake("us1")])
        await scene.wait(after: 0)
        #expect(scene.waits == [.milliseconds(2)])
        let before = scene.settle()
        #expect(before >= 4)
        try test.poll([quake("us2")])
        await scene.wait(after: before)
    }

    @Test func aCommitAfterTheLogWasTruncatedIsNoticed() async throws {
        let test = try TestStore()
        try test.poll([quake("us1")])
        let scene = Scene()
        let watcher = scene.watch(test.path)
        defer { withExtendedLifetime(watcher) {} }
        test.store.emptyLog()
        #expect(DatabasePath.size(of: test.path + "-wal") == 0)
        await scene.wait(after: 0)
        let before = scene.settle()
        try test.poll([quake("us2")])
        await scene.wait(after: before)
    }

    @Test func aDatabaseThatAppearsIsNoticedAndSoAreItsCommits() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/events.sqlite"
        let scene = Scene()
        let watcher = scene.watch(path)
        defer { withExtendedLifetime(watcher) {} }
        let store = try EventStore(path: path)
        await scene.wait(after: 0)
        let before = scene.settle()
        try store.setTrouble("1", of: .nominatim)
        await scene.wait(after: before)
    }

    @Test func aFileThatTakesThePlaceIsNoticedAndSoAreItsCommits() async throws {
        let test = try TestStore()
        let other = try TestStore()
        try test.store.close()
        try other.store.close()
        let scene = Scene()
        let watcher = scene.watch(test.path)
        defer { withExtendedLifetime(watcher) {} }
        for end in ["-wal", "-shm"] { unlink(test.path + end) }
        await scene.wait(after: 0)
        var before = scene.settle()
        try #require(rename(other.path, test.path) == 0)
        await scene.wait(after: before)
        before = scene.settle()
        let restored = try EventStore(path: test.path)
        await scene.wait(after: before)
        before = scene.settle()
        try restored.setTrouble("1", of: .nominatim)
        await scene.wait(after: before)
    }

    @Test func aDatabaseBehindALinkIsWatchedWhereItIs() async throws {
        let test = try TestStore()
        let directory = TemporaryDirectory()
        let link = directory.path + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: test.path)
        let scene = Scene()
        let watcher = scene.watch(link)
        defer { withExtendedLifetime(watcher) {} }
        try test.poll([quake("us1")])
        await scene.wait(after: 0)
        let before = scene.settle()
        unlink(link)
        await scene.wait(after: before)
    }

    // MARK: - Without them

    @Test func withoutTheKernelCommitsAreNoticedByHand() throws {
        let test = try TestStore()
        let scene = Scene()
        let watcher = scene.watch(test.path, usesKernel: false)
        defer { withExtendedLifetime(watcher) {} }
        #expect(scene.waits == [.milliseconds(500)])
        scene.ring()
        #expect(scene.calls == 0 && scene.waits == [.milliseconds(500)])
        try test.poll([quake("us1")])
        scene.ring()
        #expect(scene.calls == 1)
        scene.ring()
        #expect(scene.calls == 1)
        test.store.emptyLog()
        scene.ring()
        let before = scene.calls
        try test.poll([quake("us2")])
        scene.ring()
        #expect(scene.calls == before + 1)
        // Moved away, and back.
        try #require(rename(test.path, test.path + "-moved") == 0)
        scene.ring()
        #expect(scene.calls == before + 2)
        scene.ring()
        #expect(scene.calls == before + 2 && scene.waits == [.milliseconds(500)])
        try #require(rename(test.path + "-moved", test.path) == 0)
        scene.ring()
        #expect(scene.calls == before + 3)
    }

    @Test func aFolderThatAppearsIsWatched() async throws {
        let directory = TemporaryDirectory()
        let folder = directory.path + "/later"
        let scene = Scene()
        let watcher = scene.watch(folder + "/events.sqlite")
        defer { withExtendedLifetime(watcher) {} }
        scene.ring()
        #expect(scene.calls == 0 && scene.waits == [.milliseconds(500)])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        scene.ring()
        #expect(scene.calls == 1 && scene.waits == [.milliseconds(2)])
        let before = scene.settle()
        let store = try EventStore(path: folder + "/events.sqlite")
        await scene.wait(after: before)
        try store.close()
    }

    @Test func aWatcherThatIsReleasedIsSilent() throws {
        let test = try TestStore()
        let scene = Scene()
        do { _ = scene.watch(test.path, usesKernel: false) }
        try test.poll([quake("us1")])
        #expect(scene.settle() == 0)
    }

    // MARK: - Times

    @Test func aRoundHasLooksAfterTwoTenAndAHundredMilliseconds() {
        var rounds = LookRounds()
        let first = rounds.begin()
        #expect(first == .milliseconds(2) && rounds.round == 1)
        for wait in [Duration.milliseconds(8), .milliseconds(90)] {
            let look = rounds.ring(1)
            #expect(look.isDue && look.wait == wait)
        }
        let last = rounds.ring(1)
        #expect(last.isDue && last.wait == nil)
        let none = rounds.ring(1)
        #expect(!none.isDue)
    }

    @Test func writesThatGoOnAreLookedForOnceInTwoMilliseconds() {
        var rounds = LookRounds()
        let first = rounds.begin()
        #expect(first == .milliseconds(2))
        for _ in 0..<3 {
            let (second, third) = (rounds.begin(), rounds.begin())
            #expect(second == nil && third == nil)
            let look = rounds.ring(1)
            #expect(look.isDue && look.wait == .milliseconds(2))
        }
        let quiet = rounds.ring(1)
        #expect(quiet.wait == .milliseconds(8))
        // A later write is looked for at once, and the old round is over.
        let again = rounds.begin()
        #expect(again == .milliseconds(2))
        let (old, new) = (rounds.ring(1), rounds.ring(2))
        #expect(!old.isDue && new.isDue)
    }
}
