package import Files
package import Foundation
import Settings

/// Replaces a configuration file as a whole: readers see the old bytes or the new ones, also after a loss of power.
package enum ConfigurationReplacement {
    /// Replaces the file that the path leads to, links followed; mode and owner stay. Blocks.
    /// - Parameters:
    ///   - path: The file.
    ///   - old: The bytes that it has.
    ///   - new: The bytes that it gets.
    /// - Throws: `FileError`: `changed` if it has other bytes than `old` right before it is replaced, `cannotCreate` if
    ///   it cannot be replaced so, `full` and `io` if the disk fails. The file then stays as it is.
    package static func replace(_ path: String, having old: Data, with new: Data) throws(FileError) {
        let destination = try PartialFile.destination(path)
        var status = stat()
        guard stat(destination, &status) == 0 else { throw failure(destination, "cannot be looked at", errno) }
        guard status.st_nlink == 1 else {
            throw FileError(
                .cannotCreate, "\(destination) has \(status.st_nlink) names (hard links), of which one would change")
        }
        let file = try PartialFile(of: destination, mode: 0o600)
        // The owner first, since a change of it takes bits of the mode away.
        guard fchown(file.descriptor, status.st_uid, status.st_gid) == 0 else {
            throw failure(destination, "cannot keep its owner: give the command as that user or as root", errno)
        }
        guard fchmod(file.descriptor, status.st_mode & 0o7777) == 0 else {
            throw failure(destination, "cannot keep its mode", errno)
        }
        do {
            try FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false).write(contentsOf: new)
        } catch {
            throw FileError(.full, "\(file.path) cannot be written: \(error.localizedDescription)")
        }
        try file.replace(destination) { () throws(FileError) in
            guard let now = try? FileReading.ordinary.contents(path), now == old else {
                throw FileError(.changed, "\(path) was changed meanwhile, so nothing has been written: try again")
            }
        }
    }

    private static func failure(_ file: String, _ words: String, _ error: Int32) -> FileError {
        FileError(.cannotCreate, "\(file) \(words): \(String(cString: strerror(error)))")
    }
}
