import Foundation

/// Makes paths absolute that the configuration writes relative to its own folder.
struct PathResolver {
    /// The configuration file's folder; absolute, without a slash at the end unless it is the root.
    private let folder: String

    init(file: String) {
        var folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        if file.hasPrefix("/") {
            self.folder = folder
            return
        }
        while folder.hasPrefix("./") { folder.removeFirst(2) }
        let current = FileManager.default.currentDirectoryPath
        self.folder = folder == "." ? current : "\(current)/\(folder)"
    }

    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        var path = path
        while path.hasPrefix("./") { path.removeFirst(2) }
        return "\(folder)/\(path)"
    }

    /// Makes the path of a secret's file absolute; other references stay as they are.
    func absolute(secret reference: String) -> String {
        if case .file(let path)? = SecretPlace(reference) { absolute(path) } else { reference }
    }
}
