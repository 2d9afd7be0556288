import Foundation
import TestSupport
import Testing

@testable import Control

@Suite struct UnixSocketTests {
    @Test func aPathThatIsTooLongIsRefusedWithItsRemedy() {
        let path = "/tmp/" + String(repeating: "x", count: 120)
        do throws(DaemonError) {
            _ = try UnixSocket.listening(at: path)
            Issue.record("a path of \(path.utf8.count) bytes was taken")
        } catch {
            #expect("\(error)".contains("control_socket"))
        }
    }

    /// setsockopt refuses a million microseconds, and would leave the socket without a time-out.
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
}
