import Foundation

/// How many starts in a row have come to nothing, kept in the service's runtime directory.
///
/// systemd before 254 restarts after a pause that never grows (`RestartSteps=` is newer), so the program that could not
/// start makes it grow by ending later. The directory outlives restarts (`RuntimeDirectoryPreserve=restart`) and goes
/// when the service is stopped, so `systemctl stop` begins anew.
struct FailedStarts: Sendable {
    private let file: String?

    /// `RestartSec=` of the unit.
    private static let restartPause = Duration.seconds(10)
    /// With `RestartSec=` 16 minutes, as the longest pause of a store that cannot be written.
    private static let longest = Duration.seconds(950)

    /// - Parameter directory: `RUNTIME_DIRECTORY`, of which the first counts; nil: nothing is counted.
    init(directory: String?) {
        file = directory?.split(separator: ":").first.map { "\($0)/failed-starts" }
    }

    /// Counts one more; returns how long to wait before the program ends.
    func count() -> Duration {
        guard let file else { return .zero }
        let before = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0) } ?? 0
        let failures = min(max(before, 0), 1000) + 1
        // Without a disk to write on it stays the first failure.
        try? "\(failures)".write(toFile: file, atomically: false, encoding: .utf8)
        return Self.pause(after: failures)
    }

    /// The start has come to something.
    func forget() { if let file { unlink(file) } }

    /// With `RestartSec=` each try comes 10, 20, 40, 80 … s after the one before.
    static func pause(after failures: Int) -> Duration {
        min(restartPause * ((1 << min(max(failures, 1) - 1, 10)) - 1), longest)
    }
}
