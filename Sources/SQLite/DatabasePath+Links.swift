import Foundation

extension DatabasePath {
    /// The first symbolic link on the way to a file that belongs neither to root nor to `user`, with its owner; nil if
    /// there is none.
    ///
    /// Whoever owns a link chooses where a program writes. The file and its folders need not exist.
    public static func foreignLink(to path: String, for user: UInt32) -> (path: String, owner: UInt32)? {
        var place = path.hasPrefix("/") ? "" : "."
        var rest = path.split(separator: "/").map { String($0) }[...]
        var links = 0
        while let name = rest.popFirst() {
            let next = place + "/" + name
            var status = stat()
            guard lstat(next, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                place = next
                continue
            }
            guard status.st_uid == 0 || status.st_uid == user else { return (next, status.st_uid) }
            links += 1
            // Linux follows at most 40 links (path_resolution(7)).
            guard links <= 40, let target = target(ofLink: next) else { return nil }
            if target.hasPrefix("/") { place = "" }
            rest = target.split(separator: "/").map { String($0) } + rest
        }
        return nil
    }
}
