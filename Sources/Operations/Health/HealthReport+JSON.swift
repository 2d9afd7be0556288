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
        var document = JSONWriter()
        document.member("status", level(isStrict: isStrict).name)
        document.member("time", now.timestamp)
        let checks = verdicts.map { verdict in
            var object = JSONWriter()
            object.member("check", verdict.check.rawValue)
            object.member("source", verdict.source)
            object.member("status", verdict.level.name)
            object.member("reason", completed(verdict.reason))
            object.member("late_from", verdict.lateFrom?.timestamp)
            return object.finish()
        }
        document.member("checks", raw: "[" + checks.joined(separator: ",") + "]")
        return document.finish()
    }
}
