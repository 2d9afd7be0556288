public import Engine
import Foundation
public import Operations
public import Settings

/// The file that the settings come from.
public struct ConfigurationFile: Sendable {
    /// Reads and validates it, as at the start.
    public typealias Loader =
        @Sendable () throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource])

    /// Its path.
    public var path: String
    /// Reads it.
    public var load: Loader
    /// The level of the log, which follows it.
    public var logLevel: LogLevel

    /// Names a file.
    public init(path: String, logLevel: LogLevel, load: @escaping Loader) {
        self.path = path
        self.logLevel = logLevel
        self.load = load
    }

    /// What it holds, or why it cannot be read.
    var contents: Result<Data, FileReadingError> {
        Result { try FileReading.ordinary.contents(path) }
            .mapError { $0 as? FileReadingError ?? FileReadingError("it cannot be read") }
    }

    /// Whether nothing has its name.
    var isGone: Bool { access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR) }

    /// Why it is not even opened: what is no file may keep whoever opens it waiting for ever.
    var refusal: SettingsErrors? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return SettingsErrors(faults: [
            SettingsFault(file: path, found: "is no ordinary file", accepted: "a readable YAML file")
        ])
    }
}
