import Foundation
import SQLite

/// An unfinished file, `<file>.partial-<process>`, beside its final path: a copy or exported events. `deinit` removes
/// it unless it has its final name.
package final class PartialFile {
    /// The path of the unfinished file; nothing is there once it has its final name.
    package let path: String
    /// The open file, for reading and writing; closes with this object.
    package let descriptor: Int32

    private var isHere = true

    /// The path of a file that a command makes or replaces, links followed.
    /// - Throws: `FileError.cannotCreate` for root if a link on the way belongs to another user, who could lead root
    ///   anywhere.
    package static func destination(_ path: String) throws(FileError) -> String {
        if geteuid() == 0, let link = DatabasePath.foreignLink(to: path, for: 0) {
            throw FileError(
                .cannotCreate,
                "\(path) cannot be written: \(link.path) is a link that belongs to the user \(link.owner), who could lead "
                    + "root anywhere; name the file that it leads to")
        }
        return DatabasePath.resolved(path)
    }

    /// Creates the file and removes leftovers of dead processes.
    /// - Parameters:
    ///   - destination: The final path.
    ///   - mode: The permissions before the umask; by default the group may read.
    /// - Throws: `FileError`: `full` without disk space or quota, otherwise `cannotCreate`.
    package init(of destination: String, mode: UInt32 = 0o640) throws(FileError) {
        let path = "\(destination).partial-\(getpid())"
        Self.removeLeftovers(of: destination)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let error = errno
            throw FileError(
                error == ENOSPC || error == EDQUOT ? .full : .cannotCreate,
                "\(path) cannot be created: \(String(cString: strerror(error)))")
        }
        self.path = path
        UnfinishedFiles.add(path)
    }

    deinit {
        remove()
        close(descriptor)
    }

    /// Size in bytes; 0 if it cannot be read.
    package var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Syncs the file and drops its page cache, so that the next read comes from the disk.
    package func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else {
            throw FileError(.io, "\(path) cannot be brought to the disk: \(String(cString: strerror(errno)))")
        }
        _ = posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
    }

    /// Gives the file its final name; false if another file has the name and must stay.
    /// - Parameter removing: Removes the first name. If it fails, the file is in place all the same, and `deinit` tries
    ///   again.
    package func putInPlace(
        _ destination: String, isReplacing: Bool, removing: (String) -> Bool = { unlink($0) == 0 }
    ) throws(FileError) -> Bool {
        // link(2) never replaces a file, unlike rename(2), but not all file systems support links.
        if !isReplacing, link(path, destination) == 0 {
            isHere = !removing(path)
        } else {
            if !isReplacing, errno == EEXIST || access(destination, F_OK) == 0 { return false }
            guard rename(path, destination) == 0 else {
                throw FileError(
                    .cannotCreate, "\(path) cannot be named \(destination): \(String(cString: strerror(errno)))")
            }
            isHere = false
        }
        if !isHere { UnfinishedFiles.forget(path) }
        DatabasePath.syncFolder(of: destination)
        return true
    }

    /// Syncs the file and gives it the final name, replacing an existing file.
    /// - Parameter check: Called right before the renaming, which an error prevents; by default nothing is checked.
    /// - Throws: `FileError`: `io` if the sync fails, `cannotCreate` if the renaming fails, that of `check`.
    package func replace(
        _ destination: String, check: () throws(FileError) -> Void = {}
    ) throws(FileError) {
        try sync()
        try check()
        _ = try putInPlace(destination, isReplacing: true)
    }

    /// Removes files of processes that no longer run. A file with this process's id is from an earlier process.
    private static func removeLeftovers(of destination: String) {
        let folder = DatabasePath.folder(of: destination)
        let prefix = (destination.split(separator: "/").last.map(String.init) ?? destination) + ".partial-"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)), process > 0 else { continue }
            if process == getpid() || (kill(process, 0) != 0 && errno == ESRCH) {
                UnfinishedFiles.remove(folder + "/" + name)
            }
        }
    }

    private func remove() {
        guard isHere else { return }
        isHere = false
        UnfinishedFiles.remove(path)
        UnfinishedFiles.forget(path)
    }
}
