import Engine
import Feeds
import Settings
import Testing

@testable import Daemon

extension EngineSource {
    /// Binds the sources of settings that were not read from a file.
    static func all(_ settings: Settings) throws -> [EngineSource] {
        try settings.sources.map { source in
            EngineSource(settings: source, feed: try #require(try FeedRegistry.feed(for: source)))
        }
    }
}

extension Poller {
    /// Polls a source now, or waits for its poll under way; nil: there is no report.
    func poll(_ source: String) async -> PollReport? { try? await pollNow(source).get() }
}
