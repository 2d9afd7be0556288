import Foundation
import Synchronization

/// A `visiventd seed cities -` of the present build, which reads what `feed` sends, and its lines on standard error.
public final class SeedProcess: Sendable {
    /// Its lines on standard error, without line breaks; the list is finished when the process has closed it.
    public let lines = Facts<String>()
    private let exits = Facts<Int32>()
    private let running = Mutex<pid_t?>(nil)
    /// Our end of its standard input: a socket, since writing to a pipe without a reader would end this program.
    private let input: Int32

    /// Starts the program, whose input stays open until `feed` ends it.
    /// - Parameters:
    ///   - table: Path of the city table to be written.
    ///   - onLine: Called with each line as it is read, on a thread of its own; default: nothing.
    /// - Throws: `CocoaError.fileNoSuchFile` without a program; `POSIXError.EMFILE` without descriptors; errors of
    ///   spawning.
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

    /// Sends bytes to the program's input from a thread of its own and returns at once. Then the process is killed
    /// (SIGKILL) if `isVictim`, else its input ends if `ending`, the default. The rest is dropped if the program has
    /// ended.
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

    /// Sends a signal by its number (signal(7)) if the process still runs.
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
