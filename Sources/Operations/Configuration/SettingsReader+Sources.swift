public import Engine
import Feeds
import Model
public import Settings

extension SettingsReader {
    /// Reads a configuration and binds its sources to their kinds; blocks its thread. Secrets are not read.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - environment: The process's environment.
    /// - Returns: The settings, and all configured sources in their order, disabled ones included.
    /// - Throws: `SettingsErrors` with every fault of the file, including those that only a kind can find.
    public static func read(
        path: String, environment: [String: String]
    ) throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        try parse(text(of: data(ofFile: path, files: .disk), file: path), file: path, environment: environment)
    }

    /// Validates the text of a configuration, and binds its sources to their kinds.
    ///
    /// - Parameters:
    ///   - text: The text of a file.
    ///   - file: Its path, for messages and relative paths.
    ///   - environment: The process's environment.
    /// - Throws: As `read(path:environment:)`, for an unreadable file excepted.
    public static func parse(
        _ text: String, file: String, environment: [String: String]
    ) throws(SettingsErrors) -> (settings: Settings, sources: [EngineSource]) {
        var sources: [EngineSource] = []
        let settings = try parse(text, file: file, kinds: FeedRegistry.kinds, environment: environment) { source in
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
    /// Validates the text of a configuration, kinds included, and lists the values that are in effect by it.
    /// - Throws: As `parse(_:file:environment:)`.
    public static func values(
        in text: String, file: String, environment: [String: String]
    ) throws(SettingsErrors) -> [SettingsValue] {
        try values(in: text, file: file, kinds: FeedRegistry.kinds, environment: environment) { source in
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

    /// The edited text of a configuration, and the settings that it makes.
    /// - Parameters: As for `SettingsReader.parse(_:file:environment:)`.
    /// - Throws: `SettingsErrors` if the text cannot be edited, or has faults afterwards. Faults that it had before
    ///   come alone, at the lines where they stand.
    public func validated(
        _ text: String, file: String, environment: [String: String]
    ) throws(SettingsErrors) -> (text: String, settings: Settings) {
        let edited = try applied(to: text, file: file, kinds: FeedRegistry.kinds)
        do throws(SettingsErrors) {
            return (edited, try SettingsReader.parse(edited, file: file, environment: environment).settings)
        } catch {
            _ = try SettingsReader.parse(text, file: file, environment: environment)
            throw error
        }
    }
}
