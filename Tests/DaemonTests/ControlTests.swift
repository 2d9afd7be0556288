import Foundation
import TestSupport
import Testing

@testable import Daemon

/// The control socket: requests, replies, and what it does not put up with.
@Suite struct ControlTests {
    private func server(_ path: String) throws -> ControlServer {
        try ControlServer(path: path) { request, reply in
            for name in request.sources { reply(ControlReply(source: name, message: "\(request.command) \(name)")) }
            reply(ControlReply(message: "", isLast: true))
        }
    }

    /// Runs what blocks on a thread of its own: the server answers on the threads that tests run on.
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

    @Test func tooManyNamesAreRefused() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let names = (0...100).map { "s\($0)" }
        let answer = try await send(ControlRequest(.poll, sources: names), to: path)
        #expect(!answer.isSuccess)
    }

    @Test func whatIsNoRequestIsAnsweredSo() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let line = try await blocking { () -> Data? in
            let socket = try UnixSocket.connected(to: path)
            defer { close(socket.descriptor) }
            socket.writeLine(Data("{\"command\":\"dance\"}".utf8))
            return socket.readLine(timeout: 5)
        }
        let reply = try JSONDecoder().decode(ControlReply.self, from: try #require(line))
        #expect(!reply.isSuccess && reply.isLast)
    }

    @Test func aPathThatIsTooLongIsRefusedWithItsRemedy() {
        let path = "/tmp/" + String(repeating: "x", count: 120)
        do throws(DaemonError) {
            _ = try UnixSocket.listening(at: path)
            Issue.record("a path of \(path.utf8.count) bytes was taken")
        } catch {
            #expect("\(error)".contains("control_socket"))
        }
    }

    @Test func theNinthConnectionAtATimeIsToldSo() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let server = try server(path)
        defer { server.stop() }
        let line = try await blocking { () -> Data? in
            // None of the eight asks for anything.
            let sockets = try (1...9).map { _ in try UnixSocket.connected(to: path) }
            defer { for socket in sockets { close(socket.descriptor) } }
            return sockets[8].readLine(timeout: 5)
        }
        let reply = try JSONDecoder().decode(ControlReply.self, from: try #require(line))
        #expect(!reply.isSuccess && reply.isLast)
        #expect(reply.message.contains("too many connections"))
    }

    @Test func whatIsNoSocketIsNotReplacedByOne() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/cities.sqlite"
        try Data("a table".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DaemonError.self) { try UnixSocket.listening(at: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("a table".utf8))
    }

    @Test func theLockIsHeldByOneAndSeenByAll() throws {
        let directory = TemporaryDirectory()
        let database = directory.path + "/events.sqlite"
        #expect(!DatabaseLock.isHeld(database: database))
        do {
            let lock = try DatabaseLock(database: database)
            defer { withExtendedLifetime(lock) {} }
            #expect(DatabaseLock.isHeld(database: database))
            do throws(DaemonError) {
                _ = try DatabaseLock(database: database)
                Issue.record("the lock was taken twice")
            } catch {
                #expect("\(error)".contains("works on the database \(database) (process \(getpid())"), "\(error)")
            }
            // By another name it is the same database.
            let other = directory.path + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: database)
            #expect(DatabaseLock.isHeld(database: other))
            #expect(throws: DaemonError.self) { try DatabaseLock(database: other) }
        }
        #expect(!DatabaseLock.isHeld(database: database))
    }
}
