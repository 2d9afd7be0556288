import Control
import Daemon
import Foundation
import ProcessSupport
import ScriptedUpstream
import Simulation
import TestSupport
import Testing

/// The real program with sources that are edited while a client waits for their poll.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct EditWhilePolledTests {
    private let directory = TemporaryDirectory()
    private let server = ScriptedUpstream()

    private var path: String { directory.path + "/visiventd.yaml" }

    /// Writes the configuration; with nil, it has no source `news`. A request that hangs waits for the test, which may
    /// take long on a busy machine.
    private func write(news settings: String?) throws {
        var text = """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/c.sock"
            reload_on_edit: false
            log: {level: debug, format: logfmt}
            fetch: {stall_timeout: 1h, total_timeout: 1h}
            sources:
              - {name: other, kind: rss, url: "file://\(directory.path)/other.xml", offset: 1h}

            """
        if let settings {
            let url = "\(server.baseURL)/feed.xml"
            text += "  - {name: news, kind: rss, url: \"\(url)\", offset: 1h\(settings)}\n"
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// The replies of the daemon. It runs on a thread of its own, since it blocks.
    private func send(_ request: ControlRequest) async throws -> (isSuccess: Bool, messages: [String]) {
        let socket = directory.path + "/c.sock"
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        var messages: [String] = []
                        let isSuccess = try ControlClient.send(request, to: socket) { messages.append($0.message) }
                        return (isSuccess, messages)
                    })
            }
        }
    }

    @Test func whoWaitsHearsOfThePollThatFollowsOrThatTheSourceHasGone() async throws {
        let feed = Documents.rss([.init(guid: "1", title: "One", date: Date() - 60)])
        let arrivals = Facts<String>()
        server.answerOthers { request in
            arrivals.append(request.path)
            return arrivals.all.count == 2 ? .body(feed, type: "application/rss+xml") : .hang
        }
        try await server.start()
        defer { Task { [server] in await server.stop() } }
        try write(news: "")
        let daemon = try DaemonProcess(configuration: path)
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("started"))

        async let first = send(ControlRequest(.poll, sources: ["news"]))
        #expect(await arrivals.wait { $0.count == 1 })
        try write(news: ", max_age: 100h")
        let words = "news: max_age 3d becomes 4d4h: its next poll asks once without validators"
        #expect(try await send(ControlRequest(.reload)).messages == ["changed: news; \(words)"])
        let polled = try await first
        #expect(polled.isSuccess)
        #expect(polled.messages == ["news: 1 new, 0 changed, 0 unchanged"])

        async let second = send(ControlRequest(.poll, sources: ["news"]))
        #expect(await arrivals.wait { $0.count == 3 })
        try write(news: nil)
        #expect(try await send(ControlRequest(.reload)).messages == ["removed: news"])
        let gone = try await second
        #expect(!gone.isSuccess)
        #expect(gone.messages == ["news: not polled: it is no longer configured"])
    }
}
