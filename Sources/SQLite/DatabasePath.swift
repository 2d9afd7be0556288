import Foundation

/// The files that go by the path of a database.
public enum DatabasePath {
    /// The file that a path leads to, symbolic links followed, whether it exists or not.
    ///
    /// SQLite keeps the write-ahead log beside that file, so whoever wants it, or locks the database, must go there.
    public static func resolved(_ path: String) -> String {
        guard !path.hasSuffix("/") else { return path }
        var path = path
        // As many links as Linux follows (path_resolution(7)).
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &buffer, buffer.count)
            guard count > 0 else { break }
            let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
        }
        guard let folder = realpath(folder(of: path), nil) else { return path }
        defer { free(folder) }
        let start = String(cString: folder)
        return (start == "/" ? "" : start) + "/" + name(of: path)
    }

    /// Whether two paths lead to one file that exists.
    public static func isOneFile(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino
            && first.st_dev == second.st_dev
    }

    /// The folder of a path, `.` where it names none.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Brings a name that is new in the folder of a path to the disk, as far as that can be.
    public static func syncFolder(of path: String) {
        let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }
}
