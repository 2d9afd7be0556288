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
        var sources: [EngineSource] = []
        let settings = try SettingsReader.read(path: path, kinds: FeedRegistry.kinds, environment: environment) {
            source in
            do throws(FeedSettingsError) {
                // The reader has refused unknown kinds.
                if let feed = try FeedRegistry.feed(for: source) {
                    sources.append(EngineSource(settings: source, feed: feed))
                }
                return nil
            } catch {
                return error
            }
        }
        return (settings, sources)
    }
}
