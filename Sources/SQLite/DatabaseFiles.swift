import Foundation

/// The files behind a path, by device and inode: the database and its write-ahead log. Whoever has others open reads
/// what nobody writes any more.
package struct DatabaseFiles: Sendable, Hashable {
    /// The path with links followed, beside which the log is.
    private let resolved: String
    private let database: [UInt64]
    private let log: [UInt64]

    /// Finds the files; a missing one counts as a file of its own.
    package init(_ path: String) {
        resolved = DatabasePath.resolved(path)
        database = Self.identity(of: resolved)
        log = Self.identity(of: resolved + "-wal")
    }

    /// Whether the path still leads to the same files. Takes two system calls, since it does not follow links itself.
    package func areStill(at path: String) -> Bool {
        Self.identity(of: path) == database && Self.identity(of: resolved + "-wal") == log
    }

    private static func identity(of path: String) -> [UInt64] {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    }
}
