import Foundation

/// Keeps two programs from writing one database: an exclusive lock on `<database>.lock`, held until released.
public final class DatabaseLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    /// - Throws: `DaemonError.isRunning` when another program holds it, `.cannotLock` when the file cannot be opened.
    public init(database path: String) throws(DaemonError) {
        let file = path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .cannotLock(file, String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw isHeld ? .isRunning(path) : .cannotLock(file, reason)
        }
    }

    deinit { close(descriptor) }
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
