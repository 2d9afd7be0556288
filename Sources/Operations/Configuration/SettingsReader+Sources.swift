public import Engine
import Feeds
import Foundation
import Model
public import Settings

extension SettingsReader {
    /// Reads a configuration, fragments included, and binds its sources to their kinds; blocks its thread. Secrets are
    /// not read.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - environment: The process's environment.
    /// - Returns: The settings, and all configured sources in their order, disabled ones included.
    /// - Throws: `SettingsErrors` with every fault of the files, including those that only a kind can find.
    public static func read(
        path: String, environment: [String: String]
    ) throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        try parse(SettingsFiles(reading: path), environment: environment)
    }

    /// Validates the text of a configuration without fragments, and binds its sources to their kinds.
    ///
    /// - Parameters:
    ///   - text: The text of a file.
    ///   - file: Its path, for messages and relative paths.
    ///   - environment: The process's environment.
    /// - Throws: As `read(path:environment:)`, for an unreadable file excepted.
    public static func parse(
        _ text: String, file: String, environment: [String: String]
    ) throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        try parse(SettingsFiles(main: SettingsFile(path: file, text: text)), environment: environment)
    }

    /// Validates the files of a configuration, and binds its sources to their kinds.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - environment: The process's environment.
    ///   - needsSources: Whether a configuration without a source has a fault; default true.
    /// - Throws: As `read(path:environment:)`, for an unreadable file excepted.
    public static func parse(
        _ files: SettingsFiles, environment: [String: String], needsSources: Bool = true
    ) throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        var sources: [EngineSource] = []
        let settings = try parse(
            files, kinds: FeedRegistry.kinds, environment: environment, needsSources: needsSources
        ) { source in
            do throws(FeedSettingsError) {
                // The reader has refused unknown kinds.
                if let feed = try FeedRegistry.feed(for: source) {
                    sources.append(EngineSource(settings: source, feed: feed, domain: source.registrableDomain))
                }
                return nil
            } catch {
                return error
            }
        }
        return (settings, sources)
    }
}

extension SettingsReader {
    /// Validates the files of a configuration, kinds included, and lists the values that are in effect by them.
    /// - Throws: As `parse(_:environment:needsSources:)`.
    public static func values(
        in files: SettingsFiles, environment: [String: String]
    ) throws(SettingsErrors) -> [SettingsValue] {
        try values(in: files, kinds: FeedRegistry.kinds, environment: environment) { source in
            do throws(FeedSettingsError) {
                _ = try FeedRegistry.feed(for: source)
                return nil
            } catch {
                return error
            }
        }
    }
}

extension SettingsEdit {
    /// The new values as lines of YAML, without the keys that are taken away.
    public var lines: String { lines(kinds: FeedRegistry.kinds) }

    /// The edited text of the file in which the source stands, and the settings that it makes.
    /// - Parameters:
    ///   - files: The files of the configuration.
    ///   - environment: The process's environment.
    /// - Returns: The file as it was, its text before and after the edit, and the settings.
    /// - Throws: `SettingsErrors` if the text cannot be edited, or the configuration has faults afterwards. Faults that
    ///   it had before come alone, at the lines where they stand.
    public func validated(
        _ files: SettingsFiles, environment: [String: String]
    ) throws(SettingsErrors) -> (file: SettingsFile, old: String, new: String, settings: Settings) {
        let file = self.file(in: files)
        let old = try SettingsReader.text(of: file.content, file: file.path)
        let new = try applied(to: old, file: file.path, kinds: FeedRegistry.kinds)
        do throws(SettingsErrors) {
            let edited = files.replacing(file.path, with: Data(new.utf8))
            return (file, old, new, try SettingsReader.parse(edited, environment: environment).settings)
        } catch {
            _ = try SettingsReader.parse(files, environment: environment)
            throw error
        }
    }
}
