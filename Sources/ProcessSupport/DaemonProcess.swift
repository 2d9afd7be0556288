public import Foundation
import Synchronization

/// A `visiventd run`, or `serve`, of the present build, and its log lines.
///
/// It is kept until the process has ended; to end it, send a signal.
public final class DaemonProcess: Sendable {
    /// The program under test: the path in the environment's `VISIVENTD_PROGRAM`, else `visiventd` beside the test
    /// program; nil if it is not executable.
    public static let executable: URL? = {
        let beside = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let chosen = ProcessInfo.processInfo.environment["VISIVENTD_PROGRAM"].map { URL(fileURLWithPath: $0) }
        let url = chosen ?? beside.appendingPathComponent("visiventd")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    /// The end of a process.
    public struct Exit: Sendable {
        /// The exit code, 0…255, or the negated number of the signal that ended the process, such as -9.
        public var status: Int32
        /// When the end was noticed, which may be shortly after it.
        public var at: ContinuousClock.Instant
    }

    /// The lines of its log, without line breaks; the list is finished when the process has closed its standard error.
    public let lines = Facts<String>()
    private let exits = Facts<Exit>()
    private let running = Mutex<pid_t?>(nil)

    /// Starts the program.
    /// - Parameters:
    ///   - command: The subcommand with its options but `--config`; default: `run`.
    ///   - configuration: Path of the configuration file.
    ///   - prefix: Command that runs the daemon elsewhere, such as `nsenter` with its options; empty, the default:
    ///     here.
    ///   - onLine: Called with each line as it is read, on a thread of its own; default: nothing.
    /// - Throws: `CocoaError.fileNoSuchFile` without a program; `POSIXError.EMFILE` without descriptors; errors of
    ///   spawning.
    public init(
        _ command: [String] = ["run"], configuration: String, within prefix: [String] = [],
        onLine: @escaping @Sendable (DaemonProcess, String) -> Void = { _, _ in }
    ) throws {
        guard let executable = Self.executable else { throw CocoaError(.fileNoSuchFile) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = prefix + [executable.path] + command + ["--config", configuration]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        process.terminationHandler = { [self] process in
            let isSignal = process.terminationReason == .uncaughtSignal
            // The exit is recorded first: `init` checks for it after recording the process.
            exits.append(Exit(status: isSignal ? -process.terminationStatus : process.terminationStatus, at: .now))
            running.withLock { $0 = nil }
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
            readLines(of: reader) { line in
                lines.append(line)
                onLine(self, line)
            }
            lines.finish()
        }
    }

    /// The process id, which `nsenter` as prefix keeps; nil after the end.
    public var identifier: Int32? { running.withLock { $0 } }

    /// Sends a signal by its number (signal(7)) if the process still runs.
    public func signal(_ number: Int32) {
        running.withLock { identifier in
            if let identifier { _ = kill(identifier, number) }
        }
    }

    /// Waits for a line that contains all the given texts, past lines included; false if the log ends without one, or
    /// at the test's time limit.
    public func says(_ words: String...) async -> Bool {
        await lines.wait { lines in lines.contains { line in words.allSatisfy { line.contains($0) } } }
    }

    /// The lines so far that contain all the given texts, in order.
    public func linesHolding(_ words: String...) -> [String] {
        lines.all.filter { line in words.allSatisfy { line.contains($0) } }
    }

    /// Waits for the end of the process; nil at the test's time limit.
    public func exit() async -> Exit? {
        _ = await exits.wait { !$0.isEmpty }
        return exits.all.first
    }
}

/// Reads lines until the other end closes, then closes the descriptor; blocks.
func readLines(of descriptor: Int32, _ body: (String) -> Void) {
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
