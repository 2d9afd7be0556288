import Foundation
import Synchronization

/// A completed run of a program: output, duration and peak memory.
public struct MeasuredRun: Sendable {
    /// The exit code, 0…255, or the negated number of the signal that ended the run, such as -9.
    public var status: Int32
    /// Standard output, decoded as UTF-8 (U+FFFD for other bytes).
    public var output: String
    /// Standard error, decoded as UTF-8 (U+FFFD for other bytes).
    public var errors: String
    /// Time from start to end, on the continuous clock.
    public var duration: Duration
    /// Peak resident memory in bytes (VmHWM, proc(5)), as sampled every 2 ms; 0 if the run ended before a sample.
    public var peakBytes: Int

    /// Runs a command, found in the PATH, to its end; standard input is empty. The status is 127 if there is no such
    /// command (env(1)), and -9 if the test's time limit ends the run.
    /// - Parameter command: The program and its arguments; no shell reads them.
    /// - Throws: `CocoaError` if temporary files cannot be created; errors of spawning.
    public static func of(_ command: [String]) async throws -> MeasuredRun {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("visiventd-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["output", "errors"].map { folder.appendingPathComponent($0) }
        for file in files { try Data().write(to: file) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        // A process that has run is kept, and with it what it was given. `run` reads beyond its list of open files if
        // there are more than about 1300.
        defer { for handle in handles { try? handle.close() } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        let ends = Facts<DaemonProcess.Exit>()
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            ends.append(
                DaemonProcess.Exit(
                    status: isSignal ? -process.terminationStatus : process.terminationStatus, at: .now))
        }
        let begun = ContinuousClock.now
        try process.run()
        let identifier = process.processIdentifier
        let watch = MemoryWatch(of: identifier)
        let hasEnded = await ends.wait { !$0.isEmpty }
        watch.end()
        // The test's time limit was reached.
        if !hasEnded { kill(identifier, SIGKILL) }
        let end = ends.all.first
        let texts = files.map { String(decoding: (try? Data(contentsOf: $0)) ?? Data(), as: UTF8.self) }
        return MeasuredRun(
            status: end?.status ?? -SIGKILL, output: texts[0], errors: texts[1],
            duration: (end?.at ?? .now) - begun, peakBytes: watch.peakBytes)
    }

    /// Peak resident memory so far of the process with an id, in bytes (VmHWM, proc(5)); 0 without such a process.
    public static func peakBytes(of identifier: Int32) -> Int {
        let descriptor = open("/proc/\(identifier)/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return 0 }
        // `VmHWM:     41234 kB` (proc(5))
        for line in buffer[..<count].split(separator: 0x0A) where line.starts(with: "VmHWM:".utf8) {
            let digits = line.filter { (0x30...0x39).contains($0) }
            return (Int(String(decoding: digits, as: UTF8.self)) ?? 0) * 1024
        }
        return 0
    }
}

/// Samples the peak memory of a process until `end()`.
///
/// `ru_maxrss` of wait4(2) would be wrong: a spawned process starts in its parent's memory, and exec keeps that peak.
private final class MemoryWatch: Sendable {
    private struct State: Sendable {
        var peakBytes = 0
        var isOver = false
    }

    private let state = Mutex(State())

    init(of identifier: Int32) {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) {
                let now = MeasuredRun.peakBytes(of: identifier)
                state.withLock { $0.peakBytes = max($0.peakBytes, now) }
                usleep(2000)
            }
        }
    }

    var peakBytes: Int { state.withLock { $0.peakBytes } }

    func end() { state.withLock { $0.isOver = true } }
}
