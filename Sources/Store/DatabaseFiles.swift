import Foundation
import SQLite

/// The files behind a path, by device and inode: the database and its write-ahead log. Whoever has others open reads
/// what nobody writes any more.
struct DatabaseFiles: Sendable, Hashable {
    private let database: [UInt64]
    private let log: [UInt64]

    /// Finds the files; a missing one counts as a file of its own.
    init(_ path: String) {
        let path = DatabasePath.resolved(path)
        database = Self.identity(of: path)
        log = Self.identity(of: path + "-wal")
    }

    private static func identity(of path: String) -> [UInt64] {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    }
}
