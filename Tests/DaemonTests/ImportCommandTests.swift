import Foundation
import ProcessSupport
import TestSupport
import Testing

/// `visiventd import` and `export`.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ImportCommandTests {
    private let scene = ReloadScene()
    private var fragment: String { scene.path(ofFragment: "newsroom") }

    private func run(_ arguments: String...) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    /// Writes an OPML document and returns its path.
    private func list(_ outlines: String) throws -> String {
        let path = scene.directory.path + "/feeds.opml"
        let text = "<opml version=\"2.0\"><body>\(outlines)</body></opml>"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static let outlines = """
        <outline text="Asia"><outline text="One" xmlUrl="https://a.test/1"/>
        <outline text="a" xmlUrl="https://a.test/2"/></outline><outline text="Old" xmlUrl="ftp://a.test/3"/>
        """

    @Test func aListBecomesAFileThatIsReadAndNeverReplaced() async throws {
        try scene.write(scene.text(["a"]))
        #expect(chmod(scene.path, 0o604) == 0)
        let list = try self.list(Self.outlines)
        let made = try await run("import", "--config", scene.path, list, "--output", fragment)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == "\(fragment) is written: 2 sources, 1 left out\n")
        #expect(made.errors == "left out: line 2, Old: found no address of http or https\n")
        var status = stat()
        #expect(stat(fragment, &status) == 0 && status.st_mode & 0o7777 == 0o604)
        let text = try String(contentsOfFile: fragment, encoding: .utf8)
        #expect(text.hasPrefix("# Made by visiventd import of feeds.opml. "), "\(text)")
        #expect(text.contains("  # Asia\n  - name: one   # One\n") && text.contains("  - name: a-2   # a\n"), "\(text)")

        let again = try await run("import", "--config", scene.path, list, "--output", fragment)
        #expect(again.status == 0)
        #expect(again.output.isEmpty)
        #expect(again.errors.contains("left out: line 1, One: is configured as one\n"), "\(again.errors)")
        #expect(again.errors.hasSuffix("\(list): nothing to add\n"), "\(again.errors)")
        let other = try self.list("<outline text=\"New\" xmlUrl=\"https://b.test/\"/>")
        let taken = try await run("import", "--config", scene.path, other, "--output", fragment)
        #expect(taken.status == 73)
        #expect(taken.errors.contains("is there already and stays as it is"), "\(taken.errors)")
        #expect(try String(contentsOfFile: fragment, encoding: .utf8) == text)
        let folder = scene.directory.path + "/conf.d"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["newsroom.yaml"])

        let check = try await run("check", "--config", scene.path)
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.output.hasPrefix("\(scene.path): 3 sources, no faults"), "\(check.output)")
        #expect(check.output.contains("\n\(fragment): 2 of these\n"), "\(check.output)")
    }

    @Test func byDefaultTheSourcesArePrinted() async throws {
        try scene.write(scene.text([]).replacingOccurrences(of: "sources:\n", with: ""))
        let printed = try await run("import", "--config", scene.path, try list(Self.outlines))
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(printed.output.contains("\nsources:\n\n  # Asia\n  - name: one   # One\n"), "\(printed.output)")
        #expect(!FileManager.default.fileExists(atPath: scene.directory.path + "/conf.d"))
    }

    @Test func whatIsNoListIsRefused() async throws {
        try scene.write(scene.text(["a"]))
        let path = scene.directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel/></rss>".utf8).write(to: URL(fileURLWithPath: path))
        let rss = try await run("import", "--config", scene.path, path)
        #expect(rss.status == 65)
        #expect(rss.errors.contains("This is no OPML"), "\(rss.errors)")
        #expect(try await run("import", "--config", scene.path, path + ".none").status == 74)
        for (output, words) in [
            ("-", "--output takes a file, found '-'"), (fragment + ".txt", "a name that ends in .yaml in conf.d"),
        ] {
            let wrong = try await run("import", "--config", scene.path, path, "--output", output)
            #expect(wrong.status == 64)
            #expect(wrong.errors.contains(words), "\(wrong.errors)")
        }
        try scene.write("log: {level: loud}\n" + scene.text(["a"]))
        let faulty = try await run("import", "--config", scene.path, try list(Self.outlines))
        #expect(faulty.status == 78)
        #expect(faulty.errors.hasPrefix("\(scene.path):1:7: log.level: "), "\(faulty.errors)")
    }

    @Test func whatIsExportedCanBeImported() async throws {
        let sources = """
              - {name: news, kind: rss, url: "https://n.test/{topic}?a=1&b=2", topics: [world, asia]}
              - {name: keyed, kind: rss, url: "https://k.test/?token=hunter2"}
              - {name: quakes, kind: usgs, minimum_magnitude: 4.5}

            """
        try scene.write(scene.text([]) + sources)
        let opml = try await run("export", "--config", scene.path)
        #expect(opml.status == 0)
        #expect(opml.errors == "left out: keyed: its address looks as if it had a secret\n")
        let outline = "<outline type=\"rss\" text=\"news asia\" title=\"news asia\" "
        #expect(opml.output.contains(outline + "xmlUrl=\"https://n.test/asia?a=1&amp;b=2\"/>"), "\(opml.output)")
        #expect(!opml.output.contains("hunter2") && !opml.output.contains("quakes"))
        let path = scene.directory.path + "/out.opml"
        try Data(opml.output.utf8).write(to: URL(fileURLWithPath: path))
        let none = try await run("import", "--config", scene.path, path)
        #expect(none.errors.contains(": is configured as news\n") && none.errors.contains("nothing to add"))

        let json = try await run("export", "--config", scene.path, "--format", "ndjson")
        #expect(json.status == 0, "\(json.errors)")
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(!json.output.contains("hunter2"))
        let last = try #require(lines.last)
        let object = try JSONSerialization.jsonObject(with: Data(last.utf8))
        let quakes = try #require(object as? [String: String])
        #expect(quakes["name"] == "quakes" && quakes["minimum_magnitude"] == "4.5" && quakes["offset"] == "0s")
    }
}
