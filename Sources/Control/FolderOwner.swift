import Foundation
import SQLite

/// Changes the user of a command from root to the owner of the folder in which it makes files.
///
/// The service cannot open files that root makes in its folder. So such a command calls this after opening its input,
/// and before it opens anything else.
public enum FolderOwner {
    /// Becomes the owner of the folder of the file at a path, for good, with that user's groups. Does nothing for users
    /// other than root, if root owns the folder, and if the owner cannot be found out.
    ///
    /// The folder is that of the path as it is given: a link there may be its owner's. In a folder of root's a link is
    /// root's, too, so the folder that it leads to counts.
    /// - Throws: `DaemonError.cannotBecome` if a change of user or groups fails; the process may then have other groups
    ///   already. `foreignLink` if a link on the way belongs neither to root nor to that owner.
    public static func become(ofFolderOf file: String) throws(DaemonError) {
        try become(ofFolderOf: file, through: ProcessIdentity())
    }

    /// Does the same through other calls.
    static func become(ofFolderOf file: String, through identity: ProcessIdentity) throws(DaemonError) {
        guard identity.isRoot() else { return }
        var folder = DatabasePath.folder(of: file)
        var owner = identity.owner(folder)
        if owner?.user == 0 {
            folder = DatabasePath.folder(of: DatabasePath.resolved(file))
            owner = identity.owner(folder)
        }
        if let link = DatabasePath.foreignLink(to: file, for: owner?.user ?? 0) {
            throw .foreignLink(link.path, identity.account(link.owner)?.name ?? "the user \(link.owner)", file)
        }
        guard let owner, owner.user != 0 else { return }
        let account = identity.account(owner.user)
        let group = account?.group ?? owner.group
        // The user comes last, because only root may change groups.
        var error = identity.takeGroups(account?.name, group)
        if error == 0 { error = identity.takeGroup(group) }
        if error == 0 { error = identity.takeUser(owner.user) }
        guard error == 0 else {
            let name = account?.name ?? "the user \(owner.user)"
            throw .cannotBecome(name, folder, String(cString: strerror(error)))
        }
    }
}

/// The identity of this process, and the calls that change it. They return 0 or a number of errno(3); tests replace
/// them.
struct ProcessIdentity {
    /// Whether the process runs as root.
    var isRoot: () -> Bool = { geteuid() == 0 }
    /// The owner of a folder; nil if it is unknown.
    var owner: (_ folder: String) -> (user: uid_t, group: gid_t)? = { folder in
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        return (user: status.st_uid, group: status.st_gid)
    }
    /// The name and the group of a user; nil for a number without an account.
    var account: (_ user: uid_t) -> (name: String, group: gid_t)? = { user in
        guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return nil }
        return (name: String(cString: name), group: entry.pointee.pw_gid)
    }
    /// Takes the groups of an account, or only the given group without an account.
    var takeGroups: (_ account: String?, _ group: gid_t) -> Int32 = { account, group in
        if let account { return initgroups(account, group) == 0 ? 0 : errno }
        let groups = [group]
        return setgroups(groups.count, groups) == 0 ? 0 : errno
    }
    /// Takes a group for good.
    var takeGroup: (gid_t) -> Int32 = { setgid($0) == 0 ? 0 : errno }
    /// Takes a user for good.
    var takeUser: (uid_t) -> Int32 = { setuid($0) == 0 ? 0 : errno }
}
