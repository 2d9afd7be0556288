import Foundation
import Model
import SQLite
package import Settings

extension Settings {
    /// Hints of `visiventd check` about the places of the database and the control socket, and about the listeners of
    /// serve, one sentence each. Of a unit that is not known nothing is said.
    /// - Parameters:
    ///   - daemon: The installed unit of the daemon; nil: none, or not known.
    ///   - serving: That of `visiventd serve`.
    ///   - isThere: Whether a folder exists; default: by the disk.
    ///   - isClosed: Whether a user may make no files in a folder; default: by the disk.
    package func unitAdvice(
        daemon: InstalledUnit?, serving: InstalledUnit?,
        isThere: (_ folder: String) -> Bool = Self.isThere,
        isClosed: (_ folder: String, _ user: String) -> Bool = Self.isClosed(_:to:)
    ) -> [String] {
        var advice: [String] = []
        var files = [("database", database, daemon), ("control_socket", controlSocket ?? database, daemon)]
        for case .unix(let file) in serve.listen { files.append(("serve.listen", file, serving)) }
        var folders: Set<String> = []
        for (key, file, unit) in files {
            let folder = DatabasePath.folder(of: file)
            guard folders.insert("\(unit?.name ?? "") \(folder)").inserted else { continue }
            guard isThere(folder) else {
                // It comes with the service.
                if unit?.makes(folder) != true { advice.append("\(key): the folder \(folder) is not there") }
                continue
            }
            let place = DatabasePath.folder(of: DatabasePath.resolved(file))
            guard let unit, !unit.makes(place) else { continue }
            if unit.leavesWritable(place) == false {
                advice.append(
                    "\(key): \(place) is read-only to \(unit.name): add ReadWritePaths=\(place) by systemctl edit "
                        + unit.name)
            } else if let user = unit.user, isClosed(place, user) {
                advice.append("\(key): \(place) may not be written by \(user), as whom \(unit.name) runs")
            }
        }
        if gazetteer.isBesideDatabase, let daemon, let folder = daemon.stateFolder,
            DatabasePath.folder(of: gazetteer.path) != folder
        {
            advice.append(
                "gazetteer.path: \(daemon.name) takes its city table from \(folder), commands from "
                    + "\(DatabasePath.folder(of: gazetteer.path)): name it")
        }
        for case .tcp(_, let port) in serve.listen {
            guard let serving, serving.allows(port: port) == false else { continue }
            advice.append(
                "serve.listen: \(serving.name) does not allow port \(port): add SocketBindAllow=tcp:\(port) by "
                    + "systemctl edit \(serving.name)")
        }
        return advice
    }

    /// A hint if less space is free than polls need; empty otherwise, or where it is not known.
    /// - Parameter free: Free bytes in the database's folder; nil: not known.
    package func diskAdvice(free: Int64?) -> [String] {
        let floor = Int64(disk.minimumFreeBytes)
        guard let free, free < floor else { return [] }
        return [
            "disk.minimum_free: \(free.asSize()) are free in the folder of \(database), less than \(floor.asSize()): no "
                + "poll begins"
        ]
    }

    /// Whether there is something at a path.
    package static func isThere(_ folder: String) -> Bool { FileManager.default.fileExists(atPath: folder) }

    /// Whether owner and mode of a folder keep a user from making files in it (path_resolution(7)); false where the
    /// user or the folder is not known, and where a group or all may write, since the user may be meant.
    package static func isClosed(_ folder: String, to user: String) -> Bool {
        var status = stat()
        guard let account = getpwnam(user)?.pointee, stat(folder, &status) == 0, account.pw_uid != 0 else {
            return false
        }
        // An access control list grants no more than the bits of the group.
        return status.st_mode & (account.pw_uid == status.st_uid ? 0o200 : 0o022) == 0
    }
}
