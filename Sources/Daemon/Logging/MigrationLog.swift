import Logging
import Model
import Store

extension Logger {
    /// Writes what happens to a database of an older schema; docs/logs.md describes the lines.
    func migration(_ step: MigrationStep) {
        switch step {
        case .copying: break
        case .copied(let copy, let duration):
            notice(
                "database copied before its migration",
                metadata: [
                    "copy": "\(copy.path)", "schema": "\(copy.schemaVersion)", LogKey.bytes: "\(copy.bytes)",
                    LogKey.duration: "\(duration.compact)",
                ])
        case .migrating(let from, let to):
            notice("database is migrated", metadata: ["schema": "\(from)", "new_schema": "\(to)"])
        case .migrated(_, let to):
            notice("database has been migrated", metadata: ["schema": "\(to)"])
        }
    }
}
