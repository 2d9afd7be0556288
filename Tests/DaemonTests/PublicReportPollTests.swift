import Foundation
import ProcessSupport
import ScriptedUpstream
import TestSupport
import Testing

private enum Reports {
    static let root = Captures.root.deletingLastPathComponent().appendingPathComponent("review/reports")
    static let areAvailable = FileManager.default.fileExists(atPath: root.path)
}

/// The situations of public reports that need a server, where the reports stand beside the checkout.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .enabled(if: Reports.areAvailable, "the reports are not beside the checkout"),
    .timeLimit(.minutes(60)))
struct PublicReportPollTests {
    @Test func aSourceIsNotCalledFailingForThePauseOfAnother() async throws {
        let server = ScriptedUpstream()
        server.play("/rsshub/bad", [.status(503, headers: ["Retry-After": "1500"])])
        let feed = "<rss version=\"2.0\"><channel><title>t</title></channel></rss>"
        server.play("/rsshub/good", [.body(Data(feed.utf8), type: "application/rss+xml")])
        try await server.start()
        let report = try String(
            contentsOf: Reports.root.appendingPathComponent("18-retry-after-host.yaml"), encoding: .utf8)
        let directory = TemporaryDirectory()
        let file = directory.path + "/v.yaml"
        try Data(report.replacingOccurrences(of: "http://127.0.0.1:8911", with: server.baseURL).utf8)
            .write(to: URL(fileURLWithPath: file))
        let program = try #require(DaemonProcess.executable?.path)
        let run = try await MeasuredRun.of([program, "poll", "--config", file, "--all"])
        await server.stop()
        #expect(run.output.contains("bad: failed") && run.output.contains("http_503"), "\(run.output)\(run.errors)")
        #expect(!run.output.contains("good: failed"), "\(run.output)\(run.errors)")
    }
}
