public import Engine
import Foundation
public import Operations
public import Settings

/// The file that the settings come from, with its fragments (`SettingsFiles`), and the means to read them again.
public struct ConfigurationFile: Sendable {
    /// Reads and validates the files, as at the start; blocks its thread. The sources are all configured ones, bound to
    /// their kinds but without secrets. Throws `SettingsErrors` with every fault.
    public typealias Loader =
        @Sendable () throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource])

    /// The path of the file, as given on the command line or by default.
    public var path: String
    /// Reads and validates the file at `path`; called for each reload that finds another content.
    public var load: Loader
    /// The level of the log, which a reload changes in all loggers that share it.
    public var logLevel: LogLevel

    /// Creates a description of the file with these values; reads nothing.
    public init(path: String, logLevel: LogLevel, load: @escaping Loader) {
        self.path = path
        self.logLevel = logLevel
        self.load = load
    }

    /// The content of the files, or why they cannot be read.
    var contents: Result<SettingsFiles, SettingsErrors> {
        Result { () throws(SettingsErrors) in try SettingsFiles(reading: path, files: .ordinary) }
    }

    /// Whether nothing exists at the path.
    var isGone: Bool { access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) }

    /// The refusal of a path that is no ordinary file, which might block when it is opened; nil if it can be opened.
    var refusal: SettingsErrors? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return SettingsErrors(faults: [
            SettingsFault(file: path, found: "is no ordinary file", accepted: "a readable YAML file")
        ])
    }
}
