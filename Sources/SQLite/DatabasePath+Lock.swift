import Foundation

extension DatabasePath {
    // F_OFD_GETLK on Linux; Swift does not import Glibc's macro.
    private static let ofdGetLock: Int32 = 36

    /// The path of a database's lock file: its path with symbolic links followed, plus `.lock`. The lock admits one
    /// writing program; the file may not exist.
    public static func lock(of path: String) -> String { resolved(path) + ".lock" }

    /// Whether a program, this one included, holds the lock of the database at `path` (fcntl(2)); false if the lock
    /// file is missing or cannot be read.
    public static func isLocked(_ path: String) -> Bool {
        let descriptor = open(lock(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var asked = flock()
        asked.l_type = Int16(F_WRLCK)
        asked.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, ofdGetLock, &asked) == 0 && asked.l_type != Int16(F_UNLCK)
    }
}
