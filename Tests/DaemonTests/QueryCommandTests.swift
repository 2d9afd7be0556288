import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// What the commands say that show what is stored.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(2)))
struct QueryCommandTests {
    private let directory = TemporaryDirectory()

    private func run(_ arguments: [String]) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path)] + arguments)
    }

    /// A configuration with the one source `news`, whose feed is beside it.
    private func configuration() throws -> String {
        let file = directory.path + "/v.yaml"
        let source = "{name: news, kind: rss, url: \"file://\(directory.path)/feed.xml\"}"
        try Data("database: v.sqlite\nsources:\n  - \(source)\n".utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test func aSourceOfWhichNobodyKnowsIsAnsweredWithThoseThatAreKnown() async throws {
        let (file, database) = (try configuration(), directory.path + "/v.sqlite")
        // Another source is only in the database: it has left the configuration.
        try EventStore(path: database).reconcile(
            [SourceSettings(name: "gone", kind: "rss", url: "https://gone.test/")], at: Date())
        for command in ["events", "authors"] {
            for known in ["news", "gone"] {
                let outcome = try await run([command, "--source", known, "--config", file])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let wrong = [command, "--source", "news", "--source", "nwes"]
            let outcome = try await run(wrong + ["--config", file])
            #expect(outcome.status == 64)
            #expect(outcome.errors == "visiventd: no source named 'nwes'; known are gone, news\n")
            // Without a configuration the database alone tells.
            let alone = try await run(wrong + ["--database", database])
            #expect(alone.status == 64)
            #expect(alone.errors == "visiventd: no source named 'news'; known are gone\n")
        }
    }

    @Test func aColumnIsAsWideAsATerminalShowsIt() async throws {
        let file = try configuration()
        let now = Date().rfc3339
        let entries = ["山田太郎", "Ann"].map { author in
            """
            <entry><id>urn:\(author.utf8.count)</id><title>Etna</title><author><name>\(author)</name></author>
            <link href="https://example.org/\(author.utf8.count)"/><updated>\(now)</updated></entry>
            """
        }
        let head = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><id>urn:t</id><updated>\(now)</updated>"
        try Data((head + entries.joined() + "</feed>").utf8)
            .write(to: URL(fileURLWithPath: directory.path + "/feed.xml"))
        #expect(try await run(["poll", "news", "--config", file]).status == 0)
        let table = try await run(["authors", "--config", file]).output
        // Four wide characters take eight columns; the last column, LINK, is empty.
        #expect(table.contains("  山田太郎  \n"), "\(table)")
        #expect(table.contains("  Ann       \n"), "\(table)")
    }
}
