import Control
import Engine
import Store

extension ReloadReport {
    /// The refusal for `status`; nil if the configuration is in force.
    /// - Parameter obstacle: Why a file that is refused cannot come into force.
    func refusal(_ obstacle: RefusedConfiguration.Obstacle) -> RefusedConfiguration? {
        switch outcome {
        case .inForce: nil
        case .refused(let faults): RefusedConfiguration(at: since, faults: faults, obstacle: obstacle)
        case .unread(let reasons): RefusedConfiguration(at: since, faults: reasons, obstacle: .unread)
        case .failed(let reason, _): RefusedConfiguration(at: since, faults: [reason], obstacle: .unstored)
        }
    }

    /// The sources with new settings, for `health`; nil: all, because more than sources changed. Empty if it is not in
    /// force.
    func renewed(_ others: SettingsChanges) -> [String]? {
        guard case .inForce(let changes) = outcome else { return [] }
        return others.atOnce.isEmpty ? changes.added + changes.changed : nil
    }

    /// The report in one line for people.
    /// - Parameter others: Changes apart from the sources.
    func summary(_ others: SettingsChanges) -> String {
        switch outcome {
        case .inForce(let changes):
            var parts: [String] = []
            for (word, names) in [
                ("added", changes.added), ("changed", changes.changed + others.atOnce), ("removed", changes.removed),
                ("secret missing", others.missingSecrets), ("secret no longer missing", others.foundSecrets),
                ("in force after a restart", others.afterRestart),
            ] where !names.isEmpty {
                parts.append("\(word): \(names.joined(separator: ", "))")
            }
            parts += others.ages
            return parts.isEmpty ? "nothing has changed" : parts.joined(separator: "; ")
        case .refused(let faults): return faults.joined(separator: "; ")
        case .unread(let reasons): return "\(reasons.joined(separator: "; ")); it is tried again"
        case .failed(let reason, let isTransient):
            return "the configuration cannot be stored: \(reason)\(isTransient ? "; it is tried again" : "")"
        }
    }

    /// The answer to `visiventd reload`.
    func replies(_ others: SettingsChanges) -> [ControlReply] {
        switch outcome {
        case .inForce: [ControlReply(message: summary(others))]
        case .refused(let faults): faults.map { ControlReply(fault: $0) }
        case .unread, .failed: [ControlReply(message: summary(others), isSuccess: false)]
        }
    }
}

extension ControlReply {
    /// Creates a line about a fault of the configuration.
    fileprivate init(fault: String) {
        self.init(message: fault, isSuccess: false)
        isConfigurationFault = true
    }
}
