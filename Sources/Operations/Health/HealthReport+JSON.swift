package import Foundation
import Model
import Reading

extension HealthReport {
    /// The report as one JSON object, as docs/operations.md describes it.
    /// - Parameters:
    ///   - now: Wall time of the check.
    ///   - isStrict: Whether a warning counts as failed in `status`; default false.
    ///   - completed: Completes the commands that a reason recommends; by default reasons stay as they are.
    package func json(
        at now: Date, isStrict: Bool = false, completed: (String) -> String = { $0 }
    ) -> String {
        let checks = verdicts.map { verdict in
            JSONWriter.object([
                "check": verdict.check.rawValue, "source": verdict.source, "status": verdict.level.name,
                "reason": completed(verdict.reason), "late_from": verdict.lateFrom?.timestamp,
            ])
        }
        return JSONWriter.object([
            "status": level(isStrict: isStrict).name, "time": now.timestamp, "checks": .array(checks),
        ])
    }
}
