import Foundation
import Model

/// Decides whether the wall clock can be believed, and how far truncation may go when it cannot.
///
/// Wall time is trusted when it is not before the last trusted time this database has seen and agrees with the Date
/// header of the server that answered last. Where all sources are files there is no server to ask, and it is believed.
struct ClockJudge: Sendable {
    /// How far wall time may be from a server's Date header (RFC 9110 §6.6.1) before it is doubted.
    static let tolerance = 600.0

    private let lastTrusted: Date?
    /// What the last server's Date header said of our clock, and when; nil before the first.
    private var verdict: (agrees: Bool, at: Moment)?
    private var lastTruncation: (asOf: Date, uptime: Duration)?

    init(lastTrusted: Date?, lastTruncation: Date?, hasServers: Bool, at now: Moment) {
        self.lastTrusted = lastTrusted
        self.lastTruncation = lastTruncation.map { ($0, now.uptime) }
        if !hasServers { verdict = (true, now) }
    }

    /// From now on all sources are files: there is no server to ask.
    mutating func believe(at now: Moment) { verdict = (true, now) }

    /// Whether `now.wall` can be believed: a clock that has stepped since a server agreed has to be confirmed anew.
    func isTrusted(_ now: Moment) -> Bool {
        guard let verdict, verdict.agrees, now.wall >= (lastTrusted ?? .distantPast) else { return false }
        return abs(now.wall.timeIntervalSince(verdict.at.wall(at: now.uptime))) <= Self.tolerance
    }

    /// Takes a server's Date header; returns whether that changed the verdict.
    mutating func observe(serverDate: Date, at now: Moment) -> Bool {
        let agrees = abs(serverDate.timeIntervalSince(now.wall)) <= Self.tolerance
        defer { verdict = (agrees, now) }
        return agrees != (verdict?.agrees ?? true)
    }

    /// The time as of which truncation may run now: wall time when it is trusted, else no more than the time that has
    /// really passed since the last run; nil when nothing is known.
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
