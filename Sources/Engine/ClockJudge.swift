import Foundation
import Model

/// Decides whether wall time is trusted, and the time as of which truncation may run.
///
/// Wall time is trusted if it agrees with the last server's Date header and is not before the last trusted time in the
/// database. No header is needed if all enabled sources are files.
struct ClockJudge: Sendable {
    /// The largest trusted difference between wall time and a Date header (RFC 9110 §6.6.1), in seconds.
    static let tolerance = 600.0

    private let lastTrusted: Date?
    /// Whether the last Date header agreed with wall time, and when it arrived; nil before the first.
    private var verdict: (agrees: Bool, at: Moment)?
    /// How far the last Date header was from wall time, in seconds (server minus ours), if they disagree.
    private(set) var error: Double?
    private var lastTruncation: (asOf: Date, uptime: Duration)?

    init(lastTrusted: Date?, lastTruncation: Date?, hasServers: Bool, at now: Moment) {
        self.lastTrusted = lastTrusted
        self.lastTruncation = lastTruncation.map { ($0, now.uptime) }
        if !hasServers { verdict = (true, now) }
    }

    /// Trusts wall time without a server: from now on all enabled sources are files.
    mutating func believe(at now: Moment) {
        verdict = (true, now)
        error = nil
    }

    /// Whether `now.wall` is trusted. A clock that has stepped since the last agreement must be confirmed again.
    func isTrusted(_ now: Moment) -> Bool {
        guard let verdict, verdict.agrees, now.wall >= (lastTrusted ?? .distantPast) else { return false }
        return abs(now.wall.timeIntervalSince(verdict.at.wall(at: now.uptime))) <= Self.tolerance
    }

    /// Takes a server's Date header; returns whether that changed the verdict.
    mutating func observe(serverDate: Date, at now: Moment) -> Bool {
        let difference = serverDate.timeIntervalSince(now.wall)
        let agrees = abs(difference) <= Self.tolerance
        error = agrees ? nil : difference
        defer { verdict = (agrees, now) }
        return agrees != (verdict?.agrees ?? true)
    }

    /// The time as of which truncation may run: wall time if it is trusted, otherwise the time of the last run plus the
    /// uptime since then, at most wall time. Nil if wall time is not trusted and no run is known.
    mutating func truncationTime(_ now: Moment) -> Date? {
        if isTrusted(now) {
            lastTruncation = (now.wall, now.uptime)
            return now.wall
        }
        guard let last = lastTruncation else { return nil }
        let passed = last.asOf.addingTimeInterval((now.uptime - last.uptime).seconds)
        let asOf = min(passed, now.wall)
        lastTruncation = (max(last.asOf, asOf), now.uptime)
        return asOf
    }
}
