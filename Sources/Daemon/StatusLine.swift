import Engine
import Foundation
import Model
import Operations
import Store

extension EngineSummary {
    /// The most names listed; further sources are counted.
    private static let maximumNames = 5

    /// The summary in one line for `systemctl status`, with wall times:
    /// `12 sources, 2 failing (bbc, usgs); next poll 2026-03-01T10:20:00Z`. Pauses of all polls and trouble with the
    /// clock and the configuration come first.
    /// - Parameter refused: A configuration that could not be put into force; nil if there is none.
    func line(at now: Moment, refused: RefusedConfiguration? = nil) -> String {
        var parts = pauses(at: now)
        if let clockError { parts.append("the clock is \(ClockError.words(clockError))") }
        if let setback { parts.append("polls postponed: \(setback)") }
        if let refused {
            let others = refused.faults.count > 1 ? " and \(refused.faults.count - 1) more" : ""
            parts.append("configuration \(refused.words): \(refused.faults.first ?? "")\(others)")
        }
        parts.append(counts)
        if enabled > 0, missingSpace == nil, storePausedUntil == nil {
            parts.append(nextPoll.map { "next poll \(Self.wall($0, now))" } ?? "polling")
        }
        return parts.joined(separator: "; ")
    }

    /// Why all polls pause, in words; empty if they do not.
    func pauses(at now: Moment) -> [String] {
        var parts: [String] = []
        if let missingSpace {
            parts.append("polls pause: disk, until \(missingSpace.asSize(isRoundedUp: true)) are free")
        }
        if let next = nextStoreTry(at: now) { parts.append("polls pause: nothing can be stored, next try \(next)") }
        return parts
    }

    /// When the store is tried again, in UTC; nil unless polls pause because it cannot be written.
    func nextStoreTry(at now: Moment) -> String? { storePausedUntil.map { Self.wall($0, now) } }

    private var counts: String {
        guard enabled > 0 else { return "no source is enabled" }
        let text = enabled == 1 ? "1 source" : "\(enabled) sources"
        guard !failing.isEmpty else { return text }
        var names = failing.prefix(Self.maximumNames).joined(separator: ", ")
        if failing.count > Self.maximumNames { names += " and \(failing.count - Self.maximumNames) more" }
        return "\(text), \(failing.count) failing (\(names))"
    }

    private static func wall(_ uptime: Duration, _ now: Moment) -> String {
        Date(timeIntervalSince1970: now.wall(at: uptime).timeIntervalSince1970.rounded()).rfc3339
    }
}
