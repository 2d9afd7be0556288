import Engine
import Foundation
import Settings
import Store

/// What is known of the configuration from one reload to the next.
struct ReloadState: Sendable {
    /// The configuration in force.
    var settings: Settings
    /// Its sources, bound to their kinds.
    var sources: [EngineSource]
    /// Why secrets of it could not be read just now: they are regarded as missing until they can be.
    var unread: Set<String>
    /// Since when the one in the file waits for secrets that cannot be read just now, as uptime.
    var waitsSince: Duration?
    /// What the file held when it was last read, or why it could not be; nil: it, or a file that it names, is still to be
    /// read, or it is still to be stored.
    var lastRead: Result<Data, FileReadingError>?
    /// What is noted for `status` of a configuration that is not in force.
    var refused: RefusedConfiguration?

    /// Whether something is to be looked at again.
    var isWaiting: Bool { lastRead == nil || !unread.isEmpty }
}
