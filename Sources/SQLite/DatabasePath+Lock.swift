import Foundation

extension DatabasePath {
    // Linux's number of F_OFD_GETLK; Glibc's macro for it does not reach Swift.
    private static let ofdGetLock: Int32 = 36

    /// The file whose lock keeps two programs from writing one database: beside the database itself, symbolic links
    /// followed.
    public static func lock(of path: String) -> String { resolved(path) + ".lock" }

    /// Whether a program holds that lock (fcntl(2)); false where the file may not be read.
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
