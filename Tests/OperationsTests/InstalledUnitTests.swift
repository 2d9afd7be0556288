import Foundation
import TestSupport
import Testing

@testable import Operations
@testable import Settings

/// What `visiventd check` says of installed units, by the words of `systemctl show`.
@Suite struct InstalledUnitTests {
    private let directory = TemporaryDirectory()

    private var configuration: String { directory.path + "/visiventd.yaml" }

    init() throws { try Data().write(to: URL(fileURLWithPath: configuration)) }

    /// The unit of the test's configuration with these properties and files.
    private func unit(
        _ lines: [String], runsWith path: String? = nil, files: [String: String] = [:]
    ) -> InstalledUnit? {
        let command =
            "{ path=/usr/bin/visiventd ; argv[]=/usr/bin/visiventd run --config \(path ?? configuration) ; "
            + "ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }"
        let shown = ["LoadState=loaded", "ExecStart=\(command)"] + lines
        return InstalledUnit(
            "visiventd.service", shown: shown.joined(separator: "\n") + "\n", configuration: configuration,
            files: FileReading { path in
                guard let text = files[path] else { throw FileReadingError("No such file or directory") }
                return Data(text.utf8)
            })
    }

    private static let shipped = [
        "User=visiventd", "DynamicUser=no", "ProtectSystem=strict", "ProtectHome=yes", "ReadWritePaths=",
        "StateDirectory=visiventd", "RuntimeDirectory=visiventd", "SocketBindDeny=any",
    ]

    private func advice(
        _ unit: InstalledUnit?, database: String, socket: String = "/run/visiventd/control.sock",
        table: String? = "/var/lib/visiventd/cities.sqlite", missing: Set<String> = [], closed: Set<String> = []
    ) -> [String] {
        var settings = Settings(database: database, controlSocket: socket, sources: [])
        if let table { settings.gazetteer = GazetteerSettings(path: table) }
        return settings.unitAdvice(
            daemon: unit, serving: nil, isThere: { !missing.contains($0) },
            isClosed: { folder, _ in closed.contains(folder) })
    }

    @Test func ofAUnitThatIsNotInstalledOrRunsWithAnotherFileNothingIsKnown() {
        #expect(unit(Self.shipped) != nil)
        #expect(unit(Self.shipped, runsWith: "/etc/visiventd/of-nobody.yaml") == nil)
        let missing = "LoadState=not-found\nUser=\n"
        #expect(InstalledUnit("visiventd.service", shown: missing, configuration: configuration) == nil)
    }

    @Test func foldersThatComeWithTheServiceAreNotMissed() {
        let missing: Set<String> = ["/run/visiventd", "/var/lib/visiventd", "/srv/v"]
        #expect(advice(unit(Self.shipped), database: "/var/lib/visiventd/v.sqlite", missing: missing) == [])
        #expect(
            advice(unit(Self.shipped), database: "/srv/v/v.sqlite", missing: missing)
                == ["database: the folder /srv/v is not there"])
        #expect(
            advice(nil, database: "/srv/v.sqlite", missing: missing)
                == ["control_socket: the folder /run/visiventd is not there"])
    }

    @Test func aFolderThatSystemdLeavesReadOnlyIsNamedWithTheLineThatIsMissing() {
        let words =
            "database: /srv is read-only to visiventd.service: add ReadWritePaths=/srv by systemctl edit "
            + "visiventd.service"
        #expect(advice(unit(Self.shipped), database: "/srv/v.sqlite") == [words])
        #expect(advice(nil, database: "/srv/v.sqlite") == [], "nothing is known")
        for line in ["ReadWritePaths=/srv", "ReadWritePaths=-/srv +/data"] {
            #expect(advice(unit(Self.shipped + [line]), database: "/srv/v.sqlite") == [], "\(line)")
        }
        for line in ["ReadWritePaths=/srv/other", "ReadWritePaths=/srvs"] {
            #expect(advice(unit(Self.shipped + [line]), database: "/srv/v.sqlite") == [words], "\(line)")
        }
        for line in [
            "RootDirectory=/r", "BindPaths=/a:/srv:rbind", "ReadWritePaths=\"/a b\"", "ReadOnlyPaths=[unprintable]",
        ] {
            #expect(advice(unit(Self.shipped + [line]), database: "/srv/v.sqlite") == [], "not known: \(line)")
        }
    }

    @Test func aCityTableThatServiceAndCommandsTakeFromTwoFoldersIsNamed() {
        let lines = Self.shipped + ["ReadWritePaths=/srv"]
        #expect(
            advice(unit(lines), database: "/srv/v.sqlite", table: nil)
                == [
                    "gazetteer.path: visiventd.service takes its city table from /var/lib/visiventd, commands from /srv: "
                        + "name it"
                ])
        #expect(advice(unit(Self.shipped), database: "/var/lib/visiventd/v.sqlite", table: nil).isEmpty)
        #expect(advice(nil, database: "/srv/v.sqlite", table: nil).isEmpty)
    }

    @Test func theFolderOfASocketOfServeIsLookedAtToo() {
        var settings = Settings(database: "/var/lib/visiventd/v.sqlite", sources: [])
        settings.serve.listen = [.unix("/run/visiventd-serve/http.sock"), .unix("/srv/http.sock")]
        let serving = unit(["ProtectSystem=strict", "ProtectHome=yes", "RuntimeDirectory=visiventd-serve"])
        let advice = settings.unitAdvice(
            daemon: nil, serving: serving, isThere: { _ in true }, isClosed: { _, _ in false })
        #expect(
            advice == [
                "serve.listen: /srv is read-only to visiventd.service: add ReadWritePaths=/srv by systemctl edit "
                    + "visiventd.service"
            ])
    }

    @Test(arguments: [
        ("strict", "no", "/srv", false), ("full", "no", "/srv", true), ("full", "no", "/etc/v", false),
        ("yes", "no", "/etc/v", true), ("yes", "no", "/usr/v", false), ("no", "yes", "/home/v", false),
        ("no", "no", "/home/v", true), ("no", "read-only", "/root", false),
        ("strict", "no", "/var/lib/visiventd", true),
        ("strict", "no", "/var/lib/visiventd/sub", true), ("strict", "no", "/var/lib", false),
    ])
    func whereTheUnitMayWriteFollowsItsProtection(system: String, home: String, folder: String, isWritable: Bool) {
        let lines = ["ProtectSystem=\(system)", "ProtectHome=\(home)", "StateDirectory=visiventd"]
        #expect(unit(lines)?.leavesWritable(folder) == isWritable)
    }

    @Test func aFolderOfSomebodyElseIsNamed() {
        let lines = Self.shipped + ["ReadWritePaths=/srv"]
        #expect(
            advice(unit(lines), database: "/srv/v.sqlite", closed: ["/srv", "/run/visiventd"])
                == ["database: /srv may not be written by visiventd, as whom visiventd.service runs"])
        let dynamic = lines.filter { $0 != "DynamicUser=no" } + ["DynamicUser=yes"]
        #expect(advice(unit(dynamic), database: "/srv/v.sqlite", closed: ["/srv"]) == [])
    }

    @Test func onlyOwnerAndModeThatLeaveNoDoubtCloseAFolder() throws {
        let folder = directory.path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(chmod(folder, 0o755) == 0)
        if let name = getpwuid(geteuid())?.pointee.pw_name {
            #expect(!Settings.isClosed(folder, to: String(cString: name)))
        }
        #expect(!Settings.isClosed(folder, to: "root"))
        #expect(!Settings.isClosed(folder, to: "of-nobody"), "there is no such user")
        #expect(!Settings.isClosed(folder + "/none", to: "daemon"))
        #expect(Settings.isClosed(folder, to: "daemon") == (getpwnam("daemon") != nil))
        #expect(chmod(folder, 0o775) == 0)
        #expect(!Settings.isClosed(folder, to: "daemon"), "the group may be that of the service")
    }

    @Test func credentialsAreThoseOfTheUnitsFiles() {
        let lines = ["FragmentPath=/u/visiventd.service", "DropInPaths=/u/a.conf /u/b.conf"]
        let files = [
            "/u/visiventd.service": "[Service]\nLoadCredential=old:/x\n# LoadCredential=no:/x\n",
            "/u/a.conf": "[Service]\nLoadCredential=\nLoadCredential = token:/etc/t\n",
            "/u/b.conf": "[Service]\nSetCredentialEncrypted=key: abc\nLoadCredential=folder:/etc/keys/\n",
        ]
        let unit = unit(lines, files: files)
        for name in ["token", "key", "folder_mapquest"] { #expect(unit?.passes(name) == true, "\(name)") }
        for name in ["old", "no", "tok"] { #expect(unit?.passes(name) == false, "\(name)") }
        #expect(self.unit(lines, files: [:])?.passes("token") == nil, "the files cannot be read")
        var patterns = files
        patterns["/u/b.conf"] = "[Service]\nImportCredential=v.*\n"
        #expect(self.unit(lines, files: patterns)?.passes("old") == nil)
    }

    @Test(arguments: [
        (["SocketBindDeny=any", "SocketBindAllow=tcp:8423"], false),
        (["SocketBindDeny=any", "SocketBindAllow=tcp:8423", "SocketBindAllow=tcp:9000"], true),
        (["SocketBindDeny=any", "SocketBindAllow=tcp8423"], false),
        (["SocketBindDeny=any", "SocketBindAllow=ipv6:tcp9000"], true),
        (["SocketBindDeny=any", "SocketBindAllow=ipv4:tcp:8000-9999"], true),
        (["SocketBindDeny=any", "SocketBindAllow=udp:9000"], false), (["SocketBindDeny=tcp:8423"], true), ([], true),
    ])
    func aPortThatTheUnitForbidsIsNamed(lines: [String], isAllowed: Bool) {
        var settings = Settings(database: "/v.sqlite", sources: [])
        settings.serve.listen = [.tcp("127.0.0.1", 9000)]
        let found = settings.unitAdvice(daemon: nil, serving: unit(lines), isThere: { _ in true })
        #expect(found.isEmpty == isAllowed, "\(found)")
        #expect(found.allSatisfy { $0.contains("add SocketBindAllow=tcp:9000 by systemctl edit visiventd.service") })
        #expect(unit(["SocketBindDeny=any", "SocketBindAllow=[unprintable]"])?.allows(port: 9000) == nil)
    }

    @Test func aDiskWithLessSpaceThanPollsNeedIsNamed() {
        var settings = Settings(database: "/v/v.sqlite", sources: [])
        settings.disk = DiskSettings(minimumFreeBytes: 256 << 20)
        #expect(settings.diskAdvice(free: 256 << 20) == [])
        #expect(settings.diskAdvice(free: nil) == [])
        #expect(
            settings.diskAdvice(free: 20 << 20)
                == [
                    "disk.minimum_free: 20 MiB are free in the folder of /v/v.sqlite, less than 256 MiB: no poll begins"
                ])
    }
}
