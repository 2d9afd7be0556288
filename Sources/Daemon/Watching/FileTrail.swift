import Foundation
import SQLite

/// The way that the kernel takes to a file (path_resolution(7)): which names it looks up, and in which folders, links
/// on the way included.
struct FileTrail: Sendable, Hashable {
    /// A name that is looked up.
    struct Step: Sendable, Hashable {
        /// The folder, by a path without links.
        var folder: String
        /// The name in it.
        var name: String

        /// The path of what has the name.
        var place: String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }
    }

    /// Links that the kernel follows on the way to one file.
    private static let mostLinks = 40

    /// The names in their order, up to that of the file or to the first one that leads nowhere.
    private(set) var steps: [Step] = []
    /// Whether it leads to something.
    private(set) var isWhole = false

    /// Follows `path` as far as it leads; one that is relative begins in the working directory.
    init(to path: String) {
        let start = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
        // The next name comes last.
        var left = Self.namesBackwards(start + path)
        var folder = "/"
        var links = 0
        while let name = left.popLast() {
            if name == ".." {
                folder = DatabasePath.folder(of: folder)
                continue
            }
            let step = Step(folder: folder, name: name)
            steps.append(step)
            var status = stat()
            guard lstat(step.place, &status) == 0 else { return }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks,
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: step.place)
                else { return }
                if target.hasPrefix("/") { folder = "/" }
                left += Self.namesBackwards(target)
            case S_IFDIR where !left.isEmpty: folder = step.place
            default:
                isWhole = left.isEmpty
                return
            }
        }
    }

    private static func namesBackwards(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }
}
