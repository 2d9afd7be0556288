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
        """
        database: \(directory.path)/events.sqlite
        control_socket: \(socket)
        \(extra)

        """ + fragment(names)
    }

    /// The text of a file of `conf.d`.
    func fragment(_ names: [String]) -> String {
        let sources = names.map { name in
            """
              - name: \(name)
                kind: rss
                url: file://\(directory.path)/\(name).xml
                offset: 1h

            """
        }
        return "sources:\n" + sources.joined()
    }

    /// The path of a file of `conf.d`.
    func path(ofFragment name: String) -> String { "\(directory.path)/conf.d/\(name).yaml" }

    /// Writes a file of `conf.d`, and makes that folder.
    func write(_ text: String, toFragment name: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/conf.d", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(ofFragment: name)))
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
