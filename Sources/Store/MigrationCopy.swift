import Foundation
import SQLite

/// The steps of opening a file of an older schema, in this order; `from` and `to` are schema versions.
public enum MigrationStep: Sendable, Hashable {
    /// The copy is being written to the path. `part` is the part written, 0…1; reported several times a second.
    case copying(to: String, part: Double)
    /// The copy is complete, checked (`DatabaseCopy.Check.quick`) and synced; it took this time.
    case copied(DatabaseCopy, Duration)
    /// The migration begins; it takes seconds a GB.
    case migrating(from: Int, to: Int)
    /// The file has its new schema; copies of earlier migrations are removed next.
    case migrated(from: Int, to: Int)
}

/// The copy of a database before its migration, `<database>.schema-<version>`, which allows a return.
///
/// The copy of the last migration is kept until the next migration or until someone deletes it.
struct MigrationCopy {
    let database: String
    /// The schema version before the migration.
    let from: Int
    let report: (MigrationStep) -> Void

    /// Makes the copy. Replaces the copy of an earlier attempt, which is older than the database.
    /// - Parameter growth: The bytes that the migration takes beside the copy.
    /// - Throws: `StoreError`, such as `full` without room for the copy. Nothing has been migrated then.
    func make(leaving growth: Int64, freeBytes: (String) -> Int64?) throws(StoreError) {
        let path = "\(database).schema-\(from)"
        remove { $0.suffix.hasPrefix(".partial-") }
        let report = self.report
        let begun = ContinuousClock.now
        do throws(StoreError) {
            let copy = try DatabaseCopy.make(
                of: database, to: path, isReplacing: true, check: .quick, leaving: growth, freeBytes: freeBytes
            ) { progress in
                if case .copying(let part) = progress { report(.copying(to: path, part: part)) }
            }
            report(.copied(copy, ContinuousClock.now - begun))
        } catch {
            throw StoreError(error.code, "Nothing has been migrated. \(error.message)")
        }
    }

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
