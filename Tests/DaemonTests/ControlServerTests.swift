import Control
import Daemon
import Foundation
import TestSupport
import Testing

/// The control socket: requests, replies and limits.
@Suite struct ControlServerTests {
    private func server(_ path: String) throws -> ControlServer {
        try ControlServer(path: path) { request, reply in
            for name in request.sources { reply(ControlReply(source: name, message: "\(request.command) \(name)")) }
            reply(ControlReply(message: "", isLast: true))
        }
    }

    /// Runs blocking work on a thread of its own, since the server answers on the threads of the tests.
    private func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    private func send(_ request: ControlRequest, to path: String) async throws -> (isSuccess: Bool, messages: [String])
    {
        try await blocking {
            var messages: [String] = []
            let isSuccess = try ControlClient.send(request, to: path) { messages.append($0.message) }
            return (isSuccess, messages)
        }
    }

    @Test func repliesComeInOrderUpToTheLast() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let answer = try await send(ControlRequest(.poll, sources: ["a", "b"]), to: path)
        #expect(answer.isSuccess)
        #expect(answer.messages == ["poll a", "poll b"])
        var mode = stat()
        #expect(stat(path, &mode) == 0 && mode.st_mode & 0o777 == 0o660)
    }

    @Test func theUserIsTheOneWhoHasConnectedWhateverTheRequestSays() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try ControlServer(path: path) { request, reply in
            reply(ControlReply(message: request.user ?? "nobody", isLast: true))
        }
        defer { server.stop() }
        for claimed in [nil, "mallory"] {
            let request = ControlRequest(.place, event: "x", correction: .automatic, user: claimed)
            #expect(try await send(request, to: path).messages == [UserName.own])
        }
    }

    @Test func tooManyNamesAreRefused() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let names = (0...100).map { "s\($0)" }
        let answer = try await send(ControlRequest(.poll, sources: names), to: path)
        #expect(!answer.isSuccess)
    }

    /// The reply to any line.
    private func reply(to line: Data, at path: String) async throws -> ControlReply {
        let answer = try await blocking { () -> Data? in
            let socket = try UnixSocket.connected(to: path)
            defer { close(socket.descriptor) }
            return socket.writeLine(line) ? socket.readLine(timeout: 5) : nil
        }
        return try JSONDecoder().decode(ControlReply.self, from: try #require(answer))
    }

    @Test func whatIsNoRequestIsAnsweredSo() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let reply = try await reply(to: Data("{\"command\":\"dance\"}".utf8), at: path)
        #expect(!reply.isSuccess && reply.isLast)
    }

    @Test(arguments: [64 << 10, 200_000])
    func aRequestThatIsTooLongIsAnsweredSo(length: Int) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let reply = try await reply(to: Data(repeating: UInt8(ascii: "x"), count: length), at: path)
        #expect(!reply.isSuccess && reply.isLast)
        #expect(reply.message == "the request is longer than 64 KiB")
    }

    @Test func theNinthConnectionAtATimeIsToldSo() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let line = try await blocking { () -> Data? in
            // The first eight send no request.
            let sockets = try (1...9).map { _ in try UnixSocket.connected(to: path) }
            defer { for socket in sockets { close(socket.descriptor) } }
            return sockets[8].readLine(timeout: 5)
        }
        let reply = try JSONDecoder().decode(ControlReply.self, from: try #require(line))
        #expect(!reply.isSuccess && reply.isLast)
        #expect(reply.message.contains("too many connections"))
    }
}
