import Engine
import Foundation
import Model

extension EngineSummary {
    /// Names that are listed; the others are counted.
    private static let mostNames = 5

    /// The summary in one line for `systemctl status`, with times of the wall clock:
    /// `12 sources, 2 failing (bbc, usgs); next poll 2026-03-01T10:20:00Z`.
    func line(at now: Moment) -> String {
        guard enabled > 0 else { return "No source is enabled" }
        var text = enabled == 1 ? "1 source" : "\(enabled) sources"
        if !failing.isEmpty {
            var names = failing.prefix(Self.mostNames).joined(separator: ", ")
            if failing.count > Self.mostNames { names += " and \(failing.count - Self.mostNames) more" }
            text += ", \(failing.count) failing (\(names))"
        }
        if let storePausedUntil {
            return "\(text); nothing can be stored, next try \(Self.wall(storePausedUntil, now))"
        }
        return text + (nextPoll.map { "; next poll \(Self.wall($0, now))" } ?? "; polling")
    }

    private static func wall(_ uptime: Duration, _ now: Moment) -> String {
        Date(timeIntervalSince1970: now.wall(at: uptime).timeIntervalSince1970.rounded()).rfc3339
    }
}
