import Foundation
import Synchronization

/// A `visiventd seed cities -` of the present build, and the lines it writes to standard error.
public final class SeedProcess: Sendable {
    /// Lines on standard error.
    public let lines = Facts<String>()
    private let exits = Facts<Int32>()
    private let running = Mutex<pid_t?>(nil)
    /// Our end of its standard input: a socket, since writing into a pipe without a reader would end this program.
    private let input: Int32

    /// Starts it.
    /// - Parameters:
    ///   - table: path of the city table.
    ///   - onLine: called with each line as it is read.
    public init(table: String, onLine: @escaping @Sendable (SeedProcess, String) -> Void = { _, _ in }) throws {
        guard let executable = DaemonProcess.executable else { throw CocoaError(.fileNoSuchFile) }
        var inputs: [Int32] = [0, 0]
        var outputs: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &inputs) == 0,
            pipe(&outputs) == 0
        else { throw POSIXError(.EMFILE) }
        for end in outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = inputs[1]
        let process = Process()
        process.executableURL = executable
        process.arguments = ["seed", "cities", "-", "--table", table]
        process.standardInput = FileHandle(fileDescriptor: inputs[0], closeOnDealloc: false)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: outputs[1], closeOnDealloc: false)
        process.terminationHandler = { [self] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            exits.append(isSignal ? -process.terminationStatus : process.terminationStatus)
            running.withLock { $0 = nil }
        }
        do {
            try process.run()
        } catch {
            // Our end of the input goes with this object.
            for end in [inputs[0]] + outputs { close(end) }
            throw error
        }
        let identifier = process.processIdentifier
        running.withLock { $0 = identifier }
        if !exits.all.isEmpty { running.withLock { $0 = nil } }
        close(inputs[0])
        close(outputs[1])
        let reader = outputs[0]
        Thread.detachNewThread { [self] in
            readLines(of: reader) { line in
                lines.append(line)
                onLine(self, line)
            }
            lines.finish()
        }
    }

    deinit { close(input) }

    /// Sends it bytes from a thread of its own; afterwards it is killed, or its input ends or (not `ending`) stays open.
    public func feed(_ bytes: ArraySlice<UInt8>, thenKill isVictim: Bool, ending: Bool = true) {
        Thread.detachNewThread { [self] in
            bytes.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let more = send(
                        input, bytes.baseAddress.map { $0 + sent }, min(1 << 16, bytes.count - sent),
                        Int32(MSG_NOSIGNAL))
                    guard more > 0 else { break }
                    sent += more
                }
            }
            if isVictim { signal(SIGKILL) } else if ending { shutdown(input, Int32(SHUT_WR)) }
        }
    }

    /// Sends a signal if it still runs.
    public func signal(_ number: Int32) {
        running.withLock { identifier in
            if let identifier { _ = kill(identifier, number) }
        }
    }

    /// Waits for its end: the exit code, or the signal's number made negative; nil when the test's time is over.
    public func exit() async -> Int32? {
        _ = await exits.wait { !$0.isEmpty }
        return exits.all.first
    }
}
