import Foundation

/// Makes paths absolute that the configuration writes relative to its own folder.
struct PathResolver {
    /// The configuration file's folder; absolute, without a slash at the end unless it is the root.
    private let folder: String
    /// What stands before the file's name in its path.
    private let prefix: String

    init(file: String) {
        prefix = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
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

    /// The path of a file beside the configuration, relative where the configuration's own path is.
    func beside(_ name: String) -> String { prefix + name }

    /// What is accepted instead of a text that is not the path of a file; nil when it can be one.
    static func accepted(insteadOf path: String) -> String? {
        let file = "the path of a file"
        guard SourceReader.isPath(path), path != ":memory:", !path.contains("://") else { return file }
        if isUnexpanded(path) { return "\(file), written out: ~ and $ are not replaced" }
        return path.hasSuffix("/") ? "\(file), not of a folder" : nil
    }

    /// Whether the path holds what a shell would replace.
    static func isUnexpanded(_ path: String) -> Bool {
        guard !path.hasPrefix("~") else { return true }
        return zip(path, path.dropFirst()).contains { $0 == "$" && ($1 == "{" || $1.isLetter) }
    }

    /// Makes the path of a secret's file absolute; other references stay as they are.
    func absolute(secret reference: String) -> String {
        if case .file(let path)? = SecretPlace(reference) { absolute(path) } else { reference }
    }
}
