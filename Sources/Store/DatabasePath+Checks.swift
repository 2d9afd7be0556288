import Foundation
public import SQLite

/// What is at the path of a database, looked at before SQLite is asked: its own words fit no operator.
extension DatabasePath {
    /// Refuses a path at which no database is.
    /// - Throws: `StoreError.cannotOpen` for a missing file, a folder, or what may not be reached.
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

    /// Refuses what is not this program's, before anything is made beside it; what is missing can be made.
    ///
    /// Where a write-ahead log lies beside the file only SQLite can tell, so nothing of its content is refused here.
    /// - Throws: `StoreError.notADatabase`, `newerSchema`, or `cannotOpen` for a folder, what may not be reached, or a file
    ///   of two names.
    public static func mustBeUsable(_ path: String) throws(StoreError) {
        let path = resolved(path)
        guard try isThere(path, isWritten: true), EventStore.size(of: path + "-wal") == 0 else { return }
        do throws(StoreError) {
            let own = try OwnConnection(path, isImmutable: true)
            defer { withExtendedLifetime(own) {} }
            try reporting { try Migrations.check(own.connection) }
        } catch {
            switch error.code {
            case .notADatabase, .newerSchema: throw StoreError(error.code, "\(path): \(error.message)")
            // Whoever opens it for writing waits for it, or says better what is wrong.
            default: return
            }
        }
    }

    /// Refuses what cannot become or be a database; true when the file is there.
    ///
    /// Write-ahead log and lock go by the name, so programs that write one file under two names (hard links) know nothing
    /// of each other and damage it. Reading it so does no harm.
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

    /// Why a user may not read the file. What root has put into the user's own folder is to be given to it.
    static func refusal(of path: String, ownedBy owner: uid_t, in folderOwner: uid_t?, to user: uid_t) -> String {
        let start = "The database \(path) may not be read by this user"
        guard owner == 0, user != 0, folderOwner == user else {
            return start + "; use the service's user, or join its group"
        }
        return start + ": it belongs to root, though its folder does not; give it back with: sudo chown --reference="
            + "\(Self.folder(of: path)) \(path)*"
    }
}
