import Foundation
import SQLite

/// Keeps two programs from writing one database: an exclusive lock on `<database>.lock`, held until the value is
/// released.
///
/// The file lies beside the database itself, even if the configuration names a symbolic link to it. It contains process
/// and command of its last holder.
///
/// The lock is an open file description lock (fcntl(2), `F_OFD_SETLK`). It needs write permission, so readers cannot
/// take it. Every user who may read the file can ask whether it is held.
public final class DatabaseLock: Sendable {
    private let descriptor: Int32

    // Linux's number; Glibc's macro for it does not reach Swift.
    private static let ofdSetLock: Int32 = 37

    /// Takes the lock of the database at a path, without waiting; makes the lock file if there is none.
    /// - Throws: `DaemonError.isRunning` if another program holds the lock, `.cannotLock` if the file cannot be opened
    ///   or locked.
    public init(database path: String) throws(DaemonError) {
        let file = Self.file(of: path)
        // A link there would let another user choose which file is emptied.
        let new = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        // The group may ask for the holder, whatever the umask.
        if new >= 0 { fchmod(new, 0o640) }
        let descriptor = new >= 0 ? new : open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
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
        // On a full disk these words are missing, and the holder counts as a daemon.
        let command = ProcessInfo.processInfo.arguments.dropFirst().first ?? ""
        let words = "\(getpid()) \(command.prefix { $0.isLetter })\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, words, words.utf8.count, 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether a program holds the lock of the database at a path; false if this user may not ask, or without a lock
    /// file.
    public static func isHeld(database path: String) -> Bool { DatabasePath.isLocked(path) }

    /// The error that taking the lock would throw; nil if it is free.
    static func refusal(database path: String) -> DaemonError? {
        isHeld(database: path) ? .isRunning(path, holder(of: file(of: path))) : nil
    }

    /// Whether a daemon (`visiventd run`) holds the lock of the database at a path, or a program that the file does not
    /// name; false if this user may not ask.
    public static func isHeldByDaemon(database path: String) -> Bool {
        guard isHeld(database: path) else { return false }
        let words = Self.words(in: file(of: path))
        return words.count < 2 || words[1] == "run"
    }

    /// The process of the daemon that holds the lock of the database at a path; nil if none does, it is not named, or
    /// this user may not ask.
    public static func daemon(database path: String) -> Int32? {
        isHeldByDaemon(database: path) ? Self.words(in: file(of: path)).first.flatMap { Int32($0) } : nil
    }

    private static func file(of path: String) -> String { DatabasePath.lock(of: path) }

    /// The last holder in words; nil if the file does not name it.
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
        case ELOOP: "it is a link; remove it"
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
