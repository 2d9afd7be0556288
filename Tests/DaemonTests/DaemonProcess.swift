import Foundation
import Synchronization

/// A `visiventd run` of the present build, and the lines it writes.
final class DaemonProcess: Sendable {
    /// The folder of this test program, where the build puts the executables too.
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    /// The program under test; nil when it has not been built.
    static let executable: URL? = {
        let url = folder.appendingPathComponent("visiventd")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    /// How it ended: the exit code, or the signal's number made negative; and when.
    struct Exit: Sendable {
        var status: Int32
        var at: ContinuousClock.Instant
    }

    /// Lines of its log.
    let lines = Facts<String>()
    private let exits = Facts<Exit>()
    private let running = Mutex<pid_t?>(nil)

    /// Starts it.
    /// - Parameter onLine: Called with each line as it is read.
    init(configuration: String, onLine: @escaping @Sendable (DaemonProcess, String) -> Void = { _, _ in }) throws {
        guard let executable = Self.executable else { throw CocoaError(.fileNoSuchFile) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Process()
        process.executableURL = executable
        process.arguments = ["run", "--config", configuration]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        process.terminationHandler = { [self] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            // In this order: `init` looks whether it has ended after it has noted the process.
            exits.append(Exit(status: isSignal ? -process.terminationStatus : process.terminationStatus, at: .now))
            running.withLock { $0 = nil }
            lines.finish()
        }
        do {
            try process.run()
        } catch {
            for end in ends { close(end) }
            throw error
        }
        let identifier = process.processIdentifier
        running.withLock { $0 = identifier }
        if !exits.all.isEmpty { running.withLock { $0 = nil } }
        close(ends[1])
        let reader = ends[0]
        Thread.detachNewThread { [self] in
            Self.readLines(of: reader) { line in
                lines.append(line)
                onLine(self, line)
            }
        }
    }

    /// Sends a signal if it still runs.
    func signal(_ number: Int32) {
        running.withLock { identifier in
            if let identifier { _ = kill(identifier, number) }
        }
    }

    /// Waits for its end; nil when the test's time is over.
    func exit() async -> Exit? {
        _ = await exits.wait { !$0.isEmpty }
        return exits.all.first
    }

    private static func readLines(of descriptor: Int32, _ body: (String) -> Void) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                body(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        close(descriptor)
    }
}
