import Foundation
import ProcessSupport
import TestSupport
import Testing

/// What `serve` refuses before it listens.
@Suite(
    .enabled(if: DaemonProcess.executable != nil, "the executable visiventd is not beside the test program"),
    .timeLimit(.minutes(60)))
struct ServeCommandTests {
    private let directory = TemporaryDirectory()

    private func serve(_ arguments: String...) async throws -> MeasuredRun {
        try await MeasuredRun.of([try #require(DaemonProcess.executable?.path), "serve"] + arguments)
    }

    @Test func anAddressThatIsNoneIsAUsageError() async throws {
        let run = try await serve("--database", directory.path + "/e.sqlite", "--listen", "localhost:8423")
        #expect(run.status == 64)
        #expect(run.errors.contains("--listen takes a numeric ADDRESS:PORT"), "\(run.errors)")
    }

    @Test func aListenerThatCannotBeOpenedIsNamed() async throws {
        let socket = "unix:\(directory.path)/missing/h.sock"
        let run = try await serve("--database", directory.path + "/e.sqlite", "--listen", socket)
        #expect(run.status == 69)
        #expect(run.errors.contains("\(socket) cannot be listened at: "), "\(run.errors)")
    }

    @Test("where starting again cannot help, the unit does not: exit code 78, with the reason")
    func finalFaults() async throws {
        let database = directory.path + "/e.sqlite"
        let path = directory.path + "/h.sock"
        try Data().write(to: URL(fileURLWithPath: path))
        // A port of this machine at which this test listens.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                bind(descriptor, address, length) == 0, listen(descriptor, 1) == 0
            else { return -1 }
            return getsockname(descriptor, address, &length)
        }
        try #require(status == 0)
        let port = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
        for (arguments, words) in [
            (["--database", database, "--listen", port], "\(port) cannot be listened at: Address already in use"),
            (["--database", database, "--listen", "unix:\(path)"], "something that is no socket is there"),
            (["--config", directory.path + "/missing.yaml"], "missing.yaml: cannot be read: No such file"),
        ] {
            let program = try #require(DaemonProcess.executable).path
            let run = try await MeasuredRun.of([program, "serve"] + arguments)
            #expect(run.status == 78, "\(arguments): \(run.errors)")
            #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
        }
    }

    @Test(arguments: [8, 64]) func tooFewDescriptorsAreNamed(limit: Int) async throws {
        let program = try #require(DaemonProcess.executable).path
        let run = try await MeasuredRun.of([
            "bash", "-c", "ulimit -n \(limit); exec \"$@\"", "bash", program, "serve", "--database",
            directory.path + "/e.sqlite", "--listen", "unix:\(directory.path)/h.sock",
        ])
        #expect(run.status == 78)
        #expect(run.errors.contains("only \(limit) files may be open"), "\(run.errors)")
        #expect(run.errors.contains("allow at least 65"), "\(run.errors)")
    }

    @Test func allFaultsOfTheConfigurationComeAtOnce() async throws {
        let file = directory.path + "/v.yaml"
        let text = "serve:\n  listen: nowhere\n  cors: ['*']\nsources: [{name: a, kind: usgs}]\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let run = try await serve("--config", file)
        #expect(run.status == 78)
        #expect(run.errors.contains("serve.listen[0]") && run.errors.contains("serve.cors[0]"), "\(run.errors)")
    }
}
