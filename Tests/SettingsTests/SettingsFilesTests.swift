import Foundation
import Settings
import TestSupport
import Testing

/// A configuration with files in `conf.d`.
@Suite struct SettingsFilesTests {
    private static let main = "log: {level: debug}\nsources:\n  - {name: quakes, kind: usgs}\n"

    private static func source(_ name: String) -> String {
        "  - name: \(name)\n    kind: rss\n    url: https://example.org/\(name).xml\n"
    }

    /// A configuration at `v.yaml` whose fragments are named by letters.
    private static func files(_ main: String, _ fragments: String...) -> SettingsFiles {
        SettingsFiles(
            main: SettingsFile(path: "v.yaml", text: main),
            fragments: zip("abcdef", fragments).map { SettingsFile(path: "conf.d/\($0).yaml", text: $1) })
    }

    private static func read(_ files: SettingsFiles) throws -> Settings {
        try SettingsReader.parse(files, kinds: TestKinds.all, environment: [:])
    }

    private static func faults(_ files: SettingsFiles) -> [String] {
        do {
            _ = try SettingsReader.parse(files, kinds: TestKinds.all, environment: [:])
            return []
        } catch {
            return error.faults.map { $0.description }
        }
    }

    // MARK: - The folder

    /// A folder with a main file, and what is written below `conf.d`.
    private struct Scene {
        let directory = TemporaryDirectory()
        var path: String { directory.path + "/v.yaml" }

        init(_ fragments: [String: Data]) throws {
            try Data(SettingsFilesTests.main.utf8).write(to: URL(fileURLWithPath: path))
            guard !fragments.isEmpty else { return }
            let folder = directory.path + "/conf.d"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for (name, data) in fragments { try data.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        }

        func read() throws -> SettingsFiles {
            defer { withExtendedLifetime(directory) {} }
            return try SettingsFiles(reading: path)
        }

        func faults() -> [String] {
            defer { withExtendedLifetime(directory) {} }
            do throws(SettingsErrors) {
                _ = try SettingsFiles(reading: path)
                return []
            } catch {
                return error.faults.map { $0.description.replacingOccurrences(of: directory.path + "/", with: "") }
            }
        }
    }

    @Test func theFilesOfTheFolderAreReadInTheOrderOfTheirNames() throws {
        let text = Data("sources:\n".utf8)
        let scene = try Scene([
            "b.yaml": text, "a.yaml": text, "B.yaml": text, "10.yaml": text, ".swp.yaml": text, "c.yml": text,
            "d.yaml~": text, "e.yaml.partial-7": text,
        ])
        let files = try scene.read()
        #expect(files.main.content == Data(Self.main.utf8))
        let folder = scene.directory.path + "/conf.d"
        #expect(
            files.fragments.map { $0.path } == ["10", "B", "a", "b"].map { "\(folder)/\($0).yaml" })
        #expect(try Scene([:]).read().fragments.isEmpty)
        #expect(SettingsFiles.folder(beside: "v.yaml") == "conf.d")
        #expect(SettingsFiles.folder(beside: "/etc/visiventd/visiventd.yaml") == "/etc/visiventd/conf.d")
    }

    @Test func whatCannotBeReadIsNamedWithEveryOther() throws {
        let scene = try Scene(["b.yaml": Data("sources:\n".utf8)])
        let folder = scene.directory.path + "/conf.d"
        try FileManager.default.createDirectory(atPath: folder + "/a.yaml", withIntermediateDirectories: false)
        #expect(mkfifo(folder + "/c.yaml", 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder + "/d.yaml", withDestinationPath: "none.yaml")
        let end = "; accepted: a readable YAML file"
        #expect(
            scene.faults() == [
                "conf.d/a.yaml: cannot be read: Is a directory" + end,
                "conf.d/c.yaml: cannot be read: it is no ordinary file" + end,
                "conf.d/d.yaml: cannot be read: No such file or directory" + end,
            ])
    }

    @Test func aFileInPlaceOfTheFolderIsNamed() throws {
        let scene = try Scene([:])
        try Data().write(to: URL(fileURLWithPath: scene.directory.path + "/conf.d"))
        #expect(scene.faults() == ["conf.d: cannot be read: Not a directory" + Self.folderEnd])
    }

    private static let folderEnd = "; accepted: a readable folder of at most 256 YAML files"

    @Test func numberAndSizesAreBounded() throws {
        let many = (0...SettingsFiles.maximumFragments).map { ("\($0).yaml", Data()) }
        let tooMany = try Scene(Dictionary(uniqueKeysWithValues: many))
        #expect(tooMany.faults() == ["conf.d: cannot be read: it has more than 256 files" + Self.folderEnd])
        let large = Data(repeating: 0x23, count: 1 << 20)
        let four = try Scene(["a.yaml": large, "b.yaml": large, "c.yaml": large, "d.yaml": large])
        #expect(try four.read().fragments.count == 4)
        let five = try Scene([
            "a.yaml": large, "b.yaml": large, "c.yaml": large, "d.yaml": large, "e.yaml": Data([0x23]),
        ])
        #expect(five.faults().first?.hasPrefix("conf.d: the files have more than 4 MiB together; ") == true)
        let one = Self.faults(Self.files(Self.main, String(decoding: large, as: UTF8.self) + "#"))
        #expect(one == ["conf.d/a.yaml: larger than 1 MiB; accepted: a file of at most 1 MiB"])
    }

    @Test func theValuesOfAllFilesAreBoundedTogether() {
        let half = "sources:\n# \nx: [" + String(repeating: "1,", count: 30_000) + "]\n"
        let found = Self.faults(Self.files(Self.main, half, half))
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("conf.d/a.yaml:3:1: x: unknown key in conf.d; accepted: sources") == true)
        #expect(found.last?.contains("conf.d/b.yaml:3:") == true && found.last?.contains("50000 values") == true)
    }

    // MARK: - Sources

    @Test func sourcesComeFileAfterFile() throws {
        let settings = try Self.read(
            Self.files(
                Self.main, "sources:\n" + Self.source("news") + Self.source("sport"), "# nothing yet\n",
                "sources:\n" + Self.source("alerts")))
        #expect(settings.file == "v.yaml")
        #expect(settings.sources.map { $0.name } == ["quakes", "news", "sport", "alerts"])
        #expect(settings.fragments.map { $0.file } == ["conf.d/a.yaml", "conf.d/b.yaml", "conf.d/c.yaml"])
        #expect(settings.fragments.map { $0.sources } == [2, 0, 1])
        #expect(settings.log.level == .debug)
    }

    @Test(arguments: ["", "sources:\n", "sources: []\n", "contact: a@example.org\n"])
    func theMainFileNeedsNoSourceWhereAFragmentHasOne(main: String) throws {
        #expect(try Self.read(Self.files(main, "sources:\n" + Self.source("news"))).sources.count == 1)
        let none = Self.faults(Self.files(main, "sources: []\n"))
        #expect(none.count == 1)
        #expect(none.first?.contains("; accepted: at least one source, as a list: - name: …") == true)
        #expect(none.first?.hasPrefix("v.yaml:") == true)
        let settings = try SettingsReader.parse(
            Self.files(main), kinds: TestKinds.all, environment: [:], needsSources: false)
        #expect(settings.sources.isEmpty)
    }

    @Test func relativePathsBelongToTheFolderOfTheMainFile() throws {
        let files = SettingsFiles(
            main: SettingsFile(path: "/etc/visiventd/v.yaml", text: Self.main),
            fragments: [
                SettingsFile(
                    path: "/etc/visiventd/conf.d/a.yaml",
                    text: "sources:\n" + Self.source("news") + "    authorization_file: news.key\n")
            ])
        #expect(try Self.read(files).sources.last?.authorizationFile == "/etc/visiventd/news.key")
    }

    // MARK: - Faults

    @Test func faultsComeFromAllFilesWithTheirLines() {
        let found = Self.faults(
            Self.files(
                "log: {level: loud}\nsources:\n  - {name: quakes, kind: usgs, offset: soon}\n",
                "serve: {}\nsources:\n  - {name: b, kind: rss}\n", "sources:\n  - name: c\n   kind: rss\n",
                "sources: 1\ncolour: red\nname: x\n"))
        #expect(
            found.map { line in String(line.prefix { $0 != ";" }) } == [
                "v.yaml:1:7: log.level: found \"loud\"", "v.yaml:3:32: sources[0].offset: found \"soon\"",
                "conf.d/a.yaml:1:1: serve: unknown key in conf.d", "conf.d/a.yaml:3:5: sources[0].url: missing",
                "conf.d/b.yaml:3:4: not YAML: while parsing a block collection (from line 2), did not find expected '-' "
                    + "indicator",
                "conf.d/c.yaml:1:1: sources: found a single value", "conf.d/c.yaml:2:1: colour: unknown key in conf.d",
                "conf.d/c.yaml:3:1: name: unknown key in conf.d",
            ])
        #expect(found.contains { $0.hasSuffix("serve: unknown key in conf.d; accepted: serve in v.yaml") })
        #expect(found.contains { $0.hasSuffix("; accepted: name of a source, below sources") })
    }

    @Test func aNameThatTwoFilesHaveIsAFaultThatNamesBothPlaces() {
        let found = Self.faults(
            Self.files(
                Self.main, "sources:\n" + Self.source("news") + Self.source("quakes"),
                "sources:\n" + Self.source("news")))
        let end = "; accepted: a name of its own"
        #expect(
            found == [
                "conf.d/a.yaml:5:5: sources[1].name: found \"quakes\", which is the name of sources[0] on line 3 of v.yaml"
                    + end,
                "conf.d/b.yaml:2:5: sources[0].name: found \"news\", which is the name of sources[0] on line 2 of "
                    + "conf.d/a.yaml" + end,
            ])
    }

    @Test func bytesThatAreNoTextAreAFaultOfTheirFile() {
        var files = Self.files("log: {level: loud}\n" + Self.main.dropFirst(20), "sources:\n" + Self.source("news"))
        files.fragments.append(SettingsFile(path: "conf.d/z.yaml", content: Data([0x23, 0x0A, 0xE9])))
        let found = Self.faults(files)
        #expect(found.count == 2)
        #expect(found.last == "conf.d/z.yaml:2:1: found a byte that is not UTF-8; accepted: UTF-8 text")
    }

    // MARK: - Edits and values

    @Test func anEditIsOfTheFileInWhichTheSourceStands() throws {
        let files = Self.files(Self.main, "\u{FEFF}sources:\n" + Self.source("news"), "sources: [")
        for (name, path) in [("news", "conf.d/a.yaml"), ("quakes", "v.yaml"), ("none", "v.yaml")] {
            #expect(SettingsEdit(source: name, changes: []).file(in: files).path == path)
        }
        let other = files.replacing("conf.d/a.yaml", with: Data("x".utf8))
        #expect(other.all.map { $0.content.count } == [Self.main.utf8.count, 1, "sources: [".utf8.count])
        #expect(other.main == files.main)
    }

    @Test func aValueHasTheLineOfItsFile() throws {
        let files = Self.files(Self.main, "# \n# \nsources:\n" + Self.source("news"))
        let values = try SettingsReader.values(in: files, kinds: TestKinds.all, environment: [:])
        let urls = values.filter { $0.key == "url" }
        #expect(urls.map { $0.source } == ["quakes", "news"])
        #expect(urls.map { $0.line } == [nil, 6])
        #expect(urls.map { $0.file } == [nil, "conf.d/a.yaml"])
        #expect(values.first { $0.key == "log.level" }?.line == 1)
    }
}
