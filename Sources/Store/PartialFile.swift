import Foundation
import SQLite

/// A file in the making, `<file>.partial-<process>`, beside the one it will become: a copy, or events for others.
package final class PartialFile {
    /// Path of the file.
    package let path: String
    /// The file, open to be read and written.
    package let descriptor: Int32

    private var isHere = true

    /// Creates the file.
    /// - Parameters:
    ///   - destination: Path of the one it will become.
    ///   - mode: Who may read it, less the umask; by default its group.
    /// - Throws: `StoreError.cannotCreate`, or `full`.
    package init(of destination: String, mode: UInt32 = 0o640) throws(StoreError) {
        let path = "\(destination).partial-\(getpid())"
        Self.removeLeftovers(of: destination)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let error = errno
            throw StoreError(
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

    /// Size in bytes.
    var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Brings the file to the disk and drops it from memory, so that who reads it next reads what the disk has.
    func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else {
            throw StoreError(.io, "\(path) cannot be brought to the disk: \(String(cString: strerror(errno)))")
        }
        _ = posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
    }

    /// Gives the file its name; false when another has it and must stay.
    /// - Parameter removing: Takes the first name away. Where it cannot, the file is in place all the same, and `deinit`
    ///   tries once more.
    func putInPlace(
        _ destination: String, isReplacing: Bool, removing: (String) -> Bool = { unlink($0) == 0 }
    ) throws(StoreError) -> Bool {
        // Unlike rename(2), link(2) never replaces a file that has come meanwhile; not all file systems know links.
        if !isReplacing, link(path, destination) == 0 {
            isHere = !removing(path)
        } else {
            if !isReplacing, errno == EEXIST || access(destination, F_OK) == 0 { return false }
            guard rename(path, destination) == 0 else {
                throw StoreError(
                    .cannotCreate, "\(path) cannot be named \(destination): \(String(cString: strerror(errno)))")
            }
            isHere = false
        }
        if !isHere { UnfinishedFiles.forget(path) }
        DatabasePath.syncFolder(of: destination)
        return true
    }

    /// Brings the file to the disk and gives it the name, which another file loses.
    package func replace(_ destination: String) throws(StoreError) {
        try sync()
        _ = try putInPlace(destination, isReplacing: true)
    }

    /// Removes what processes have left that are dead, as is whoever had this one's number before.
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
