import Foundation

/// Why the daemon cannot run or cannot be reached.
public enum DaemonError: Error, Sendable, CustomStringConvertible {
    /// Another program uses the database: its path, and the holder of the lock in words (`process 7, visiventd run`),
    /// nil if unknown.
    case isRunning(String, String?)
    /// The lock file cannot be used: its path and the reason for people.
    case cannotLock(String, String)
    /// The control socket cannot be used: its path and the reason for people.
    case cannotListen(String, String)
    /// The limit of open files leaves none for polls: `limit` is the present one, `least` would be enough.
    case tooFewDescriptors(limit: UInt64, least: UInt64)
    /// No daemon answers on the control socket: its path, and a number of errno(3), such as ENOENT (no socket),
    /// ECONNREFUSED (nobody listens), EACCES.
    case unreachable(String, Int32)
    /// The daemon refused a request or broke off; the reason is for people.
    case refused(String)
    /// Root cannot become the owner of a folder: the owner (a name, or `the user 1001`), the folder's path, and the
    /// reason for people.
    case cannotBecome(String, String, String)
    /// A link on the way to a file of root's belongs to another user: its path, its owner (as above), and the file.
    case foreignLink(String, String, String)

    /// One sentence for people with path and reason and, as far as there is one, a remedy.
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
        case .foreignLink(let link, let owner, let file):
            "\(link), a link on the way to \(file), belongs to \(owner), who could lead root anywhere; name the file that it "
                + "leads to, or give the command as that user"
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
