import Foundation

/// Mounts that only chosen processes see (mount_namespaces(7)). A shell holds them until this object is released.
///
/// Root needs nothing else; other users also get a user namespace, where the system permits that.
public final class Enclave: Sendable {
    /// The failure of a setup script, or of the system to give it mounts of its own.
    public struct Refusal: Error, CustomStringConvertible {
        /// The output and errors of the shell, its lines joined by `; `.
        public var description: String
    }

    /// Whether this system permits mounts of a process's own; the first use tries a tmpfs and blocks.
    public static let isPermitted = permits("mount -t tmpfs none /mnt")
    /// Whether the effective user is root, which needs no user namespace.
    public static let isRoot = geteuid() == 0

    private static let flags =
        (isRoot ? [] : ["--user", "--map-root-user"]) + ["--mount", "--propagation", "private"]

    /// The shell that holds the mounts.
    private let holder: pid_t
    /// Our end of the shell's standard input; the shell ends when it closes.
    private let input: Int32

    /// Whether a bash script, which ends at its first error, succeeds with mounts of its own, which end with it. It
    /// blocks until then; false also if it cannot be run.
    public static func permits(_ script: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare"] + flags + ["bash", "-ec", script]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// Creates the mounts and returns once they are there.
    /// - Parameter setup: Bash script that mounts; it ends at its first error.
    /// - Throws: `Refusal` if the script fails, or at the test's time limit; `POSIXError.EMFILE` without descriptors;
    ///   errors of spawning.
    public init(_ setup: String) async throws {
        var inputs: [Int32] = [0, 0]
        var outputs: [Int32] = [0, 0]
        guard pipe(&inputs) == 0, pipe(&outputs) == 0 else { throw POSIXError(.EMFILE) }
        for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare"] + Self.flags + ["bash", "-ec", "\(setup)\necho ready\nread -r || true"]
        process.standardInput = FileHandle(fileDescriptor: inputs[0], closeOnDealloc: false)
        process.standardOutput = FileHandle(fileDescriptor: outputs[1], closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: outputs[1], closeOnDealloc: false)
        input = inputs[1]
        do {
            try process.run()
        } catch {
            // `deinit` does not run for an object that is not fully initialised.
            for end in inputs + outputs { close(end) }
            throw error
        }
        holder = process.processIdentifier
        close(inputs[0])
        close(outputs[1])
        let lines = Facts<String>()
        let reader = outputs[0]
        Thread.detachNewThread {
            readLines(of: reader) { lines.append($0) }
            lines.finish()
        }
        guard await lines.wait(until: { $0.contains("ready") }) else {
            throw Refusal(description: lines.all.joined(separator: "; "))
        }
    }

    deinit { close(input) }

    /// The words to put before a command so that it runs among these mounts: `nsenter` with its options.
    public var prefix: [String] {
        ["nsenter", "--target", "\(holder)"] + (Self.isRoot ? [] : ["--user", "--preserve-credentials"]) + ["--mount"]
    }

    /// Runs a bash script among these mounts, to its end or its first error; `MeasuredRun.status` tells which.
    /// - Throws: The errors of `MeasuredRun.of`.
    public func run(_ script: String) async throws -> MeasuredRun {
        try await MeasuredRun.of(prefix + ["bash", "-ec", script])
    }
}
