import Foundation
import ProcessSupport
import SQLite
import TestSupport
import Testing

/// `visiventd events --output`.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct OutputFileTests {
    private let directory = TemporaryDirectory()
    private var database: String { directory.path + "/v.sqlite" }
    private var file: String { directory.path + "/out.gpkg" }

    private func run(_ arguments: [String]) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    private func export(_ format: String = "gpkg", to file: String? = nil) async throws -> MeasuredRun {
        try await run(["events", "--database", database, "--format", format, "--output", file ?? self.file])
    }

    /// A database with this many events, half of them with a shape.
    private func fill(_ count: Int) async throws {
        let items = (0..<count).map { number in
            let shape = number % 2 == 0 ? "<georss:line>1 2 3 4</georss:line>" : "<georss:point>1 2</georss:point>"
            return "<item><guid>\(number)</guid><title>T\(number)</title>\(shape)</item>"
        }
        let head = "<rss version=\"2.0\" xmlns:georss=\"http://www.georss.org/georss\"><channel><title>t</title>"
        try Data((head + items.joined() + "</channel></rss>").utf8)
            .write(to: URL(fileURLWithPath: directory.path + "/feed.xml"))
        let source = "{name: news, kind: rss, url: \"file://\(directory.path)/feed.xml\"}"
        let configuration = directory.path + "/v.yaml"
        try Data("database: v.sqlite\nsources:\n  - \(source)\n".utf8).write(to: URL(fileURLWithPath: configuration))
        let poll = try await run(["poll", "news", "--config", configuration])
        #expect(poll.status == 0, "\(poll.errors)")
    }

    private func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    private func text(of file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    private func count(_ sql: String) throws -> Int64? {
        try withExtendedLifetime(DatabaseFile(path: file)) { try $0.connection.firstInt64(sql) }
    }

    /// Unfinished files.
    private func partial() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.contains(".partial-") }
    }

    @Test func aGeoPackageOfAllEventsReplacesTheFile() async throws {
        try await fill(60)
        try write("before", to: file)
        let outcome = try await export()
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(try count("SELECT count(*) FROM events") == 60)
        #expect(try count("SELECT count(*) FROM events WHERE substr(geom, 4, 1) = x'03'") == 30)
        #expect(try partial().isEmpty)
    }

    @Test(arguments: ["ndjson", "geojson", "csv"])
    func anyOtherFormatIsWrittenAsToStandardOutput(format: String) async throws {
        try await fill(3)
        let target = directory.path + "/target"
        let link = directory.path + "/out.txt"
        try write("before", to: target)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let outcome = try await export(format, to: link)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.errors)")
        let printed = try await run(["events", "--database", database, "--format", format])
        #expect(try text(of: target) == printed.output)
        #expect(try partial().isEmpty)
    }

    @Test(arguments: [
        (["--format", "gpkg"], "--format gpkg makes a file: name it with --output, such as --output events.gpkg"),
        (
            ["--format", "gpkg", "--output", "-"],
            "--output takes a file, found '-'; without it, events go to standard output"
        ),
        (
            ["--format", "gpkg", "--output", "/dev/stdout"],
            "--output takes a file whose name ends in .gpkg with --format gpkg, found '/dev/stdout'"
        ),
        (
            ["--output", "x"],
            "--output does nothing with --format table; ndjson, geojson, geojsonseq, csv and gpkg make files"
        ),
        (
            ["--format", "csv", "--output", "x", "--follow"],
            "--output does nothing with --follow, which has no end"
        ),
    ])
    func whatMakesNoFileIsRefused(options: [String], words: String) async throws {
        let outcome = try await run(["events", "--database", "/nonexistent"] + options)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func whatMustStayStays() async throws {
        try await fill(1)
        for (path, words) in [
            ("/dev/null", "/dev/null is no ordinary file"), (directory.path, "is a folder; name a file in it"),
            (directory.path + "/none/x", "/none: No such file or directory"),
            (database, "belongs to the database itself; choose another name"),
        ] {
            let outcome = try await export("csv", to: path)
            #expect(outcome.status == 73)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        // A reader has the old file open.
        try write("before", to: file)
        try write("", to: file + "-wal")
        let outcome = try await export()
        #expect(outcome.status == 73)
        #expect(outcome.errors.contains("a database of that name may be in use"), "\(outcome.errors)")
        #expect(try text(of: file) == "before")
        #expect(try partial().isEmpty)
    }

    @Test func theConfigurationAndTheCityTableStay() async throws {
        try await fill(1)
        let configuration = directory.path + "/v.yaml"
        let before = try text(of: configuration)
        let table = directory.path + "/cities.sqlite"
        try write("table", to: table)
        for (kept, name) in [(configuration, "configuration"), (table, "city table")] {
            let export = ["events", "--config", configuration, "--format", "csv", "--output", kept]
            for arguments in [export, ["backup", "--config", configuration, "--force", kept]] {
                let outcome = try await run(arguments)
                #expect(outcome.status == 73)
                #expect(outcome.errors.contains("\(kept) is the \(name); choose another name"), "\(outcome.errors)")
            }
        }
        #expect(try text(of: configuration) == before && text(of: table) == "table")
    }

    @Test func whatIsReplacedKeepsItsReadersAndLeftoversGo() async throws {
        try await fill(1)
        try write("before", to: file)
        chmod(file, 0o600)
        // No process has this number (kernel.pid_max is at most 2^22).
        try write("left", to: file + ".partial-\(1 << 23)")
        #expect(try await export().status == 0)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try partial().isEmpty)
    }

    /// A limit on file size simulates a full disk.
    @Test(arguments: ["gpkg", "ndjson"])
    func aFileThatCannotBeWrittenIsLeftAsItWas(format: String) async throws {
        try await fill(500)
        try write("before", to: file)
        let program = try #require(DaemonProcess.executable?.path)
        let outcome = try await MeasuredRun.of(
            [
                "prlimit", "--fsize=65536", program, "events", "--database", database, "--limit", "0", "--format",
                format,
                "--output", file,
            ])
        #expect(outcome.status == 74)
        #expect(outcome.errors.hasPrefix("visiventd: \(file) cannot be written, and nothing has been changed: "))
        #expect(try text(of: file) == "before")
        #expect(try partial().isEmpty)
    }
}
