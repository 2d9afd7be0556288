import Foundation
import Model
import SQLite
import Store

/// Keeps two programs from writing one database: an exclusive lock on `<database>.lock`, held until released.
///
/// The file lies beside the database itself, also where the configuration names a symbolic link to it, and says who
/// took the lock last: process and command.
///
/// An open file description lock (fcntl(2), `F_OFD_SETLK`): it needs write permission, so that readers cannot take it,
/// and anybody who may read the file can ask whether it is held.
public final class DatabaseLock: Sendable {
    private let descriptor: Int32

    // Linux's number; Glibc's macro for it does not reach Swift.
    private static let ofdSetLock: Int32 = 37

    /// Takes the lock.
    /// - Throws: `DaemonError.isRunning` when another program holds it or may hold it (no write permission while it is
    ///   held), `.cannotLock` when the file cannot be opened.
    public init(database path: String) throws(DaemonError) {
        let file = Self.file(of: path)
        let new = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        // The group asks it whether the daemon runs, whatever the umask.
        if new >= 0 { fchmod(new, 0o640) }
        let descriptor = new >= 0 ? new : open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            let error = errno
            if Self.isHeld(database: path) { throw .isRunning(path, Self.holder(of: file)) }
            throw .cannotLock(file, Self.reason(error))
        }
        var lock = Self.wholeFile
        guard fcntl(descriptor, Self.ofdSetLock, &lock) == 0 else {
            let isHeld = errno == EAGAIN || errno == EACCES
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw isHeld ? .isRunning(path, Self.holder(of: file)) : .cannotLock(file, reason)
        }
        // On a full disk they are missing, and whoever asks takes this program for a daemon.
        let command = ProcessInfo.processInfo.arguments.dropFirst().first ?? ""
        let words = "\(getpid()) \(command.prefix { $0.isLetter })\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, words, words.utf8.count, 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether a program holds the lock.
    public static func isHeld(database path: String) -> Bool { DatabasePath.isLocked(path) }

    /// Why the lock cannot be taken (`DaemonError.isRunning`); nil when it is free.
    static func refusal(database path: String) -> DaemonError? {
        isHeld(database: path) ? .isRunning(path, holder(of: file(of: path))) : nil
    }

    /// Whether a daemon holds the lock, or a program that the file does not name.
    public static func isHeldByDaemon(database path: String) -> Bool {
        guard isHeld(database: path) else { return false }
        let words = Self.words(in: file(of: path))
        return words.count < 2 || words[1] == "run"
    }

    private static func file(of path: String) -> String { DatabasePath.lock(of: path) }

    /// Who took the lock last, in words; nil when the file does not say.
    private static func holder(of file: String) -> String? {
        let words = Self.words(in: file)
        guard let process = words.first.flatMap({ Int32($0) }) else { return nil }
        return words.count > 1 ? "process \(process), visiventd \(words[1])" : "process \(process)"
    }

    private static func words(in file: String) -> [Substring] {
        (try? String(contentsOfFile: file, encoding: .utf8))?.split(whereSeparator: \.isWhitespace) ?? []
    }

    private static func reason(_ error: Int32) -> String {
        let words = String(cString: strerror(error))
        return switch error {
        case EACCES: "\(words); use the service's user"
        case ENOENT: "\(words); make its folder first"
        default: words
        }
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
    /// Another program works on the database: its path, and who that is, if known.
    case isRunning(String, String?)
    /// The lock file cannot be used.
    case cannotLock(String, String)
    /// The control socket cannot be used.
    case cannotListen(String, String)
    /// So few files may be open at a time that nothing could be polled, and at least so many must be.
    case tooFewDescriptors(limit: UInt64, least: UInt64)
    /// Nobody answers on the control socket: its path, and a number of errno(3).
    case unreachable(String, Int32)
    /// The daemon refused a request or broke off.
    case refused(String)
    /// Root cannot become the owner of a folder: the owner, the folder, and why.
    case cannotBecome(String, String, String)

    public var description: String {
        switch self {
        case .isRunning(let path, let holder):
            "another visiventd works on the database \(path)" + (holder.map { " (\($0))" } ?? "")
        case .cannotLock(let file, let reason): "cannot lock \(file): \(reason)"
        case .cannotListen(let path, let reason): "cannot listen on the control socket \(path): \(reason)"
        case .tooFewDescriptors(let limit, let least):
            "only \(limit) files may be open at a time (ulimit -n, LimitNOFILE=), which leaves none to poll with; allow at "
                + "least \(least)"
        case .unreachable(let path, let error): Self.absence(from: path, error)
        case .refused(let reason): reason
        case .cannotBecome(let owner, let folder, let reason):
            "cannot become \(owner), to whom \(folder) belongs: \(reason); give the command as that user"
        }
    }

    private static func absence(from path: String, _ error: Int32) -> String {
        let start = "start it (systemctl start visiventd, or visiventd run)"
        return switch error {
        case ENOENT, ENOTDIR: "no daemon answers at \(path), where no socket is: \(start)"
        case ECONNREFUSED: "no daemon answers at \(path), a socket that was left by one that has ended: \(start)"
        case ENOTSOCK: "no daemon answers at \(path), which is no socket: name the one that it listens at"
        case EACCES, EPERM:
            "the control socket \(path) may not be used by this user: use the service's user, or join its group"
        case ENAMETOOLONG:
            "the control socket \(path) cannot exist: its path has \(path.utf8.count) bytes, and may have 107"
        default: "cannot reach the daemon at \(path): \(String(cString: strerror(error)))"
        }
    }
}
