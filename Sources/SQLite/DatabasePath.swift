import Foundation

/// Paths of a database and of the files beside it.
public enum DatabasePath {
    /// The path with symbolic links followed (at most 40) and its folder made absolute. The file need not exist.
    ///
    /// SQLite keeps the write-ahead log beside the file that the links lead to, and so does this program its lock. A
    /// folder that does not exist stays as given, and so does a path that ends with `/`.
    public static func resolved(_ path: String) -> String {
        guard !path.hasSuffix("/") else { return path }
        var path = path
        // Linux follows at most 40 links (path_resolution(7)).
        for _ in 0..<40 {
            guard let target = target(ofLink: path) else { break }
            path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
        }
        guard let folder = realpath(folder(of: path), nil) else { return path }
        defer { free(folder) }
        let start = String(cString: folder)
        return (start == "/" ? "" : start) + "/" + name(of: path)
    }

    /// Where a symbolic link says that it leads; nil: it is none.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// Whether both paths lead to the same existing file (device and inode), links followed; false if one is missing
    /// or cannot be reached.
    public static func isOneFile(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino
            && first.st_dev == second.st_dev
    }

    /// The size of a file in bytes; 0 if there is none.
    package static func size(of path: String) -> Int64 {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// The folder of a path, as text and without a trailing slash: `/` for a file in the root, `.` for a bare name.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Syncs the folder of a path, so that a new name survives a loss of power. Blocks; errors are ignored.
    public static func syncFolder(of path: String) {
        let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// The last component of a path: `c` of `a/b/c` and of `a/b/c/`; a path of slashes alone, or an empty one, as it
    /// is.
    package static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }
}
