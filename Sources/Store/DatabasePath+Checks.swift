import Foundation
public import SQLite

/// Checks of a database path before SQLite opens it, whose own messages do not help an operator.
extension DatabasePath {
    /// Requires a readable file at the path.
    /// - Throws: `StoreError.cannotOpen` for a missing file, a folder, or a file that cannot be reached or read.
    public static func mustExist(_ path: String) throws(StoreError) {
        guard try isThere(path) else {
            guard !isLocked(path) else {
                throw StoreError(
                    .cannotOpen,
                    "There is no database at \(path) any more, though a program works on one of that name: it was moved or "
                        + "removed; put it back, or restart the daemon, which then makes a new one")
            }
            throw StoreError(
                .cannotOpen,
                "There is no database at \(path) yet; start the daemon (visiventd run, or systemctl start visiventd), or "
                    + "poll once (visiventd poll --all)")
        }
    }

    /// Refuses a file of another program or of a newer version before anything is created beside it. A missing file is
    /// accepted.
    ///
    /// The content is not checked if a write-ahead log lies beside the file, since only SQLite can read both.
    /// - Throws: `StoreError`: `notADatabase`, `newerSchema`, or `cannotOpen` for a folder, a file that cannot be
    ///   reached or read, or a file with hard links.
    public static func mustBeUsable(_ path: String) throws(StoreError) {
        let path = resolved(path)
        guard try isThere(path, isWritten: true), size(of: path + "-wal") == 0 else { return }
        do throws(StoreError) {
            try reporting {
                try withExtendedLifetime(DatabaseFile(unlinked: path, isImmutable: true)) {
                    try Migrations.check($0.connection)
                }
            }
        } catch {
            switch error.code {
            case .notADatabase, .newerSchema: throw StoreError(error.code, "\(path): \(error.message)")
            // Opening for writing waits for a lock, or reports the fault better.
            default: return
            }
        }
    }

    /// Whether the file exists; throws if the path cannot be or become a database.
    ///
    /// - Parameter isWritten: Refuses a file with hard links. Write-ahead log and lock belong to one name, so writers
    ///   under two names would damage the file. Reading under either name is safe.
    static func isThere(_ path: String, isWritten: Bool = false) throws(StoreError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let error = errno
            switch error {
            case ENOENT:
                guard stat(folder(of: resolved(path)), &status) == 0 else {
                    throw StoreError(.cannotOpen, "The folder of the database \(path) does not exist; make it first")
                }
                return false
            case EACCES:
                throw StoreError(
                    .cannotOpen,
                    "The database \(path) cannot be reached: its folder may not be entered by this user; use the "
                        + "service's user, or join its group")
            default:
                throw StoreError(
                    .cannotOpen, "The database \(path) cannot be reached: \(String(cString: strerror(error)))")
            }
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG where isWritten && status.st_nlink > 1:
            throw StoreError(
                .cannotOpen,
                "The database \(path) has another name (a hard link), under which another program may write it unnoticed; "
                    + "remove one of the two")
        case S_IFREG: break
        case S_IFDIR: throw StoreError(.cannotOpen, "\(path) is a folder, not a database; name a file in it")
        default: throw StoreError(.cannotOpen, "\(path) is no ordinary file, so it can be no database")
        }
        guard access(path, R_OK) == 0 else {
            var folder = stat()
            let owner: uid_t? = stat(Self.folder(of: resolved(path)), &folder) == 0 ? folder.st_uid : nil
            throw StoreError(.cannotOpen, refusal(of: path, ownedBy: status.st_uid, in: owner, to: geteuid()))
        }
        return true
    }

    /// The message for a file that the user may not read. A file of root in the user's own folder needs a chown.
    static func refusal(of path: String, ownedBy owner: uid_t, in folderOwner: uid_t?, to user: uid_t) -> String {
        let start = "The database \(path) may not be read by this user"
        guard owner == 0, user != 0, folderOwner == user else {
            return start + "; use the service's user, or join its group"
        }
        return start + ": it belongs to root, though its folder does not; give it back with: sudo chown --reference="
            + "\(Self.folder(of: path)) \(path)*"
    }
}
