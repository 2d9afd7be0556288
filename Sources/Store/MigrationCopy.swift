import Foundation
import SQLite

/// What happens to a file of an older schema when it is opened.
public enum MigrationStep: Sendable, Hashable {
    /// A copy is being made at the path: this part is written, 0…1; called several times a second.
    case copying(to: String, part: Double)
    /// The copy is there, checked and synced.
    case copied(DatabaseCopy, Duration)
    /// The migration begins.
    case migrating(from: Int, to: Int)
    /// The file has its new schema.
    case migrated(from: Int, to: Int)
}

/// The copy of a database as it was before its migration, `<database>.schema-<version>`, for who wants to go back.
///
/// The one of the last migration is kept, until the next one or until somebody deletes it.
struct MigrationCopy {
    /// Path of the database.
    let database: String
    /// Its schema version before the migration.
    let from: Int
    /// Told how far it is.
    let report: (MigrationStep) -> Void

    /// Makes the copy; one of an earlier try under the same name goes, as older than the database.
    /// - Throws: `StoreError`, `full` when there is no room for it; then nothing has been migrated.
    func make(freeBytes: (String) -> Int64?) throws(StoreError) {
        let path = "\(database).schema-\(from)"
        remove { $0.suffix.hasPrefix(".partial-") }
        let report = self.report
        let begun = ContinuousClock.now
        do throws(StoreError) {
            let copy = try DatabaseCopy.make(
                of: database, to: path, isReplacing: true, check: .quick, freeBytes: freeBytes
            ) { progress in
                if case .copying(let part) = progress { report(.copying(to: path, part: part)) }
            }
            report(.copied(copy, ContinuousClock.now - begun))
        } catch {
            throw StoreError(error.code, "Nothing has been migrated. \(error.message)")
        }
    }

    /// Removes the copies of earlier migrations.
    func removeOlder() {
        remove { $0.version < from && $0.suffix.isEmpty }
    }

    private func remove(_ isUnwanted: ((version: Int, suffix: Substring)) -> Bool) {
        let folder = DatabasePath.folder(of: database)
        let prefix = DatabasePath.name(of: database) + ".schema-"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            let rest = name.dropFirst(prefix.count)
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let version = Int(digits) else { continue }
            if isUnwanted((version, rest.dropFirst(digits.count))) { unlink(folder + "/" + name) }
        }
    }
}
