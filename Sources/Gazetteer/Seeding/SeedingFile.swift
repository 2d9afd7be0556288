import Foundation
import SQLite

/// The file of a generation in progress, `<table>.seeding-<16 hexadecimal digits>`, beside its table.
///
/// It is locked with flock(2) while a seeding works on it, which distinguishes it from the file of a killed one.
/// SQLite's own locks are POSIX locks, which are independent of flock.
final class SeedingFile {
    /// Path of the file in progress.
    let path: String

    private let table: String
    private let descriptor: Int32
    private var isHere = true

    private static let infix = ".seeding-"

    /// Creates and locks the file.
    init(table: String) throws(GazetteerError) {
        self.table = table
        while true {
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            let path = table + Self.infix + String(repeating: "0", count: 16 - digits.count) + digits
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else {
                if errno == EEXIST || errno == EINTR { continue }
                throw Self.cannotWrite("\(table) cannot be seeded: \(path) cannot be created", errno)
            }
            UnfinishedFiles.add(path)
            // Another seeding may have cleaned up between the two calls and removed the name.
            var status = stat()
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            let error = errno
            if isLocked, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                // Readers need this mode, whatever the umask is.
                fchmod(descriptor, 0o644)
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
            UnfinishedFiles.forget(path)
            guard isLocked || error == EWOULDBLOCK else {
                unlink(path)
                throw Self.cannotWrite("\(table) cannot be seeded: \(path) cannot be locked", error)
            }
        }
    }

    deinit {
        remove()
        close(descriptor)
    }

    /// Size in bytes.
    var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Syncs the file and renames it to the table.
    func putInPlace() throws(GazetteerError) {
        let problem = "the new city table cannot be put into its place; \(table) stays as it was"
        guard fsync(descriptor) == 0 else { throw Self.cannotWrite(problem, errno) }
        guard rename(path, table) == 0 else { throw Self.cannotWrite(problem, errno) }
        isHere = false
        UnfinishedFiles.forget(path)
        // The new name is in place. If the folder is not synced, a power failure brings the old table back.
        DatabasePath.syncFolder(of: table)
    }

    /// Removes the file, unless it has become the table.
    func remove() {
        guard isHere else { return }
        isHere = false
        unlink(path)
        UnfinishedFiles.forget(path)
    }

    // MARK: - Leftovers

    /// Removes the files of seedings that no longer run, and returns their number.
    static func removeLeftovers(table: String) -> Int {
        let folder = DatabasePath.folder(of: table)
        let prefix = (table.split(separator: "/").last.map { String($0) } ?? table) + infix
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return 0 }
        var count = 0
        for name in names where name.hasPrefix(prefix) && isRandomPart(name.dropFirst(prefix.count)) {
            let path = folder + "/" + name
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, unlink(path) == 0 { count += 1 }
            close(descriptor)
        }
        return count
    }

    private static func isRandomPart(_ text: Substring) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func cannotWrite(_ what: String, _ error: Int32) -> GazetteerError {
        GazetteerError(.cannotWrite, "\(what): \(String(cString: strerror(error)))")
    }
}
