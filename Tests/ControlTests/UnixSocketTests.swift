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

    @Test func linesThatComeTogetherAreReadOneByOne() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (reader, writer) = (UnixSocket(descriptor: pair[0]), UnixSocket(descriptor: pair[1]))
        defer { close(reader.descriptor) }
        // Around the size of a block, and below the limit of a line.
        let lengths = [1, 0, 4094, 4095, 4096, 4097, 10_000, UnixSocket.lineLimit - 1, 3]
        let lines = zip("abcdefghi".utf8, lengths).map { Data(repeating: $0, count: $1) }
        let tooLong = Data(repeating: UInt8(ascii: "x"), count: UnixSocket.lineLimit + 5000)
        let sent = lines + [tooLong, Data("end".utf8), Data("no line".utf8)]
        let all = Data(sent.joined(separator: "\n".utf8))
        Thread.detachNewThread {
            var start = 0
            while start < all.count {
                let count = all.withUnsafeBytes {
                    send(writer.descriptor, $0.baseAddress.map { $0 + start }, all.count - start, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                start += count
            }
            close(writer.descriptor)
        }
        for line in lines { #expect(reader.readLine(timeout: 60) == line) }
        #expect(reader.readLine(timeout: 60) == tooLong.prefix(UnixSocket.lineLimit))
        #expect(reader.readLine(timeout: 60) == Data("end".utf8))
        #expect(reader.readLine(timeout: 60) == nil, "the last line does not end")
    }

    @Test func whatIsNoSocketIsNotReplacedByOne() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/cities.sqlite"
        try Data("a table".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DaemonError.self) { try UnixSocket.listening(at: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("a table".utf8))
    }
}
