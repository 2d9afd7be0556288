import Foundation
import Settings

/// What `/configuration` may show.
public enum ConfigurationAccess: Sendable {
    /// Nothing, for a reason in words.
    case hidden(String)
    /// A file.
    case shown(ServedConfiguration)
}

/// The configuration file as `/configuration` shows it. It is read for each request, since the daemon takes edits up.
public struct ServedConfiguration: Sendable {
    /// The path, as given on the command line or by default.
    public var path: String
    /// The environment by which the defaults of paths are found.
    public var environment: [String: String]
    /// The command that edits the file, with its options and without the edit: `visiventd set`.
    public var command: String

    /// Creates a description of the file; reads nothing.
    public init(path: String, environment: [String: String], command: String) {
        self.path = path
        self.environment = environment
        self.command = command
    }

    /// The file with those of `conf.d`; blocks. Throws `Problem` (404) if this process cannot read them.
    func files() throws(Problem) -> SettingsFiles {
        var status = stat()
        // A bind mount, as that of the unit, keeps the file of the start when another takes its name.
        if stat(path, &status) == 0, status.st_nlink == 0 {
            throw .missing(
                "the configuration was replaced after the start of visiventd serve, which still sees the one before; "
                    + "restart visiventd-serve")
        }
        do {
            return try SettingsFiles(reading: path, files: .ordinary)
        } catch {
            throw .missing("visiventd serve cannot read the configuration: \(error)")
        }
    }
}
