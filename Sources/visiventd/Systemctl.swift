import Foundation
import Operations

/// What systemd shows of units.
enum Systemctl {
    /// The installed unit of that name; nil if systemd does not run, does not answer, or has no such unit for this
    /// configuration. Blocks for the answer.
    static func unit(_ name: String, configuration: String) -> InstalledUnit? {
        // sd_booted(3)
        guard access("/run/systemd/system", F_OK) == 0 else { return nil }
        let process = Process()
        // A service manager that hangs must not hold up whoever asks.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = [
            "5", "systemctl", "show", "--property=" + InstalledUnit.properties.joined(separator: ","), name,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let shown = try? pipe.fileHandleForReading.read(upToCount: 1 << 20)
        try? pipe.fileHandleForReading.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let shown else { return nil }
        return InstalledUnit(name, shown: String(decoding: shown, as: UTF8.self), configuration: configuration)
    }
}
