import Foundation

/// Resolves paths that are relative to the configuration's folder.
struct PathResolver {
    /// The configuration file's folder, absolute; paths are appended after a slash.
    private let folder: String
    /// The file's path up to its name, with the slash; empty for a bare name.
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

    /// The path of a file beside the configuration; relative if the configuration's path is.
    func beside(_ name: String) -> String { prefix + name }

    /// The accepted form in place of a text that cannot be the path of a file; nil when it can.
    static func accepted(insteadOf path: String) -> String? {
        let file = "the path of a file"
        guard SourceReader.isPath(path), path != ":memory:", !path.contains("://") else { return file }
        if isUnexpanded(path) { return "\(file), written out: ~ and $ are not replaced" }
        return path.hasSuffix("/") ? "\(file), not of a folder" : nil
    }

    /// Whether the path contains ~ or $ that a shell would expand.
    static func isUnexpanded(_ path: String) -> Bool {
        guard !path.hasPrefix("~") else { return true }
        return zip(path, path.dropFirst()).contains { $0 == "$" && ($1 == "{" || $1.isLetter) }
    }

    /// The reference with the path of a secret's file made absolute; other references stay the same.
    func absolute(secret reference: String) -> String {
        if case .file(let path)? = SecretPlace(reference) { absolute(path) } else { reference }
    }
}
