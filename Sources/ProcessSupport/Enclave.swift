import Foundation

/// Mounts that only chosen processes see (mount_namespaces(7)). A shell holds them until this object is released.
///
/// Root needs nothing else; other users also get a user namespace, where the system permits that.
public final class Enclave: Sendable {
    /// Failure of the setup script.
    public struct Refusal: Error, CustomStringConvertible {
        /// The output of the shell.
        public var description: String
    }

    /// Whether this system permits mounts.
    public static let isPermitted = permits("mount -t tmpfs none /mnt")
    /// Whether the user is root, which needs no user namespace.
    public static let isRoot = geteuid() == 0

    private static let flags =
        (isRoot ? [] : ["--user", "--map-root-user"]) + ["--mount", "--propagation", "private"]

    /// The shell that holds the mounts.
    private let holder: pid_t
    /// Our end of the shell's standard input; the shell ends when it closes.
    private let input: Int32

    /// Whether a shell script succeeds with mounts of its own, which end with it.
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

    /// Creates the mounts.
    /// - Parameter setup: Shell script that mounts.
    /// - Throws: `Refusal` if the script fails; errors of spawning.
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

    /// The command prefix that runs another command among these mounts.
    public var prefix: [String] {
        ["nsenter", "--target", "\(holder)"] + (Self.isRoot ? [] : ["--user", "--preserve-credentials"]) + ["--mount"]
    }

    /// Runs a shell script among these mounts, to its end.
    public func run(_ script: String) async throws -> MeasuredRun {
        try await MeasuredRun.of(prefix + ["bash", "-ec", script])
    }
}
