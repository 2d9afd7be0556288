import Foundation
import ProcessSupport
import TestSupport
import Testing

/// Permissions of the real program's files, under any umask.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not there"), .timeLimit(.minutes(60)))
struct FileModeTests {
    @Test("the database and what belongs to it are the group's to read and nobody else's", arguments: ["000", "077"])
    func modes(umask: String) async throws {
        let directory = TemporaryDirectory()
        let program = try #require(DaemonProcess.executable).path
        let file = directory.path + "/visiventd.yaml"
        let feed = directory.path + "/feed.xml"
        try "<rss version=\"2.0\"><channel><title>t</title></channel></rss>".write(
            toFile: feed, atomically: true, encoding: .utf8)
        try """
        database: "\(directory.path)/events.sqlite"
        disk: {minimum_free: 0B}
        sources: [{name: news, kind: rss, url: "file://\(feed)"}]
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try await MeasuredRun.of(
            ["sh", "-c", "umask \(umask); exec \"$0\" poll news --config \"$1\"", program, file])
        #expect(run.status == 0, "\(run.errors)")
        for suffix in ["", "-wal", "-shm", ".lock"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.path + "/events.sqlite" + suffix)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode == 0o640, "\(suffix): \(String(mode, radix: 8))")
        }
    }
}
