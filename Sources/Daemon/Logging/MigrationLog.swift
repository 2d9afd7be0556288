import Logging
import Model
import Operations
import Store

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
