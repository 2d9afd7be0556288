import Logging
import Model
import Operations
import Store

extension MigrationStep {
    /// The step in words for the service manager's status line.
    var words: String {
        switch self {
        case .copying(_, let part):
            "copying the database before its migration: \(Int(clamping: part * 10) * 10) %"
        case .copied: "the database has been copied"
        case .migrating(let from, let to): "migrating the database from schema \(from) to \(to)"
        case .migrated: "the database has been migrated"
        }
    }
}

extension Logger {
    /// Logs a step of a migration; docs/logs.md describes the lines.
    func migration(_ step: MigrationStep) {
        switch step {
        case .copying: break
        case .copied(let copy, let duration):
            notice(
                "database copied before its migration",
                metadata: [
                    "copy": "\(copy.path)", "schema": .number(copy.schemaVersion), LogKey.bytes: .number(copy.bytes),
                    LogKey.duration: .duration(duration),
                ])
        case .migrating(let from, let to):
            notice("database is migrated", metadata: ["schema": .number(from), "new_schema": .number(to)])
        case .migrated(_, let to):
            notice("database has been migrated", metadata: ["schema": .number(to)])
        }
    }
}
