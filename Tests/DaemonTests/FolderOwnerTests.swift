import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import Control

/// Root in a folder of another user, such as the service's before its first start.
@Suite(.timeLimit(.minutes(60)))
struct FolderOwnerTests {
    /// The system calls, in order.
    private final class Calls {
        var all: [String] = []
    }

    /// Root, the folder of the user 997 and the group 996, and the account `recorder` with the group 995, if any.
    private func identity(_ calls: Calls, hasAccount: Bool = true, failing: String? = nil) -> ProcessIdentity {
        func answer(_ call: String) -> Int32 {
            calls.all.append(call)
            return call.split(separator: " ").first.map { String($0) } == failing ? EPERM : 0
        }
        var identity = ProcessIdentity()
        identity.isRoot = { true }
        identity.owner = { _ in (user: 997, group: 996) }
        identity.account = { _ in hasAccount ? (name: "recorder", group: 995) : nil }
        identity.takeGroups = { answer("groups \($0 ?? "-") \($1)") }
        identity.takeGroup = { answer("group \($0)") }
        identity.takeUser = { answer("user \($0)") }
        return identity
    }

    @Test func groupsGoBeforeTheGroupAndThatBeforeTheUser() throws {
        let calls = Calls()
        try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: identity(calls))
        #expect(calls.all == ["groups recorder 995", "group 995", "user 997"])
        let numbers = Calls()
        try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: identity(numbers, hasAccount: false))
        #expect(numbers.all == ["groups - 996", "group 996", "user 997"])
    }

    @Test func nothingIsAskedOfTheSystemForOthersThanRootAndInFoldersOfRoots() throws {
        let calls = Calls()
        var user = identity(calls)
        user.isRoot = { false }
        try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: user)
        var roots = identity(calls)
        roots.owner = { _ in (user: 0, group: 0) }
        try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: roots)
        roots.owner = { _ in nil }
        try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: roots)
        #expect(calls.all.isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "the links must be root's"))
    func theFolderOfTheGivenPathDecidesAndAFolderOfRootsFollowsItsLinks() throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (mine, roots) = (directory.path + "/mine", directory.path + "/roots")
        for folder in [mine, roots] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        for (link, target) in [(mine + "/v.sqlite", roots), (roots + "/v.sqlite", mine)] {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target + "/there.sqlite")
        }
        for folder in [mine, roots] {
            let calls = Calls()
            var identity = identity(calls)
            identity.owner = { $0.hasSuffix("/roots") ? (user: 0, group: 0) : (user: 997, group: 996) }
            try FolderOwner.become(ofFolderOf: folder + "/v.sqlite", through: identity)
            #expect(calls.all.last == "user 997", "\(folder)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives links away"))
    func aLinkOfAnotherUserIsRefusedWhereverItStands() throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (folder, link) = (directory.path + "/folder", directory.path + "/link")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
        try FileManager.default.createSymbolicLink(atPath: folder + "/v.sqlite", withDestinationPath: "none.sqlite")
        let paths = [link + "/a.sqlite", folder + "/v.sqlite", link + "/v.sqlite", folder + "/../link/a.sqlite"]
        for (owner, isRefused) in [(uid_t(0), false), (997, false), (998, true)] {
            for path in [link, folder + "/v.sqlite"] { #expect(lchown(path, owner, owner) == 0) }
            for path in paths {
                let calls = Calls()
                let outcome = Result { try FolderOwner.become(ofFolderOf: path, through: identity(calls)) }
                #expect((try? outcome.get()) == nil ? isRefused : !isRefused, "\(path) \(owner) \(outcome)")
                #expect(calls.all.isEmpty == isRefused)
            }
        }
    }

    /// The owner of a folder has planted a link into a folder of root's.
    @Test(
        .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
        .enabled(if: geteuid() == 0, "only root gives folders away"))
    func rootWritesNothingWhereALinkOfAnotherLeads() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (folder, target, nobody) = (directory.path + "/state", directory.path + "/roots", uid_t(65_534))
        for path in [folder, target] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        #expect(chmod(directory.path, 0o755) == 0 && chown(folder, nobody, nobody) == 0)
        let feed = directory.path + "/feed.xml"
        let text = "<rss version=\"2.0\"><channel><title>t</title></channel></rss>"
        try Data(text.utf8).write(to: URL(fileURLWithPath: feed))
        let configuration = directory.path + "/v.yaml"
        let program = try #require(DaemonProcess.executable?.path)
        func run(_ command: [String], database: String) async throws -> MeasuredRun {
            let text = "database: \(database)\nsources: [{name: news, kind: rss, url: \"file://\(feed)\"}]\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
            return try await MeasuredRun.of([program] + command + ["--config", configuration])
        }
        func link(_ name: String, to path: String) throws -> String {
            let link = folder + "/" + name
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            #expect(lchown(link, nobody, nobody) == 0)
            return link
        }
        let planted = try link("v.sqlite", to: target + "/v.sqlite")
        let way = try link("way", to: target)
        for path in [planted, way + "/v.sqlite"] {
            for command in [["poll", "news"], ["truncate"], ["seed", "volcanoes", feed]] {
                #expect(try await run(command, database: path).status != 0, "\(command) \(path)")
            }
        }
        let good = directory.path + "/good.sqlite"
        #expect(try await run(["poll", "news"], database: good).status == 0)
        let copy = try link("copy.sqlite", to: target + "/copy.sqlite")
        for (command, path) in [
            (["backup", copy], "link"), (["backup", "--force", copy], "link"), (["backup", way + "/c.sqlite"], "way"),
            (["events", "--format", "ndjson", "--output", way + "/events"], "output"),
            (["events", "--format", "gpkg", "--output", way + "/events.gpkg"], "output"),
        ] {
            let run = try await run(command, database: good)
            #expect(run.status != 0 && run.errors.contains("link"), "\(path): \(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
        // A link of root's own is followed.
        let own = directory.path + "/own.sqlite"
        try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: target + "/own.sqlite")
        #expect(try await run(["backup", own], database: good).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["own.sqlite"])
    }

    @Test(arguments: [("groups", 1), ("group", 2), ("user", 3)])
    func aCallThatFailsIsTheLastAndIsTold(call: String, count: Int) {
        let calls = Calls()
        #expect(throws: DaemonError.self) {
            try FolderOwner.become(ofFolderOf: "/srv/v.sqlite", through: identity(calls, failing: call))
        }
        #expect(calls.all.count == count)
    }

    /// Configuration and lists may be readable by root only; new files belong to the owner.
    @Test(
        .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
        .enabled(if: geteuid() == 0, "only root gives folders away"))
    func whatRootMakesBelongsToTheOwnerOfTheFolder() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (folder, nobody) = (directory.path + "/state", uid_t(65_534))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chmod(directory.path, 0o755) == 0 && chown(folder, nobody, nobody) == 0)
        func file(_ name: String, _ text: String, mode: mode_t) throws -> String {
            let path = directory.path + "/" + name
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, mode) == 0)
            return path
        }
        let feed = try file("feed.xml", "<rss version=\"2.0\"><channel><title>t</title></channel></rss>", mode: 0o644)
        let configuration = try file(
            "v.yaml",
            """
            database: state/v.sqlite
            sources: [{name: news, kind: rss, url: "file://\(feed)"}]

            """, mode: 0o600)
        let volcanoes = try file("list.csv", "Etna,\"14.999,37.748\",,,\n", mode: 0o600)
        let cities = try file(
            "cities.txt", "Country,City,AccentCity,Region,Population,Latitude,Longitude\nit,roma,Roma,07,,41.9,12.48\n",
            mode: 0o600)
        let program = try #require(DaemonProcess.executable?.path)
        for command in [
            ["seed", "volcanoes", volcanoes], ["seed", "cities", cities], ["poll", "news"], ["reset", "news"],
            ["truncate"],
        ] {
            let run = try await MeasuredRun.of([program] + command + ["--config", configuration])
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names).isSuperset(of: ["v.sqlite", "v.sqlite.lock", "cities.sqlite"]), "\(names)")
        for name in names {
            var status = stat()
            #expect(stat(folder + "/" + name, &status) == 0)
            #expect(status.st_uid == nobody && status.st_gid == nobody, "\(name)")
        }
        // A copy belongs to the user of the command.
        let copy = directory.path + "/copy.sqlite"
        #expect(try await MeasuredRun.of([program, "backup", copy, "--config", configuration]).status == 0)
        var status = stat()
        #expect(stat(copy, &status) == 0 && status.st_uid == 0)
    }
}
