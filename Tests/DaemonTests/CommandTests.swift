import Foundation
import Model
import ProcessSupport
import Store
import TestSupport
import Testing

/// The real program, with what a person may get wrong on the command line.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(2)))
struct CommandTests {
    private struct Outcome: Sendable {
        var status: Int32
        var errors: String
    }

    /// Runs the program with its standard output in a file.
    private static func run(_ arguments: [String], output: String = "/dev/null") async throws -> Outcome {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let errors = directory.path + "/errors"
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        let process = Process()
        process.executableURL = DaemonProcess.executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                let isSignal = process.terminationReason == .uncaughtSignal
                continuation.resume(returning: isSignal ? -process.terminationStatus : process.terminationStatus)
            }
            do {
                try process.run()
            } catch {
                // Then the handler is never called.
                continuation.resume(throwing: error)
            }
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: errors))
        return Outcome(status: status, errors: String(decoding: data, as: UTF8.self))
    }

    /// A configuration whose source reads an empty feed, and its database.
    private static func configuration(in directory: TemporaryDirectory) throws -> String {
        let feed = directory.path + "/feed.xml"
        try Data("<rss version=\"2.0\"><channel><title>t</title></channel></rss>".utf8)
            .write(to: URL(fileURLWithPath: feed))
        let path = directory.path + "/v.yaml"
        let text = """
            database: v.sqlite
            sources:
              - name: news
                kind: rss
                url: file://\(feed)

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        _ = try EventStore(path: directory.path + "/v.sqlite")
        return path
    }

    @Test(arguments: [["status"], ["status", "--json"], ["poll", "news"], ["truncate"], ["check"], ["events"]])
    func aFullDiskBehindStandardOutputIsToldByTheExitCode(command: [String]) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let outcome = try await Self.run(command + ["--config", configuration], output: "/dev/full")
        #expect(outcome.status == 74, "\(outcome.errors)")
    }

    @Test(arguments: [["decode", "usgs"], ["decode", "twitter"], ["seed", "volcanoes"]])
    func anInputThatIsNotThereIsNamed(command: [String]) async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        for (path, reason) in [("/none", "No such file or directory"), ("/", "Is a directory")] {
            let input = path == "/" ? directory.path : directory.path + path
            let outcome = try await Self.run(command + [input, "--config", configuration])
            #expect(outcome.status == 74)
            #expect(outcome.errors == "visiventd: \(input) cannot be read: \(reason)\n")
        }
    }

    @Test(arguments: [
        ["events", "--radius", "5"], ["authors", "--radius", "5"], ["volcanoes", "--radius", "5"],
        ["events", "--after", "5"], ["events", "--follow", "--limit", "5"],
    ])
    func anOptionThatWouldDoNothingIsRefused(arguments: [String]) async throws {
        let outcome = try await Self.run(arguments + ["--database", "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("does nothing with"))
    }

    @Test func aLastFailureSaysWhetherTheSourceHasRecovered() async throws {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let configuration = try Self.configuration(in: directory)
        let feed = URL(fileURLWithPath: directory.path + "/feed.xml")
        let good = try Data(contentsOf: feed)
        try Data("no feed".utf8).write(to: feed)
        #expect(try await Self.run(["poll", "news", "--config", configuration]).status == 75)
        let failing = try await Self.run(["decode", "--last-failure", "news", "--config", configuration])
        #expect(failing.status == 0)
        #expect(!failing.errors.contains("recovered"))
        try good.write(to: feed)
        #expect(try await Self.run(["poll", "news", "--config", configuration]).status == 0)
        let recovered = try await Self.run(["decode", "--last-failure", "news", "--config", configuration])
        #expect(recovered.errors.contains("news has recovered since; its last success was at "))
        let unknown = try await Self.run(["decode", "--last-failure", "nwes", "--config", configuration])
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("it has news"))
    }
}
