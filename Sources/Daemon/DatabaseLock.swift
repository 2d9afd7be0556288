import Foundation

/// Keeps two programs from writing one database: an exclusive lock on `<database>.lock`, held until released.
///
/// An open file description lock (fcntl(2), `F_OFD_SETLK`): it needs write permission, so that readers cannot take it,
/// and anybody who may read the file can ask whether it is held.
public final class DatabaseLock: Sendable {
    private let descriptor: Int32

    // Linux's numbers; Glibc's macros for them do not reach Swift.
    private static let ofdGetLock: Int32 = 36
    private static let ofdSetLock: Int32 = 37

    /// Takes the lock.
    /// - Throws: `DaemonError.isRunning` when another program holds it or may hold it (no write permission while it is
    ///   held), `.cannotLock` when the file cannot be opened.
    public init(database path: String) throws(DaemonError) {
        let file = path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            if Self.isHeld(database: path) { throw .isRunning(path) }
            throw .cannotLock(file, reason)
        }
        var lock = Self.wholeFile
        guard fcntl(descriptor, Self.ofdSetLock, &lock) == 0 else {
            let isHeld = errno == EAGAIN || errno == EACCES
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw isHeld ? .isRunning(path) : .cannotLock(file, reason)
        }
    }

    deinit { close(descriptor) }

    /// Whether a program holds the lock.
    public static func isHeld(database path: String) -> Bool {
        let descriptor = open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = wholeFile
        return fcntl(descriptor, ofdGetLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}

/// Why the daemon cannot run, or cannot be reached.
public enum DaemonError: Error, Sendable, CustomStringConvertible {
    /// Another program works on the database.
    case isRunning(String)
    /// The lock file cannot be used.
    case cannotLock(String, String)
    /// The control socket cannot be used.
    case cannotListen(String, String)
    /// The daemon refused a request or broke off.
    case refused(String)

    public var description: String {
        switch self {
        case .isRunning(let path): "another visiventd works on the database \(path)"
        case .cannotLock(let file, let reason): "cannot lock \(file): \(reason)"
        case .cannotListen(let path, let reason): "cannot listen on the control socket \(path): \(reason)"
        case .refused(let reason): reason
        }
    }
}
