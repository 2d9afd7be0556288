import Control
import Foundation
import TestSupport
import Testing

/// Messages of commands that reach no daemon.
@Suite struct ControlClientTests {
    /// The error of `ControlClient.send` if no daemon answers.
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
        // A killed daemon leaves its socket.
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

    /// The words for a holder of the lock that does not listen.
    private static func unheard(at path: String) -> String {
        "nobody listens at \(path): try again, since it may be starting, or be a command that soon ends; otherwise its "
            + "socket was removed, or it was started with another control_socket: restart it"
    }

    @Test func aDaemonThatCannotBeAskedIsNotTakenForOneThatPolls() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/c.sock"
        #expect(ControlClient.health(at: path) == DaemonHealth(silence: Self.unheard(at: path)))
        close(try UnixSocket.listening(at: path).descriptor)
        #expect(ControlClient.health(at: path) == DaemonHealth(silence: Self.unheard(at: path)))
        let other = directory.path + "/v.yaml"
        try Data().write(to: URL(fileURLWithPath: other))
        #expect(ControlClient.health(at: other).silence?.contains("is no socket") == true)
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
                "\(database) (process 4711, visiventd run), but \(Self.unheard(at: path))"
            ),
        ] {
            try Data(words.utf8).write(to: URL(fileURLWithPath: database + ".lock"))
            #expect(complaint(from: path, database: database) == "another visiventd works on the database " + expected)
        }
    }
}
