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

    /// The answer to a line of any sort.
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

    @Test func aPathThatIsTooLongIsRefusedWithItsRemedy() {
        let path = "/tmp/" + String(repeating: "x", count: 120)
        do throws(DaemonError) {
            _ = try UnixSocket.listening(at: path)
            Issue.record("a path of \(path.utf8.count) bytes was taken")
        } catch {
            #expect("\(error)".contains("control_socket"))
        }
    }

    /// What `ControlClient.send` says where nobody answers.
    private func complaint(from path: String, database: String? = nil) -> String {
        do throws(DaemonError) {
            _ = try ControlClient.send(ControlRequest(.reload), to: path, database: database) { _ in }
            return "an answer"
        } catch {
            return "\(error)"
        }
    }

    @Test func whereNobodyAnswersTheReasonIsNamed() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        #expect(complaint(from: path).hasPrefix("no daemon answers at \(path), where no socket is: start it ("))
        // A daemon that was killed leaves its socket.
        close(try UnixSocket.listening(at: path).descriptor)
        #expect(complaint(from: path).contains("left by one that has ended: start it ("))
        #expect(!ControlClient.isHeard(at: path))
        let other = directory.path + "/v.yaml"
        try Data("database: v.sqlite".utf8).write(to: URL(fileURLWithPath: other))
        #expect(complaint(from: other).contains("is no socket"))
        let long = "/tmp/" + String(repeating: "x", count: 120)
        #expect(complaint(from: long).contains("has 125 bytes, and may have 107"))
        #expect("\(DaemonError.unreachable(path, EACCES))".contains("may not be used by this user: use the service's"))
    }

    @Test func whoeverHasTheDatabaseIsNamedWhereNobodyAnswers() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        let database = directory.path + "/events.sqlite"
        #expect(complaint(from: path, database: database).contains("start it ("))
        let lock = try DatabaseLock(database: database)
        defer { withExtendedLifetime(lock) {} }
        for (words, expected) in [
            ("4711 truncate", "\(database) (process 4711, visiventd truncate): try again when it has ended"),
            (
                "4711 run",
                "\(database) (process 4711, visiventd run), but does not listen at \(path): it is still starting, or "
                    + "was started with another control_socket"
            ),
        ] {
            try Data(words.utf8).write(to: URL(fileURLWithPath: database + ".lock"))
            #expect(complaint(from: path, database: database) == "another visiventd works on the database " + expected)
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

    /// setsockopt refuses a million microseconds, and no time-out would then be set.
    @Test(arguments: [
        (Duration.nanoseconds(1_999_999_999), 2, 0), (.seconds(2), 2, 1), (.milliseconds(2500), 2, 500_001),
        (.nanoseconds(1), 0, 1),
    ]) func aTimeoutIsOneThatTheKernelTakes(duration: Duration, seconds: Int, microseconds: Int) {
        let time = timeval(beyond: duration)
        #expect(time.tv_sec == seconds)
        #expect(time.tv_usec == microseconds)
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
            #expect(DatabaseLock.isHeldByDaemon(database: database))
            for (holder, isDaemon) in [("4711 run\n", true), ("4711 truncate\n", false)] {
                try holder.write(toFile: database + ".lock", atomically: false, encoding: .utf8)
                #expect(DatabaseLock.isHeldByDaemon(database: database) == isDaemon)
            }
            try "\(getpid())\n".write(toFile: database + ".lock", atomically: false, encoding: .utf8)
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
