import Foundation
import SQLite

/// Becomes the owner of a folder where root runs the command and the folder is another user's.
///
/// The service cannot open what root makes in its folder. So a command that makes files there calls this when it has
/// opened what it was given to read, and before it opens anything else.
public enum FolderOwner {
    /// Becomes the owner of the file's folder for good, with that user's groups. Nothing happens to other users than
    /// root, and where the folder is root's own.
    /// - Throws: `DaemonError.cannotBecome`.
    public static func become(ofFolderOf file: String) throws(DaemonError) {
        try become(ofFolderOf: file, through: ProcessIdentity())
    }

    /// The same through other calls.
    static func become(ofFolderOf file: String, through identity: ProcessIdentity) throws(DaemonError) {
        let folder = DatabasePath.folder(of: DatabasePath.resolved(file))
        guard identity.isRoot(), let owner = identity.owner(folder), owner.user != 0 else { return }
        let account = identity.account(owner.user)
        let group = account?.group ?? owner.group
        // The user comes last: nobody but root changes groups.
        var error = identity.takeGroups(account?.name, group)
        if error == 0 { error = identity.takeGroup(group) }
        if error == 0 { error = identity.takeUser(owner.user) }
        guard error == 0 else {
            let name = account?.name ?? "the user \(owner.user)"
            throw .cannotBecome(name, folder, String(cString: strerror(error)))
        }
    }
}

/// Who this process is, and the calls that change it, which give 0 or a number of errno(3); tests hand in their own.
struct ProcessIdentity {
    /// Whether it is root.
    var isRoot: () -> Bool = { geteuid() == 0 }
    /// To whom a folder belongs; nil when that cannot be told.
    var owner: (_ folder: String) -> (user: uid_t, group: gid_t)? = { folder in
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        return (user: status.st_uid, group: status.st_gid)
    }
    /// A user's name and group; nil for a number without an account.
    var account: (_ user: uid_t) -> (name: String, group: gid_t)? = { user in
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return nil }
        return (name: String(cString: name), group: entry.pointee.pw_gid)
    }
    /// Takes the groups of an account, or the one group alone.
    var takeGroups: (_ account: String?, _ group: gid_t) -> Int32 = { account, group in
        if let account { return initgroups(account, group) == 0 ? 0 : errno }
        let groups = [group]
        return setgroups(groups.count, groups) == 0 ? 0 : errno
    }
    /// Takes a group, with no way back.
    var takeGroup: (gid_t) -> Int32 = { setgid($0) == 0 ? 0 : errno }
    /// Takes a user, with no way back.
    var takeUser: (uid_t) -> Int32 = { setuid($0) == 0 ? 0 : errno }
}
