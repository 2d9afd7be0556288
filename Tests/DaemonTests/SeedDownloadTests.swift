import Foundation
import ProcessSupport
import ScriptedUpstream
import TestSupport
import Testing

/// `visiventd seed cities` with a URL.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct SeedDownloadTests {
    private let directory = TemporaryDirectory()

    private func seed(_ replies: [Reply], by command: [String] = []) async throws -> MeasuredRun {
        let upstream = ScriptedUpstream()
        upstream.play("/cities.txt", replies)
        try await upstream.start()
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of(
            command + [
                program, "seed", "cities", "\(upstream.baseURL)/cities.txt", "--table", "\(directory.path)/c.sqlite",
            ])
        await upstream.stop()
        return run
    }

    /// Far more than fits into the buffers in between.
    private static func cities() throws -> Data {
        let rows = try Data(contentsOf: Fixtures.url("demo-places/cities.txt"))
        return rows + Data(String(repeating: "# a comment\n", count: 200_000).utf8)
    }

    /// On one core Swift's pool has one thread, which the seeding occupies.
    @Test func aTableIsDownloadedOnASingleCore() async throws {
        let core = "core=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//'); exec taskset -c \"$core\" \"$@\""
        let run = try await seed([.body(Self.cities())], by: ["sh", "-c", core, "sh"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("/cities.txt: "), "\(run.output)")
    }

    @Test func aDownloadThatBreaksOffIsToldAsSuch() async throws {
        let run = try await seed([.truncated(Self.cities())])
        #expect(run.status == 75)
        #expect(run.errors.contains("of the bytes it announced (network: cut_short"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/c.sqlite"))
    }
}
