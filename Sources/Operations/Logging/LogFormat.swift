import Foundation

/// The format of log lines on standard error.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: time, level, message, then keys with values: `2026-03-01T10:15:00.000Z info    poll ended
    /// source=quakes new=3`.
    case logfmt
    /// For programs: one JSON object a line, with `time` (RFC 3339, UTC), `level`, `message` and the keys. In the
    /// journal, which takes it off, the priority precedes it.
    case json
    /// For the journal: as `logfmt`, but with the priority 2…7 in front (`<6>`) instead of time and level;
    /// sd-daemon(3).
    case journal

    /// The journal's format if standard error is the stream that `JOURNAL_STREAM` names by device and inode
    /// (systemd.exec(5)), otherwise logfmt. Shells on a desktop inherit the variable, but not the stream.
    public static func automatic(environment: [String: String]) -> LogFormat {
        guard let stream = environment["JOURNAL_STREAM"] else { return .logfmt }
        var facts = stat()
        guard fstat(STDERR_FILENO, &facts) == 0 else { return .logfmt }
        return stream == "\(facts.st_dev):\(facts.st_ino)" ? .journal : .logfmt
    }
}
