import Foundation
import Model
import Store

/// What monitoring plugins print first (<https://www.monitoring-plugins.org/doc/guidelines.html>).
extension HealthReport {
    /// The most verdicts with their reasons in the summary.
    private static let mostReasons = 3

    /// The worst level; with `isStrict` a warning counts as failed.
    package func level(isStrict: Bool) -> Level { isStrict && level == .warning ? .failed : level }

    /// The report in one line:
    /// `VISIVENTD WARNING - 2 of 12 checks: source bbc: REASON; clock: REASON | free=1073741824B;…`. After the bar come
    /// figures for graphs (performance data); a bar in a reason becomes a slash.
    /// - Parameters:
    ///   - facts: The facts that the report was made of.
    ///   - isStrict: Whether a warning counts as failed.
    ///   - completed: Completes the commands that a reason recommends; by default reasons stay as they are.
    package func summary(
        of facts: HealthFacts, isStrict: Bool = false, completed: (String) -> String = { $0 }
    ) -> String {
        let word =
            switch level(isStrict: isStrict) {
            case .ok: "OK"
            case .warning: "WARNING"
            case .failed: "CRITICAL"
            case .unknown: "UNKNOWN"
            }
        let wrong = verdicts.filter { $0.level != .ok }
        var text = "VISIVENTD \(word) - "
        if wrong.isEmpty {
            text += verdicts.count.counted("check")
        } else {
            var reasons = wrong.prefix(Self.mostReasons).map { "\($0.title): \(completed($0.reason))" }
            if wrong.count > Self.mostReasons { reasons.append("and \(wrong.count - Self.mostReasons) more") }
            text += "\(wrong.count) of \(verdicts.count.counted("check")): " + reasons.joined(separator: "; ")
        }
        let figures = Self.figures(of: facts, verdicts)
        return text.withoutBars + (figures.isEmpty ? "" : " | " + figures.joined(separator: " "))
    }

    /// `LABEL=VALUE[UNIT];[WARN];[CRITICAL];[MINIMUM]` for each figure that is known.
    private static func figures(of facts: HealthFacts, _ verdicts: [Verdict]) -> [String] {
        guard !facts.settings.database.isEmpty else { return [] }
        var figures: [String] = []
        // Below the floor is critical: a range with a lower end alone.
        if let free = facts.freeBytes { figures.append("free=\(free)B;;\(facts.freeBytesFloor):;0") }
        figures += ["database=\(facts.databaseBytes)B;;;0", "wal=\(facts.walBytes)B;;;0"]
        guard case .success(let stored) = facts.stored else { return figures }
        let sources = verdicts.filter { $0.check == .source }
        return figures + [
            "sources=\(sources.count);;;0", "late=\(sources.count(where: { $0.level != .ok }));;;0",
            "new_events=\(stored.queue.newEvents);;;0", "questions=\(stored.queue.waitingQuestions);;;0",
        ]
    }
}

extension HealthReport.Verdict {
    /// What was checked, in words: `city table`, `source bbc`.
    package var title: String {
        let name = check == .cityTable ? "city table" : check.rawValue
        return name + (source.map { " \($0)" } ?? "")
    }
}

extension String {
    /// The text with slashes in place of bars, which begin the figures of a plugin's line.
    package var withoutBars: String { replacingOccurrences(of: "|", with: "/") }
}
