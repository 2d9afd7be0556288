import Foundation
import Synchronization

/// A `visiventd seed cities -` of the present build, and its lines on standard error.
public final class SeedProcess: Sendable {
    /// Its lines on standard error.
    public let lines = Facts<String>()
    private let exits = Facts<Int32>()
    private let running = Mutex<pid_t?>(nil)
    /// Our end of its standard input: a socket, since writing to a pipe without a reader would end this program.
    private let input: Int32

    /// Starts the program.
    /// - Parameters:
    ///   - table: Path of the city table.
    ///   - onLine: Called with each line as it is read, on a thread of its own.
    /// - Throws: `CocoaError` without a program; `POSIXError` without descriptors; errors of spawning.
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
            // Our end of the input is closed by `deinit`.
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

    /// Sends bytes from a thread of its own. Then the process is killed if `isVictim`, else its input ends if `ending`.
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

    /// Sends a signal if the process still runs.
    public func signal(_ number: Int32) {
        running.withLock { identifier in
            if let identifier { _ = kill(identifier, number) }
        }
    }

    /// Waits for the end: the exit code, or the negated number of the signal; nil at the test's time limit.
    public func exit() async -> Int32? {
        _ = await exits.wait { !$0.isEmpty }
        return exits.all.first
    }
}
