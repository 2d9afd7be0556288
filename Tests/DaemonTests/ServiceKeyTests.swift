import Control
import Daemon
import Foundation
import Model
import ProcessSupport
import ScriptedUpstream
import TestSupport
import Testing

/// The real program with a geocoding key that is supplied and replaced while it runs.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ServiceKeyTests {
    private let directory = TemporaryDirectory()
    private let server = ScriptedUpstream()

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/" + name))
    }

    /// The replies of the daemon. It runs on a thread of its own, since it blocks.
    private func send(_ request: ControlRequest) async throws -> [ControlReply] {
        let socket = directory.path + "/c.sock"
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.control").async {
                continuation.resume(
                    with: Result {
                        var replies: [ControlReply] = []
                        _ = try ControlClient.send(request, to: socket) { replies.append($0) }
                        return replies
                    })
            }
        }
    }

    private func ask(_ place: String) async throws -> [ServiceReply] {
        let question = PlaceQuery(text: place, folded: place, evidence: .place)
        return try await send(ControlRequest(.geocode, question: question)).compactMap { $0.service }
    }

    @Test func aReloadReadsTheKeyAgainAlthoughNothingElseHasChanged() async throws {
        let script = GeocoderScript([])
        let queries = Facts<String>()
        server.answerOthers { request in
            queries.append(request.query)
            return script.reply(to: request)
        }
        try await server.start()
        defer { Task { [server] in await server.stop() } }
        try write(
            """
            database: "\(directory.path)/events.sqlite"
            control_socket: "\(directory.path)/c.sock"
            reload_on_edit: false
            log: {level: info, format: logfmt}
            geocoding:
              mapquest: {url: "\(server.baseURL)/address", key_file: "\(directory.path)/key"}
            sources:
              - {name: other, kind: rss, url: "file://\(directory.path)/other.xml", offset: 1h}

            """, to: "visiventd.yaml")
        let daemon = try DaemonProcess(configuration: directory.path + "/visiventd.yaml")
        defer { daemon.signal(SIGKILL) }
        #expect(await daemon.says("geocoding service is not asked", "provider=mapquest", "No such file"))
        #expect(await daemon.says("started"))
        #expect(try await ask("nowhere").isEmpty)

        for (number, key) in ["first-key", "second-key"].enumerated() {
            try write(key + "\n", to: "key")
            #expect(try await send(ControlRequest(.reload)).allSatisfy { $0.isSuccess })
            let replies = try await ask("place \(number)")
            #expect(replies.map { $0.status } == [.missing], "\(replies)")
            #expect(queries.all.count == number + 1)
            #expect(queries.all.last?.contains("key=\(key)") == true)
        }
        #expect(daemon.linesHolding("-key").isEmpty)
        daemon.signal(SIGTERM)
        #expect(await daemon.exit()?.status == 0)
    }
}
