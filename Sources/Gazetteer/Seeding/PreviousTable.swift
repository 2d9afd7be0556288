import Foundation
import SQLite

/// The present table, attached to its successor as `old`.
struct PreviousTable {
    /// Its inputs, as given to `CityTableBuilder.note`.
    let inputs: [String]

    /// Attaches the table as `old`; fails with `notATable` or `unreadable`.
    static func attached(_ path: String, to connection: Connection) -> Result<PreviousTable, GazetteerError> {
        do {
            try connection.run("ATTACH ? AS old", DatabaseFile.address(ofImmutable: path))
            let application = try connection.firstInt64("PRAGMA old.application_id") ?? 0
            let version = try connection.firstInt64("PRAGMA old.user_version") ?? 0
            guard application == CityTableSchema.applicationID, version == CityTableSchema.version else {
                try connection.run("DETACH old")
                return .failure(
                    GazetteerError(
                        .notATable, "\(path) is no city table of this version, so nothing of it can be kept"))
            }
            let find = try connection.prepare("SELECT value FROM old.meta WHERE key = 'inputs'")
            let text = try find.step() ? find.string(0) : "[]"
            find.reset()
            let inputs = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
            return .success(PreviousTable(inputs: inputs ?? []))
        } catch {
            return .failure(GazetteerError.unreadable(table: path, error))
        }
    }

    /// Refuses to replace a file that is not a city table: another database, or the input itself.
    static func refuseForeignFile(_ path: String) throws(GazetteerError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GazetteerError(.cannotWrite, "\(path) is no regular file, and is not replaced; choose another path")
        }
        // <https://www.sqlite.org/fileformat2.html#the_database_header>
        guard let header = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 72), !header.isEmpty else { return }
        let isSQLite = header.count == 72 && header.starts(with: Array("SQLite format 3\0".utf8))
        let application = header.dropFirst(68).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard isSQLite, application == CityTableSchema.applicationID else {
            throw GazetteerError(
                .cannotWrite,
                "\(path) is no city table\(isSQLite ? " but another SQLite database" : ""), and is not replaced; "
                    + "remove it, or choose another path")
        }
    }
}
