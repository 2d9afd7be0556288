import Foundation
import ProcessSupport
import TestSupport
import Testing

/// The real program with a source whose token is missing.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct MissingTokenTests {
    private let directory = TemporaryDirectory()

    private func run(_ command: String) async throws -> MeasuredRun {
        let program = try #require(DaemonProcess.executable).path
        let words = command.split(separator: " ").map { String($0) }
        return try await MeasuredRun.of([program] + words + ["--config", directory.path + "/v.yaml"])
    }

    @Test(arguments: [
        (
            "\n    bearer_token_file: none.token",
            "bearer_token_file cannot be used; visiventd check names the file and says why, visiventd reload"
        ),
        (
            "\n    api_key_file: none.key\n    api_secret_file: some.key",
            "api_key_file cannot be used; visiventd check names the file and says why, visiventd reload"
        ),
        ("", "it has no credentials; visiventd check names the keys"),
    ])
    func statusSaysWhatIsMissingAndCheckNamesTheFile(keys: String, words: String) async throws {
        try Data("of-nobody\n".utf8).write(to: URL(fileURLWithPath: directory.path + "/some.key"))
        let text = """
            database: v.sqlite
            sources:
              - name: live
                kind: twitter
                enabled: true
                url: http://127.0.0.1:9/2/tweets/search/recent
                query: etna\(keys)

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/v.yaml"))
        #expect(try await run("poll live").status == 75)
        let status = try await run("status")
        #expect(status.output.contains("live: failing since 2"), "\(status.output)")
        let reason = status.output.replacing(" --config \(directory.path)/v.yaml", with: "")
        #expect(reason.contains("the source has nothing to ask: \(words)"), "\(status.output)")
        let check = try await run("check")
        let place = keys.isEmpty ? "set bearer_token_file" : "\(directory.path)/none."
        #expect(check.errors.contains(place), "\(check.errors)")
    }
}
