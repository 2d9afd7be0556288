import Control
import Foundation
import Store
import TestSupport

@testable import Daemon

/// A configuration of a real program, whose sources are files that are not polled.
struct ReloadScene {
    let directory = TemporaryDirectory()
    var path: String { directory.path + "/visiventd.yaml" }
    var socket: String { directory.path + "/c.sock" }

    func text(_ names: [String], extra: String = "") -> String {
        let sources = names.map { name in
            """
              - name: \(name)
                kind: rss
                url: file://\(directory.path)/\(name).xml
                offset: 1h

            """
        }
        return """
            database: \(directory.path)/events.sqlite
            control_socket: \(socket)
            \(extra)
            sources:

            """ + sources.joined()
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

    /// The daemon's reply to `visiventd reload`.
    func reload() async throws -> (isSuccess: Bool, messages: [String], isFault: Bool) {
        let socket = socket
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        var messages: [String] = []
                        var isFault = false
                        let isSuccess = try ControlClient.send(ControlRequest(.reload), to: socket) { reply in
                            messages.append(reply.message)
                            isFault = isFault || reply.isConfigurationFault == true
                        }
                        return (isSuccess, messages, isFault)
                    })
            }
        }
    }

    func refused() throws -> RefusedConfiguration? {
        try EventStore(path: directory.path + "/events.sqlite", mode: .readOnly).refusedConfiguration()
    }
}
